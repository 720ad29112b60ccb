"""Clauses 1 and 2: options and cards."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from games.cribbage.scripted import dealt
from spielwerk.cards import Rank, french_pack
from spielwerk.errors import BadOptions
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import COMMANDS, EVENTS
from spielwerk.games.cribbage.model import COUNT_VALUE, ORDER, PIPS
from spielwerk.games.cribbage.options import FirstDealer, OnTimeout, Options
from spielwerk.games.options import defaults

LOW = ("AC 2C 3C 4C 5C 6C", "AD 2D 3D 4D 5D 6D")


def test_1_1_cribbage_has_two_seats() -> None:
    assert list(GAME.seats) == [2]


def test_1_2_the_defaults_are_those_of_the_table() -> None:
    assert Options() == Options(
        target=121,
        heels=2,
        first_dealer=FirstDealer.CUT,
        auto_go=True,
        games_to_win=1,
        skunk=False,
        action_timeout_s=60,
        on_timeout=OnTimeout.AUTO_PLAY,
        max_timeouts_in_row=3,
    )


@pytest.mark.parametrize(("mode", "seconds"), [("queue", 60), ("room", 60), ("practice", 0)])
def test_1_2_only_practice_has_no_time_limit_by_default(mode: str, seconds: int) -> None:
    assert defaults(Options, mode) == defaults(Options, "queue") | {"action_timeout_s": seconds}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", 61),
        ("heels", 0),
        ("first_dealer", FirstDealer.SEAT_1),
        ("auto_go", False),
        ("games_to_win", 100),
        ("skunk", True),
        ("action_timeout_s", 0),
        ("action_timeout_s", 10),
        ("action_timeout_s", 600),
        ("on_timeout", OnTimeout.FORFEIT),
        ("max_timeouts_in_row", 1),
    ],
)
def test_1_2_values_of_the_table_are_accepted(name: str, value: Any) -> None:
    assert getattr(Options(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", 120),
        ("target", "121"),
        ("heels", 1),
        ("heels", True),
        ("first_dealer", "loser"),
        ("auto_go", 1),
        ("games_to_win", 0),
        ("games_to_win", 101),
        ("skunk", None),
        ("action_timeout_s", 9),
        ("action_timeout_s", 601),
        ("action_timeout_s", -1),
        ("on_timeout", "skip"),
        ("max_timeouts_in_row", 0),
    ],
)
def test_1_2_anything_else_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BadOptions) as refused:
        Options(**{name: value})
    assert refused.value.metadata == {"option": name}


def test_1_3_every_view_carries_the_options() -> None:
    match = dealt(*LOW, target=61)

    assert {GAME.view(match.state, seat).options for seat in (0, 1, None)} == {match.state.options}


def test_1_4_nothing_in_a_match_knows_coins() -> None:
    words = {field.name for cls in (*COMMANDS, *EVENTS, Options) for field in fields(cls)}
    words |= {cls.__name__.lower() for cls in (*COMMANDS, *EVENTS)}

    assert not [word for word in words if "coin" in word or "price" in word]


def test_2_1_the_pack_has_52_cards() -> None:
    assert len(set(french_pack())) == len(french_pack()) == 52


def test_2_2_the_ace_is_the_lowest_rank_and_the_king_the_highest() -> None:
    assert PIPS[Rank.ACE] == 1
    assert PIPS[Rank.KING] == 13


def test_2_3_court_cards_count_ten() -> None:
    assert [COUNT_VALUE[rank] for rank in Rank] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


def test_2_4_the_canonical_order_is_by_rank_then_suit() -> None:
    assert [str(card) for card in sorted(ORDER, key=ORDER.__getitem__)][:5] == [
        "AC",
        "AD",
        "AH",
        "AS",
        "2C",
    ]
