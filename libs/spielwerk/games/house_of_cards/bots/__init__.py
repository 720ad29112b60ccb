"""The bots of House of Cards, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spielwerk.games.game import BotPolicy
from spielwerk.games.house_of_cards.bots.policies import build_greedily, build_with_a_plan
from spielwerk.games.house_of_cards.messages import Command
from spielwerk.games.house_of_cards.views import View

__all__ = ["BOTS"]

_GREEDY: Final = BotPolicy(strength="greedy", version=1, choose=build_greedily)
_PLANNER: Final = BotPolicy(strength="planner", version=1, choose=build_with_a_plan)

BOTS: Final[Mapping[str, BotPolicy[Command, View]]] = {
    bot.strength: bot for bot in (_GREEDY, _PLANNER)
}
"""`greedy` and `planner`."""
