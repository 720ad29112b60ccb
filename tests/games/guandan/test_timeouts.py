"""Clauses 11 and 13: clocks, turn keys, default actions, labels."""

from __future__ import annotations

from typing import Any

import pytest

from games.guandan.scripted import Match, after_deal, card, cards, return_of, table, whole
from spielwerk.errors import StaleTurn
from spielwerk.games.game import TimeOut, Turn
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.messages import (
    CardReturned,
    CombinationPlayed,
    DealStarted,
    NextDeal,
    Passed,
    Restart,
)


def returning(**options: Any) -> Match:
    hands = whole("RJ 3S 2H", "AS", "RJ 4S", "AD BJ")
    match = after_deal((0, 2, 1, 3), hands, level="9", **options)
    match.give(0, NextDeal())
    return match


def test_11_1_each_kind_of_turn_has_its_clock_and_its_key() -> None:
    match = Match(leader=1).begin()
    assert GAME.turns(match.state) == {1: Turn("1.1.p0", 60_000)}

    assert GAME.turns(returning().state) == {
        0: Turn("1.3.return", 30_000),
        2: Turn("1.3.return", 30_000),
    }
    between = after_deal((0, 2, 1, 3), bots=(2,))
    assert GAME.turns(between.state) == {seat: Turn("1.2.next", 10_000) for seat in (0, 1, 3)}


def test_11_1_without_seconds_nobody_is_hurried() -> None:
    match = returning(return_seconds=0, move_seconds=0)
    assert {turn.allowance_ms for turn in GAME.turns(match.state).values()} == {None}
    match.give_all_back()
    assert {turn.allowance_ms for turn in GAME.turns(match.state).values()} == {None}


def test_11_1_another_seats_return_leaves_the_clock_of_the_first_running() -> None:
    match = returning()
    before = GAME.turns(match.state)[0]
    match.give(2, return_of("4S"))

    assert GAME.turns(match.state) == {0: before}


def test_11_1_agreeing_to_a_restart_changes_the_own_key_alone() -> None:
    match = Match(leader=1).begin()
    match.give(0, Restart())
    assert GAME.turns(match.state)[1].key == "1.1.p0"
    match.give(1, Restart())

    assert GAME.turns(match.state)[1].key == "1.1.p0r"


def test_11_2_a_follower_passes() -> None:
    match = table("3S 4S", "5S 6S", "7S", "8S")
    match.play("3S")

    assert match.expire(1) == (Passed(1, auto=True),)


@pytest.mark.parametrize(
    ("hand", "level", "weakest"),
    [
        ("4S 3D 3C KS", "2", "3C"),
        ("9H 9S RJ", "9", "9S"),
        ("9H BJ RJ", "9", "9H"),
        ("RJ BJ", "9", "BJ"),
        ("2S AS", "2", "AS"),
    ],
)
def test_11_2_a_leader_plays_its_weakest_card(hand: str, level: str, weakest: str) -> None:
    match = table(hand, "5S 6S", "7S", "8S", level=level)
    event = match.expire(0)[0]

    assert isinstance(event, CombinationPlayed)
    assert (event.cards, event.auto) == (cards(weakest), True)


def test_11_2_a_receiver_returns_its_weakest_allowed_card() -> None:
    match = returning()

    assert match.expire(0)[0] == CardReturned(0, 3, card("2C"), auto=True)


def test_11_2_the_next_deal_starts() -> None:
    match = after_deal((0, 2, 1, 3))
    event = match.expire(2)[0]

    assert isinstance(event, DealStarted)
    assert event.auto


def test_11_2_only_the_open_turn_times_out() -> None:
    match = table("3S 4S", "5S 6S", "7S", "8S")
    for seat, key in ((0, "1.1.p1"), (1, "1.1.p0")):
        with pytest.raises(StaleTurn):
            GAME.decide(match.state, None, TimeOut(seat, key), match.context)


def test_13_1_each_draw_has_a_label_of_its_own() -> None:
    match = Match().begin()
    for seat in range(4):
        match.give(seat, Restart())

    assert match.chance.drawn == ["deal/1/1", "leader/1", "deal/2/1", "leader/2"]
    match = after_deal((0, 2, 1, 3))
    match.give(0, NextDeal())
    assert match.chance.drawn[-1] == "deal/1/3"
