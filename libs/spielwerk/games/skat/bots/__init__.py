"""The bots of Skat, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spielwerk.games.game import BotPolicy
from spielwerk.games.skat.bots.expert import expert
from spielwerk.games.skat.bots.policies import beginner, normal
from spielwerk.games.skat.commands import Command
from spielwerk.games.skat.views import View

__all__ = ["BOTS"]

_BEGINNER: Final = BotPolicy(strength="beginner", version=1, choose=beginner)
_NORMAL: Final = BotPolicy(strength="normal", version=1, choose=normal)
_EXPERT: Final = BotPolicy(strength="expert", version=1, choose=expert)

BOTS: Final[Mapping[str, BotPolicy[Command, View]]] = {
    bot.strength: bot for bot in (_BEGINNER, _NORMAL, _EXPERT)
}
"""`beginner`, `normal` and `expert`."""
