"""Chance whose outcomes are given."""

from __future__ import annotations

import pytest

from spielwerk.testing.chance import FixedChance


def test_outcomes_are_given_by_label_or_one_after_another() -> None:
    chance = FixedChance({"die/2": 6}, in_order=[1, 2])

    assert [chance.die("die/1"), chance.die("die/2"), chance.die("die/3")] == [1, 6, 2]
    assert chance.drawn == ["die/1", "die/2", "die/3"]


def test_the_first_items_of_a_shuffle_are_enough() -> None:
    chance = FixedChance({"deal": "ca"})

    assert chance.shuffle("deal", "aabcd") == ("c", "a", "a", "b", "d")


def test_a_shuffle_gives_each_item_once() -> None:
    with pytest.raises(ValueError, match="is no part of"):
        FixedChance({"deal": "aa"}).shuffle("deal", "abc")


def test_what_no_die_shows_is_refused() -> None:
    with pytest.raises(ValueError, match="no throw"):
        FixedChance(in_order=[7]).die("die")


def test_only_an_option_can_be_chosen() -> None:
    assert FixedChance(in_order=[1]).choose("dealer", (0, 1)) == 1
    with pytest.raises(ValueError, match="is not one of"):
        FixedChance(in_order=[2]).choose("dealer", (0, 1))


def test_a_draw_without_an_outcome_names_its_label() -> None:
    with pytest.raises(LookupError, match="deal/2"):
        FixedChance({"deal/1": ""}).shuffle("deal/2", "ab")
