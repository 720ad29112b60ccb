"""The bots of Quartett: the seven known strengths, by their ids (clause 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from spielwerk.chance import Chance
from spielwerk.games.game import BotInformation, BotPolicy
from spielwerk.games.quartett.bots.policies import (
    all_knowing,
    anything,
    best_of,
    drawing,
    everybody,
    remembered,
)
from spielwerk.games.quartett.messages import Command

__all__ = ["BOTS", "CHOICE_SETS", "USUAL"]

USUAL: Final = "rank1"
"""The opponent of who asks for none."""

CHOICE_SETS: Final[Mapping[str, Callable[[Any], tuple[str, ...]]]] = {
    "random": anything,
    "rank4": best_of(4, everybody),
    "rank2": best_of(2, everybody),
    "rank1": best_of(1, everybody),
    "memory4": best_of(4, remembered),
    "memory2": best_of(2, remembered),
    "oracle": all_knowing,
}
"""Among which categories each strength draws, by its View; `oracle` reads the State instead."""

_NAMES: Final = {
    "random": "Backfischmädel",
    "rank4": "Furzknoten",
    "rank2": "Gerontenheintje",
    "rank1": "Trotz Auto solo",
    "memory4": "Speckbulette",
    "memory2": "5 Eier Deluxe",
    "oracle": "Königsübung",
}


def _bot(strength: str) -> BotPolicy[Command, Any]:
    choose: Callable[[Any, Sequence[Command], Chance], Command] = drawing(CHOICE_SETS[strength])
    all_seen = strength == "oracle"
    return BotPolicy(
        strength=strength,
        version=1,
        choose=choose,
        information=BotInformation.EVERYTHING if all_seen else BotInformation.OWN_VIEW,
        name=_NAMES[strength],
    )


BOTS: Final[Mapping[str, BotPolicy[Command, Any]]] = {name: _bot(name) for name in CHOICE_SETS}
"""`random`, `rank4`, `rank2`, `rank1`, `memory4`, `memory2`, `oracle`, as the page lists them."""
