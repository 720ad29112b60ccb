"""Seats and options (clause 1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.house_of_cards.scripted import Match
from spielwerk.errors import BadOptions
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.options import (
    USUAL_CREDITS,
    CreditStep,
    JokerRemoves,
    Options,
)
from spielwerk_rules import catalogue

OPEN = "KC KD 4S 5H 6C 7D 8H 9S 2C 3D"


def test_1_1_one_to_six_seats_build_each_alone() -> None:
    assert list(GAME.seats) == [1, 2, 3, 4, 5, 6]
    game = Match(OPEN, seats=6)
    game.do("roof 1 0 0 1", seat=4)

    assert [site.house.points for site in game.state.sites] == [0, 0, 0, 0, 20, 0]
    assert sorted(GAME.turns(game.state)) == [0, 1, 2, 3, 4, 5]


def test_1_2_the_defaults_are_those_of_the_source() -> None:
    options = Options()

    assert (options.open, options.bonus_per_card, options.bonus_counts_open) == (5, 2, True)
    assert options.joker_removes is JokerRemoves.STOREY
    assert (options.time_limit_s, options.idle_limit_s) == (0, 600)
    assert options.credits == USUAL_CREDITS


@pytest.mark.parametrize(
    "wrong",
    [
        {"open": 2},
        {"open": 8},
        {"joker_removes": "all"},
        {"bonus_per_card": -1},
        {"bonus_per_card": 11},
        {"bonus_counts_open": 1},
        {"time_limit_s": 59},
        {"idle_limit_s": 9},
        {"idle_limit_s": 86_401},
        {"credits": ()},
        {"credits": (CreditStep(1, 0),)},
        {"credits": (CreditStep(0, 0), CreditStep(0, 1))},
        {"credits": (CreditStep(0, 0), CreditStep(9, 1), CreditStep(8, 2))},
        {"credits": (CreditStep(0, -1),)},
        {"credits": tuple(CreditStep(least, 0) for least in range(65))},
    ],
    ids=str,
)
def test_1_2_values_outside_the_table_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadOptions) as refused:
        Options(**wrong)

    assert refused.value.metadata["option"] == next(iter(wrong))


@pytest.mark.parametrize("number", [3, 7])
def test_1_2_so_many_cards_lie_open(number: int) -> None:
    game = Match(OPEN, open=number)

    assert len(game.open) == number


def test_1_3_every_view_carries_the_options() -> None:
    game = Match(OPEN, seats=2, bonus_per_card=3)

    assert all(GAME.view(game.state, viewer).options.bonus_per_card == 3 for viewer in (0, 1, None))


def test_1_3_the_table_of_credits_can_be_read_before_the_start() -> None:
    told = {item.name: item.defaults for item in catalogue.rules("house_of_cards", "en").options}

    table = json.loads(told["credits"]["queue"])
    assert table[-1] == {"minimum": 500, "credits": 100}
    assert len(table) == len(USUAL_CREDITS)
