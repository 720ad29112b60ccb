"""What the suites over all games must know of Mau-Mau."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from games.playing import Playing
from spielwerk.chance import HmacChance
from spielwerk.games.game import Actor, Seat, TimeOut
from spielwerk.games.maumau import cards
from spielwerk.games.maumau.bots import BOTS
from spielwerk.games.maumau.cards import Cards
from spielwerk.games.maumau.messages import (
    AnnouncementMissed,
    CardsDrawn,
    GameStarted,
    HandDealt,
    TalonReshuffled,
)
from spielwerk.games.maumau.model import State
from spielwerk.games.maumau.options import FirstUpcard, Options

HIDES_CARDS = True

LISTS_ALL_COMMANDS = True
"""`legal` is complete, but for Resign."""

GOLDEN: Mapping[str, dict[str, Any]] = {
    "away": {"away_after": 2},
    "default": {},
    "effect": {"first_upcard": FirstUpcard.EFFECT, "jokers": 4, "hand_size": 3},
    "forgetful": {"hand_size": 3},
    "redraw": {"first_upcard": FirstUpcard.REDRAW, "jokers": 0, "voluntary_draw": False},
    "resigned": {"games": 2},
    "series": {"games": 3, "hand_size": 4, "first_starter": 3, "turn_seconds": 0},
    "short": {"hand_size": 12, "jokers": 1, "max_turns": 40, "announce": False},
}
"""Options of the recorded matches."""


def golden_move(name: str, match: Playing, rng: random.Random) -> tuple[Actor, Any] | None:
    """Bots play most moves of the recorded matches: random ones seldom come to an end."""
    ((seat, turn),) = match.turns.items()
    if name == "away" and seat == 2:
        return None, TimeOut(seat, turn.key)
    if rng.random() < 0.2:
        return None
    legal = match.game.legal(match.state, seat)
    if name == "forgetful" and seat == 0:
        return seat, legal[0]  # lays what fits, and never announces
    bot = BOTS[rng.choice(sorted(BOTS))]
    chance = HmacChance(bytes(32), f"{name} {turn.key}")
    return seat, bot.choose(match.game.view(match.state, seat), legal, chance)


def pack(state: State) -> Cards:
    """All cards that there are."""
    return cards.pack(state.options.jokers) if state.table else ()


def places(state: State) -> Mapping[str, Cards]:
    """Where each card lies now."""
    table = state.table
    if table is None:
        return {}
    hands = {f"hand {seat}": hand for seat, hand in enumerate(table.hands)}
    return hands | {"talon": table.talon, "pile": table.pile}


def told(options: Options, event: Any, viewer: Seat | None) -> Any:  # noqa: ARG001 - the suite asks every game
    """So much of an event, at the most, the rules tell the viewer."""
    match event:
        case GameStarted() | TalonReshuffled():
            return None
        case HandDealt(seat) | CardsDrawn(seat) | AnnouncementMissed(seat) if seat != viewer:
            return None
    return event
