"""The beginner: any card that fits, and now and then no announcement."""

from __future__ import annotations

from collections.abc import Sequence

from spielwerk.chance import Chance
from spielwerk.games.maumau.cards import in_order
from spielwerk.games.maumau.messages import Announce, Command, Draw, Play
from spielwerk.games.maumau.views import View


def play_carelessly(view: View, legal: Sequence[Command], chance: Chance) -> Command:  # noqa: ARG001
    """Lay any fitting card with any wish; two times in three remember to announce."""
    plays = [command for command in legal if isinstance(command, Play)]
    if Announce() in legal and chance.choose("remember", (True, True, False)):
        return Announce()
    if not plays:
        return Draw()
    cards = in_order({play.card for play in plays})
    card = chance.choose("card", cards)
    return chance.choose("wish", [play for play in plays if play.card == card])
