"""Commands of different seats commute: any interleaving leads to the same sheets (clause 4.1)."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import Any

import pytest

from games.yatzee.scripted import Match
from spielwerk.chance import HmacChance
from spielwerk.games.game import Resign, Seat
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import (
    BudgetExhausted,
    Command,
    MatchEnded,
    RoundEnded,
    RoundStarted,
    ThrowOpened,
)
from spielwerk.games.yatzee.options import LastSeat, OnBudgetExhausted, Reveal, Sync

BARRIERS = (ThrowOpened, RoundEnded, RoundStarted, MatchEnded)


@dataclass(frozen=True)
class Step:
    """One command of a recorded match and what it took."""

    seat: Seat
    command: Command
    spent_ms: int


def a_match(seed: int, seats: int, **rules: Any) -> Match:
    chance = HmacChance(seed.to_bytes(32, "big"), "interleaved")
    return Match(seats, chance=chance, last_seat=LastSeat.PLAYS_ON, **rules)


def recorded(seed: int, seats: int, **rules: Any) -> tuple[Match, list[Step]]:
    """A random match; some seats leave, and small budgets run out."""
    match, rng = a_match(seed, seats, **rules), random.Random(seed)
    steps: list[Step] = []
    while match.state.reason is None:
        seat = rng.choice(sorted(GAME.turns(match.state)))
        move = rng.choice(GAME.legal(match.state, seat))
        step = Step(seat, Resign() if rng.random() < 0.01 else move, rng.randrange(0, 9000))
        give(match, step)
        steps.append(step)
    return match, steps


def give(match: Match, step: Step) -> None:
    match.elapsed[step.seat] = step.spent_ms
    match.give(step.seat, step.command)


def shuffled(match: Match, steps: list[Step], rng: random.Random, *, early: bool) -> None:
    """The same commands of each seat, as early or late as its turns allow.

    Who leaves needs no turn for it: with `early` it may do so while it waits.
    """
    queues = {seat: deque(s for s in steps if s.seat == seat) for seat in match.elapsed}
    while match.state.reason is None:
        ready = [
            seat
            for seat, queue in queues.items()
            if queue
            and (
                seat in GAME.turns(match.state) or (early and isinstance(queue[0].command, Resign))
            )
        ]
        give(match, queues[rng.choice(ready)].popleft())
    assert not any(queues.values())


def by_seat(match: Match) -> dict[Any, list[Any]]:
    """Each seat's own events in order, and the barriers in order (under None)."""
    found: dict[Any, list[Any]] = {seat: [] for seat in (*match.elapsed, None)}
    for event in match.events:
        found[None if isinstance(event, BARRIERS) else event.seat].append(event)
    return found


@pytest.mark.parametrize("sync", Sync)
@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_4_1_every_interleaving_leads_to_the_same_table(seed: int, seats: int, sync: Sync) -> None:
    rules = {
        "sync": sync,
        "reveal": list(Reveal)[seed % 2],
        "on_budget_exhausted": list(OnBudgetExhausted)[seed % 3],
        "time_budget_s": (900, 180)[seed % 2],
    }
    match, steps = recorded(seed, seats, **rules)
    for order in range(4):
        again = a_match(seed, seats, **rules)
        shuffled(again, steps, random.Random(f"{seed} {order}"), early=order % 2 == 0)

        assert again.state == match.state
        if order % 2:
            assert by_seat(again) == by_seat(match)


def test_4_1_the_recorded_matches_run_out_of_time_and_are_left() -> None:
    kinds = set()
    for seed in range(6):
        match, _ = recorded(seed, 5, time_budget_s=(900, 180)[seed % 2])
        kinds |= {type(event).__name__ for event in match.events}

    assert {BudgetExhausted.__name__, "PlayerLeft"} <= kinds
