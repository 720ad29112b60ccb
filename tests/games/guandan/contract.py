"""What the suites over all games must know of Guandan."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from games.playing import Playing
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import PACK, Cards
from spielwerk.games.guandan.combos import BOMBS
from spielwerk.games.guandan.messages import (
    CardReturned,
    DealStarted,
    NextDeal,
    Pass,
    Play,
    Restart,
    ReturnCard,
)
from spielwerk.games.guandan.model import SEATS, Phase, State
from spielwerk.games.guandan.options import Options

HIDES_CARDS = True

LISTS_ALL_COMMANDS = False
"""`legal` names one choice of suits for each play by ranks; others are accepted as well."""

GOLDEN: Mapping[str, dict[str, Any]] = {
    "ace": {},
    "customs": {
        "end_on_double": True,
        "return_private": True,
        "return_same_card": False,
        "flush_run_as_straight": True,
        "wild_pair_any_rank": False,
        "ace_fail_limit": 3,
        "max_deals": 3,
    },
    "resigned": {},
    "restart": {"max_deals": 1},
}
"""Options of the recorded matches."""


def pack(state: State) -> Cards:
    """All cards that there are."""
    return PACK if state.progress.deal_no else ()


def places(state: State) -> Mapping[str, Cards]:
    """Where each card lies now."""
    laid = [move.combination.cards for move in state.table.moves if move.combination]
    return {
        **{f"hand {seat}": state.table.hands[seat] for seat in SEATS},
        "table": tuple(card for cards in laid for card in cards),
    }


def told(options: Options, event: Any, viewer: Seat | None) -> Any:
    """So much of an event, at the most, the rules tell the viewer."""
    match event:
        case DealStarted():
            return [held for held in event.hands if held.seat == viewer]
        case CardReturned(giver, receiver) if options.return_private:
            return event if viewer in (giver, receiver) else None
    return event


def golden_move(variant: str, match: Playing, rng: random.Random) -> tuple[int | None, Any] | None:
    """The next command of the recorded matches that show a certain course; None: any."""
    state: State = match.state
    if variant == "ace":
        return min(match.turns), _towards_the_ace(state, match, rng)
    if variant == "restart":
        return _restarting(state, match, rng)
    return None


def _towards_the_ace(state: State, match: Playing, rng: random.Random) -> Any:
    """Team 0 rises to the ace, fails there once with seat 2 last, then wins the match."""
    failing = state.progress.level.value == "A" and not state.progress.ace_failures[0]
    out = len(state.table.order)
    eager = (0,) if failing and not out else (1, 3) if failing else (0, 2)
    return _move(state, match, eager, rng)


def _restarting(state: State, match: Playing, rng: random.Random) -> tuple[int, Any]:
    """A proposal is withdrawn by a card, the next one is agreed to; then the deal is played."""
    moves = len(state.table.moves)
    if state.progress.game_no == 1 and moves in (4, 9):
        voters = (2, 1) if moves == 4 else (0, 3, 1, 2)
        waiting = [seat for seat in voters if seat not in state.agreed]
        if waiting:
            return waiting[0], Restart()
    return min(match.turns), _move(state, match, (1, 2, 3), rng)


def _move(state: State, match: Playing, eager: tuple[int, ...], rng: random.Random) -> Any:
    """Eager seats lead long combinations and beat what they can; the others pass."""
    seat = min(match.turns)
    legal = match.game.legal(state, seat)
    if state.phase in (Phase.RETURN, Phase.DEAL_OVER):
        choices = [command for command in legal if isinstance(command, ReturnCard | NextDeal)]
        return rng.choice(choices)
    plays = [command for command in legal if isinstance(command, Play)]
    ordinary = [play for play in plays if play.shape not in BOMBS]
    if state.table.top is None:
        return max(ordinary or plays, key=lambda play: len(play.cards))
    return plays[0] if plays and seat in eager else Pass()
