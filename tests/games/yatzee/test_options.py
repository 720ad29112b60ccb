"""Clause 1: seats and options."""

from __future__ import annotations

from typing import Any

import pytest

from games.yatzee.scripted import Match
from spielwerk.errors import BadOptions
from spielwerk.games.game import Ranking
from spielwerk.games.options import specs
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import RoundEnded
from spielwerk.games.yatzee.options import Options


def test_1_1_two_to_five_seats() -> None:
    assert list(GAME.seats) == [2, 3, 4, 5]


def test_1_2_the_defaults_are_those_of_the_table() -> None:
    rules = Options()

    assert rules.budget_ms == 900_000
    assert (rules.sync, rules.reveal, rules.on_budget_exhausted) == (
        "throw",
        "barrier",
        "auto_enter",
    )
    assert (rules.yatzee_bonus, rules.full_house_five, rules.last_seat) == ("none", False, "ends")
    assert (rules.upper_bonus, rules.upper_threshold) == (35, 63)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time_budget_s", 0),
        ("time_budget_s", 901),
        ("time_budget_s", -1),
        ("time_budget_s", True),
        ("sync", "never"),
        ("reveal", "none"),
        ("on_budget_exhausted", "ignore"),
        ("yatzee_bonus", 100),
        ("full_house_five", 1),
        ("upper_bonus", 50),
        ("upper_threshold", 62),
        ("last_seat", "loses"),
    ],
)
def test_1_2_any_other_value_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BadOptions) as refused:
        Options(**{name: value})

    assert refused.value.metadata == {"option": name}


def test_1_2_each_option_says_what_it_means() -> None:
    assert all(spec.description for spec in specs(Options).values())


@pytest.mark.parametrize("seats", GAME.seats)
def test_1_3_a_match_is_one_game_of_13_rounds(seats: int) -> None:
    match = Match(seats)
    match.play_to_the_end()

    assert [event.round for event in match.of(RoundEnded)] == list(range(1, 14))
    assert all(not match.sheet(seat).open_rows for seat in range(seats))


def test_1_3_every_view_carries_the_options() -> None:
    match = Match(time_budget_s=60)
    views = [GAME.view(match.state, viewer) for viewer in (0, 1, None)]

    assert [view.options for view in views] == [Options(time_budget_s=60)] * 3


def test_the_ranking_divides_by_games_to_the_power_of_0_85_and_by_2() -> None:
    assert GAME.ranking == Ranking(offset=0, sign=1, k_milli=850, divisor=2)
