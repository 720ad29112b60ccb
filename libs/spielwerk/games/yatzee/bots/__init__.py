"""The bots of Yatzee, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spielwerk.games.game import BotPolicy
from spielwerk.games.yatzee.bots.policies import careless, planned
from spielwerk.games.yatzee.bots.solitaire import above_par, perfect
from spielwerk.games.yatzee.messages import Command
from spielwerk.games.yatzee.views import View

__all__ = ["BOTS"]

_BEGINNER: Final = BotPolicy(strength="beginner", version=1, choose=careless)
_NORMAL: Final = BotPolicy(strength="normal", version=1, choose=planned(above_par))
_EXPERT: Final = BotPolicy(strength="expert", version=1, choose=planned(perfect))

BOTS: Final[Mapping[str, BotPolicy[Command, View]]] = {
    bot.strength: bot for bot in (_BEGINNER, _NORMAL, _EXPERT)
}
"""`beginner`, `normal` and `expert`."""
