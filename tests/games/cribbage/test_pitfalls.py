"""Bugs that other programs of this game had, each with its concrete case."""

from __future__ import annotations

import pytest

from games.cribbage.scripted import Match, cards, kept
from spielwerk.cards import Card
from spielwerk.errors import Illegal
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.counting import show
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CutForDeal,
    DealerChosen,
    GameEnded,
    GoDeclared,
    HandCounted,
    Play,
    Scored,
)
from spielwerk.games.cribbage.model import COUNT_VALUE, PIPS, PlayPoints, ScoredFor, ShowPoints, Skunk
from spielwerk.games.cribbage.options import Options
from spielwerk.games.cribbage.pegging import play_points


def laid(names: str) -> list[PlayPoints]:
    pips = [PIPS[card.rank] for card in cards(names)]
    counts = [sum(COUNT_VALUE[card.rank] for card in cards(names)[: n + 1]) for n in range(len(pips))]
    return [play_points(pips[: n + 1], count) for n, count in enumerate(counts)]


def test_a_jack_turned_up_gave_every_player_nobs() -> None:
    assert show(cards("2H 2C 4D 6S"), Card.parse("JH")) == ShowPoints(pairs=2)
    match = kept("2H 2C 4D 6S", "3H 3C 5D 7S", starter="JH", dealer=0)
    assert match.state.front == (2, 0)


def test_three_hand_cards_and_the_starter_were_a_flush() -> None:
    assert show(cards("2H 4H 6H 8D"), Card.parse("TH")).total == 0


def test_equal_ranks_apart_were_a_pair_in_the_play() -> None:
    assert [points.total for points in laid("6D 5S 6C 5C")] == [0, 0, 0, 0]


def test_the_pegs_did_not_match_the_score() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S").at((10, 0))
    state = match.state
    board = []
    for points in (4, 0, 1):
        state = GAME.evolve(state, Scored(0, ScoredFor.PLAY, points, points))
        board.append((state.front[0], state.back[0]))

    assert board == [(14, 10), (14, 10), (15, 14)]


def test_the_computer_played_beyond_31_instead_of_saying_go() -> None:
    match = kept("TC 5H 2C 3C", "TD KD QD 9D", dealer=0)
    events = match.play("TD", "TC") + match.play  # type: ignore[operator]
    assert events
