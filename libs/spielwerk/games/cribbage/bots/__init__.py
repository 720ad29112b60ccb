"""The bots of Cribbage, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spielwerk.games.cribbage.bots.policies import (
    lay_away_carelessly,
    lay_away_for_hand_and_crib,
    lay_away_for_the_hand,
    lay_down_carelessly,
    lay_down_greedily,
    lay_down_with_foresight,
    policy,
)
from spielwerk.games.cribbage.messages import Command
from spielwerk.games.cribbage.views import View
from spielwerk.games.game import BotPolicy

__all__ = ["BOTS"]

_BEGINNER: Final = BotPolicy(
    strength="beginner", version=1, choose=policy(lay_away_carelessly, lay_down_carelessly)
)
_NORMAL: Final = BotPolicy(
    strength="normal", version=1, choose=policy(lay_away_for_the_hand, lay_down_greedily)
)
_EXPERT: Final = BotPolicy(
    strength="expert", version=1, choose=policy(lay_away_for_hand_and_crib, lay_down_with_foresight)
)

BOTS: Final[Mapping[str, BotPolicy[Command, View]]] = {
    bot.strength: bot for bot in (_BEGINNER, _NORMAL, _EXPERT)
}
"""`beginner`, `normal` and `expert`."""
