"""What the suites over all games must know of House of Cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spielwerk.games.game import Seat
from spielwerk.games.house_of_cards.messages import (
    CardOpened,
    CardsReplaced,
    FloorLaid,
    GameStarted,
    RoofBuilt,
)
from spielwerk.games.house_of_cards.model import STOCK_ORDER, AnyCards, State
from spielwerk.games.house_of_cards.options import JokerRemoves, Options

HIDES_CARDS = True

LISTS_ALL_COMMANDS = True
"""`legal` is complete, but for Resign and the order of the slots of a roof."""

GOLDEN: Mapping[str, dict[str, Any]] = {
    "duel": {},
    "rows": {"joker_removes": JokerRemoves.ROW, "open": 7, "idle_limit_s": 0},
    "timed": {"time_limit_s": 60},
    "resigned": {},
}
"""Options of the recorded matches."""


def pack(state: State) -> AnyCards:
    """All cards that there are: each seat has a stock of its own, in equal order."""
    return len(state.sites) * STOCK_ORDER if state.stock else ()


def places(state: State) -> Mapping[str, AnyCards]:
    """Where each card lies now."""
    lying: dict[str, AnyCards] = {}
    for seat, site in enumerate(state.sites):
        lying[f"stock {seat}"] = state.left_in_stock(seat)
        lying[f"open {seat}"] = tuple(item.card for item in site.open)
        lying[f"house {seat}"] = site.house.cards
        lying[f"discarded {seat}"] = site.discarded
    return lying


def told(options: Options, event: Any, viewer: Seat | None) -> Any:  # noqa: ARG001 - the suite asks every game
    """So much of an event, at the most, the rules tell the viewer."""
    match event:
        case GameStarted():
            return None
        case CardOpened() | FloorLaid() | CardsReplaced() if event.seat != viewer:
            return None
        case RoofBuilt() if event.seat != viewer:
            return event.value, event.spent_ms
    return event
