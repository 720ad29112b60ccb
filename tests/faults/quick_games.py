"""What is played while faults happen: every game, in matches of a minute or so."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from spielwerk.games import registry

QUICK: Final[Mapping[str, Mapping[str, Any]]] = {
    "cribbage": {"target": 61, "action_timeout_s": 10, "max_timeouts_in_row": 1},
    "guandan": {"max_deals": 1, "move_seconds": 5, "return_seconds": 5, "pause_seconds": 1},
    "house_of_cards": {"idle_limit_s": 10},
    "maumau": {"turn_seconds": 5, "away_after": 1, "max_turns": 100},
    "quartett": {"turn_seconds": 5, "away_after": 1, "max_rounds": 30, "reveal_pause_ms": 0},
    "skat": {"series_length": 3, "move_seconds": 3},
    "yatzee": {"time_budget_s": 20},
}
"""Options by game; short turns, so that the timer has work, and ends by silence."""

ENDS_SILENT: Final = frozenset(QUICK) - {"guandan"}
"""Games that soon end when nobody plays on: the others take a timeout a move."""


def players_of(game: str, rng: random.Random) -> int:
    """How many sit at a table: mostly the fewest."""
    seats = registry.newest(game).seats
    return max(seats.start, 1) if rng.random() < 0.7 else rng.choice(seats)
