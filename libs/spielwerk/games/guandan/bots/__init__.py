"""The bots of Guandan, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spielwerk.games.game import BotPolicy
from spielwerk.games.guandan.bots.expert import give_back_tidily, lay_with_foresight
from spielwerk.games.guandan.bots.policies import (
    give_back_anything,
    give_back_weakest,
    lay_by_rule,
    lay_carelessly,
    policy,
)
from spielwerk.games.guandan.messages import Command
from spielwerk.games.guandan.views import View

__all__ = ["BOTS"]

_BEGINNER: Final = BotPolicy(
    strength="beginner", version=1, choose=policy(lay_carelessly, give_back_anything)
)
_NORMAL: Final = BotPolicy(
    strength="normal", version=1, choose=policy(lay_by_rule, give_back_weakest)
)
_EXPERT: Final = BotPolicy(
    strength="expert", version=1, choose=policy(lay_with_foresight, give_back_tidily)
)

BOTS: Final[Mapping[str, BotPolicy[Command, View]]] = {
    bot.strength: bot for bot in (_BEGINNER, _NORMAL, _EXPERT)
}
"""`beginner`, `normal` and `expert`."""
