"""What the suites over all games must know of Cribbage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spielwerk.cards import french_pack
from spielwerk.games.cribbage.messages import CardsDealt, CribDiscarded, DealStarted
from spielwerk.games.cribbage.model import Cards, State
from spielwerk.games.cribbage.options import FirstDealer, OnTimeout, Options
from spielwerk.games.game import Seat

HIDES_CARDS = True

LISTS_ALL_COMMANDS = True
"""`legal` is complete, but for Resign and the order of the two cards of a discard."""

GOLDEN: Mapping[str, dict[str, Any]] = {
    "short": {"target": 61, "first_dealer": FirstDealer.CUT},
    "explicit_go": {"target": 61, "auto_go": False, "heels": 0, "on_timeout": OnTimeout.AUTO_PLAY},
    "resigned": {},
    "series": {"target": 61, "games_to_win": 2, "skunk": True, "first_dealer": FirstDealer.RANDOM},
}
"""Options of the recorded matches."""


def pack(state: State) -> Cards:
    """All cards that there are."""
    return french_pack() if state.deal else ()


def places(state: State) -> Mapping[str, Cards]:
    """Where each card lies now."""
    deal, table = state.deal, state.table
    if deal is None:
        return {}
    dealt = sum(map(len, deal.dealt))
    turned = deal.starter is not None
    return {
        "undealt": deal.deck[dealt + turned :],
        "starter": (deal.starter,) if deal.starter else (),
        "crib": deal.crib,
        "hand 0": table.hand[0],
        "hand 1": table.hand[1],
        "table": tuple(laid.card for laid in table.played),
    }


def told(options: Options, event: Any, viewer: Seat | None) -> Any:  # noqa: ARG001 - the suite asks every game
    """So much of an event, at the most, the rules tell the viewer."""
    match event:
        case DealStarted():
            return None
        case CardsDealt(seat) | CribDiscarded(seat) if seat != viewer:
            return None
    return event
