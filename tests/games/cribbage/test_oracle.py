"""OpenSpiel's cribbage, an independent program: same cards and moves must give same scores."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import pyspiel
import pytest

from games.cribbage.scripted import Match, deck, rows
from spielwerk.cards import Card, Rank, Suit
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import DealEnded, Discard, Event, Play, Scored
from spielwerk.games.cribbage.model import State
from spielwerk.games.cribbage.options import FirstDealer, Options, Variant

PASS = 2756
FIRST_DISCARD = 52
AS_THERE = Variant(crib_flush_four=True, cap_at_target=False, stop_at_target=False)


def card_of(number: int) -> Card:
    """There a card is 13 * suit + rank."""
    return Card(tuple(Rank)[number % 13], tuple(Suit)[number // 13])


@dataclass
class Step:
    """One move of a seat there, and the scores once everything that it forces has happened."""

    seat: int
    action: int
    scores: tuple[int, int] = (0, 0)


@dataclass
class OracleDeal:
    """One deal there."""

    dealer: int
    drawn: list[Card] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def deals_of(actions: list[list[int]]) -> list[OracleDeal]:
    """The deals of a game, from rows of (player, action, _, score 0, score 1, _)."""
    deals: list[OracleDeal] = []
    for player, action, _, score0, score1, _ in actions:
        if player < 0:
            if not deals or len(deals[-1].drawn) == 13:
                deals.append(OracleDeal(dealer=len(deals) % 2))
            deals[-1].drawn.append(card_of(action))
        elif action == PASS:
            deals[-1].steps[-1].scores = (score0, score1)
        else:
            deals[-1].steps.append(Step(player, action, (score0, score1)))
        if player < 0 and deals[-1].steps:
            deals[-1].steps[-1].scores = (score0, score1)  # heels
    return deals


def pair_of(action: int) -> tuple[Card, Card]:
    low, high = divmod(action - FIRST_DISCARD, 52)
    return card_of(low), card_of(high)


def replay(actions: list[list[int]]) -> tuple[int, int]:
    """Play the deals there with our rules, comparing every score; the number of cards and deals."""
    deals = deals_of(actions)
    decks = {
        f"deal/1/{number}": deck(
            deal.dealer, [tuple(deal.drawn[:6]), tuple(deal.drawn[6:12])], deal.drawn[12]
        )
        for number, deal in enumerate(deals, start=1)
        if len(deal.drawn) == 13
    }
    match = Match(Options(first_dealer=FirstDealer.SEAT_0), decks=decks, variant=AS_THERE)
    moves = [step for deal in deals for step in deal.steps]
    for step in moves:
        command = (
            Discard(pair_of(step.action))
            if step.action >= FIRST_DISCARD
            else Play(card_of(step.action))
        )
        before = match.state
        events = match.give(step.seat, command)
        if step is moves[-1]:
            assert step.scores in last_scores(before, events), step
        else:
            assert match.state.front == step.scores, step
    return len(moves), sum(isinstance(event, DealEnded) for event in match.events)


def last_scores(before: State, events: tuple[Event, ...]) -> list[tuple[int, int]]:
    """What the scores may be when the game is over there.

    A card that reaches 121 ends it before the point for go or last card, which is given there only
    when both seats have passed.
    """
    path = [state.front for state in accumulate(events, GAME.evolve, initial=before)]
    last = [e for e in events if isinstance(e, Scored) and e.items is not None and e.items.last]
    for event in last:
        front = list(before.front)
        front[event.seat] += event.points - 1
        path.append((front[0], front[1]))
    return path


def scores(state: pyspiel.State) -> list[int]:
    line = next(line for line in str(state).splitlines() if line.startswith("Scores:"))
    return [int(word) for word in line.split()[1:3]]


def random_games(number: int, seed: int) -> Iterator[list[list[int]]]:
    game, rng = pyspiel.load_game("cribbage"), random.Random(seed)
    for _ in range(number):
        state, actions = game.new_initial_state(), []
        while not state.is_terminal():
            player = state.current_player()
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            actions.append([player, action, 0, *scores(state), 0])
        yield actions


@pytest.mark.parametrize("row", rows("oracle_raw_sample.jsonl"), ids=lambda row: row["id"])
def test_recorded_game(row: dict[str, Any]) -> None:
    moves, deals = replay(row["actions"])

    assert moves > 60
    assert deals >= 6
    assert row["actions"][-1][3:5] == row["final"]


@pytest.mark.parametrize("seed", range(20))
def test_random_games_have_the_same_scores_after_every_move(seed: int) -> None:
    played = [replay(actions) for actions in random_games(11, seed)]

    assert sum(moves for moves, _ in played) > 11 * 60
