"""What the suites over all games must know of Yatzee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spielwerk.games.game import Seat
from spielwerk.games.yatzee.messages import DiceHeld, DiceRolled, RowEntered
from spielwerk.games.yatzee.model import State
from spielwerk.games.yatzee.options import (
    LastSeat,
    OnBudgetExhausted,
    Options,
    Reveal,
    Sync,
    YatzeeBonus,
)

HIDES_CARDS = False
"""There are no cards; what is hidden of the dice is tested beside this module."""

LISTS_ALL_COMMANDS = True
"""`legal` is complete, but for Resign and the order of the positions of a hold."""

GOLDEN: Mapping[str, dict[str, Any]] = {
    "live": {
        "reveal": Reveal.LIVE,
        "yatzee_bonus": YatzeeBonus.HASBRO,
        "full_house_five": True,
    },
    "barrier": {"time_budget_s": 40},
    "rounds": {
        "time_budget_s": 25,
        "sync": Sync.ROUND,
        "on_budget_exhausted": OnBudgetExhausted.STRIKE,
    },
    "resigned": {
        "time_budget_s": 20,
        "on_budget_exhausted": OnBudgetExhausted.FORFEIT,
        "last_seat": LastSeat.PLAYS_ON,
    },
}
"""Options of the recorded matches; small budgets let the engine play on and keep them short."""


def pack(state: State) -> tuple[()]:  # noqa: ARG001 - the suite asks every game
    """No cards."""
    return ()


def places(state: State) -> Mapping[str, tuple[()]]:  # noqa: ARG001 - the suite asks every game
    """No cards anywhere."""
    return {}


def told(options: Options, event: Any, viewer: Seat | None) -> Any:
    """So much of an event, at the most, the rules tell the viewer."""
    match event:
        case DiceRolled(seat) | DiceHeld(seat) | RowEntered(seat):
            return event if options.reveal is Reveal.LIVE or seat == viewer else None
    return event
