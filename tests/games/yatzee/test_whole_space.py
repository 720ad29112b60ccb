"""All 7,776 throws of five dice against the published counts."""

from __future__ import annotations

from collections import Counter
from itertools import product

from games.yatzee.scripted import FACTS
from spielwerk.games.yatzee.bots.outcomes import WEIGHT, outcomes
from spielwerk.games.yatzee.model import DICE, UPPER, Row
from spielwerk.games.yatzee.scoring import row_points

ALL = [{row: row_points(row, dice) for row in Row} for dice in product(range(1, 7), repeat=DICE)]


def test_there_are_as_many_throws_rolls_and_keeps_as_published() -> None:
    assert len(ALL) == WEIGHT == FACTS["rolls"]
    assert len(outcomes().rolls) == FACTS["distinct_rolls"]
    assert len(outcomes().keeps) == FACTS["distinct_keeps"]


def test_as_many_throws_score_in_each_row_as_published() -> None:
    score = Counter(row for points in ALL for row in Row if points[row])
    published = dict(FACTS["rolls_that_score"])
    above = published.pop("ones..sixes each")

    assert {row.value: score[row] for row in Row} == {
        **{row.value: above for row in UPPER},
        **published,
    }


def test_the_points_of_each_row_add_up_to_the_published_sums() -> None:
    sums = {row.value: sum(points[row] for points in ALL) for row in Row}

    assert sums == FACTS["points_sum_over_7776"]
