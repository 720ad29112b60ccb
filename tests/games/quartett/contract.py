"""What the suites over all games must know of Quartett."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.quartett.scripted import mini
from spielwerk.games.game import Seat
from spielwerk.games.quartett.comparing import Forbid
from spielwerk.games.quartett.messages import StackDealt, TopShown
from spielwerk.games.quartett.model import CardIds, State
from spielwerk.games.quartett.options import Options

HIDES_CARDS = True

LISTS_ALL_COMMANDS = True
"""`legal` is complete, but for Resign."""

_SMALL = mini("a 9/3 b 5/5 c 5/3 d 4/7 e 9/7 f 8/4 g 1/3 h 8/1")

GOLDEN: Mapping[str, dict[str, Any]] = {
    "sample": {"max_rounds": 60},
    "bridges": {"deck_id": "nirgendbruecken", "max_rounds": 40, "forbid": Forbid.EXTREME},
    "series": {"deck": _SMALL, "games": 4, "forbid": Forbid.NONE, "max_rounds": 12},
    "resigned": {"deck": _SMALL, "max_rounds": 0},
}
"""Options of the recorded matches."""


def pack(state: State) -> CardIds:
    """All cards that there are."""
    return state.options.deck.card_ids if state.game_no else ()


def places(state: State) -> Mapping[str, CardIds]:
    """Where each card lies now."""
    return {
        "stack 0": state.stacks[0].cards,
        "stack 1": state.stacks[1].cards,
        "pot": state.pot,
    }


def told(options: Options, event: Any, viewer: Seat | None) -> Any:  # noqa: ARG001 - the suite asks every game
    """So much of an event, at the most, the rules tell the viewer."""
    match event:
        case StackDealt():
            return None
        case TopShown(seat) if seat != viewer:
            return None
    return event
