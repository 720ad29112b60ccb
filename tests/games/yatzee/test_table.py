"""Perfect solitaire play: the shipped table against published expectations and against itself."""

from __future__ import annotations

import random
from array import array
from functools import partial
from itertools import combinations

import pytest

from games.yatzee.scripted import FACTS, sheet_of
from spielwerk.games.yatzee.bots.outcomes import WEIGHT, Outcomes, outcomes
from spielwerk.games.yatzee.bots.solitaire import PAR, perfect, plan
from spielwerk.games.yatzee.bots.table import (
    THRESHOLD,
    UNIT,
    SolitaireTable,
    mask_of,
    packed,
    reachable_sums,
    solitaire_table,
    table_of,
    unpacked,
)
from spielwerk.games.yatzee.model import LOWER, ROWS, UPPER, Entry, Row, Sheet
from spielwerk.games.yatzee.options import Options
from spielwerk.testing.yatzee_table import Solver

FULL = (1 << len(ROWS)) - 1
TABLE = solitaire_table()
ONLY = FACTS["optimal_expectation_only_this_row_open_upper_sum_0"]


def expected(mask: int, upper: int = 0) -> float:
    return TABLE.worth(mask, upper) / UNIT


def without(*rows: Row) -> int:
    """All rows filled but these."""
    return FULL & ~sum(1 << ROWS.index(row) for row in rows)


def test_perfect_play_brings_245_870775_points() -> None:
    best = FACTS["optimal_expectation"]
    published = best["default rules (no yatzee bonus, no joker, five equal is no full house)"]

    assert TABLE.worth(0, 0) == round(published * UNIT) == 245_870_775


@pytest.mark.parametrize("row", Row)
def test_a_single_open_row_is_worth_what_is_published(row: Row) -> None:
    table = one_row_table(row)

    assert table / UNIT == pytest.approx(ONLY[row.value], abs=2 / UNIT)
    assert PAR[row] == round(1000 * ONLY[row.value])


def one_row_table(row: Row) -> int:
    """The worth of a sheet of which this row is open, and no points stand above."""
    solver = Solver().solve([without(row)])
    return int(solver.fine[without(row), 0]) // 1000


@pytest.mark.parametrize("row", LOWER)
def test_a_single_open_lower_row_stands_in_the_table_as_published(row: Row) -> None:
    assert expected(without(row), THRESHOLD) == pytest.approx(ONLY[row.value], abs=2 / UNIT)


def test_the_two_blocks_by_themselves_are_worth_what_is_published() -> None:
    assert expected(without(*LOWER), THRESHOLD) == pytest.approx(
        FACTS["only_lower_block_open"], abs=2 / UNIT
    )
    assert expected(without(*UPPER)) == pytest.approx(FACTS["only_upper_block_open"], abs=2 / UNIT)


def test_a_yatzee_comes_in_one_of_22_rounds_that_are_played_for_it() -> None:
    probability = expected(without(Row.YATZEE), THRESHOLD) / 50

    assert probability == pytest.approx(FACTS["yatzee_probability_three_throws"], abs=1 / UNIT)


def states(open_rows: int, number: int) -> list[tuple[int, int]]:
    """Some reachable (mask, upper sum) with so many open rows."""
    rng = random.Random(open_rows)
    found = []
    for _ in range(number):
        mask = FULL
        for bit in rng.sample(range(len(ROWS)), open_rows):
            mask &= ~(1 << bit)
        found.append((mask, rng.choice(reachable_sums(mask & 63))))
    return found


@pytest.mark.parametrize("open_rows", range(1, 14))
def test_what_a_sheet_is_worth_follows_from_the_sheets_after_it(open_rows: int) -> None:
    """The bots' own whole-number play of one round leads to the number in the table."""
    for mask, upper in states(open_rows, 3):
        round_of = plan(sheet_with(mask, upper), Options(), perfect)
        known = outcomes()
        first = [
            max(worth * WEIGHT**2, *[round_of.twice[keep] for keep in inner])
            for worth, inner in zip(round_of.worths, known.inner, strict=True)
        ]
        mean = known.expected(first)[0]

        assert abs(mean / WEIGHT**3 - TABLE.worth(mask, upper)) <= 1


def sheet_with(mask: int, upper: int) -> Sheet:
    """A sheet with these rows filled and this sum above (the numbers may not be rollable)."""
    points: list[int | None] = [0 if mask >> bit & 1 else None for bit in range(len(ROWS))]
    if upper:
        points[next(bit for bit in range(6) if mask >> bit & 1)] = upper
    sheet = Sheet(tuple(points))
    assert mask_of(sheet) == mask
    return sheet


def test_a_reduced_table_made_anew_is_the_shipped_one() -> None:
    """All sheets with at most three open rows."""
    bits = range(len(ROWS))
    masks = [FULL & ~sum(1 << b for b in some) for n in (1, 2, 3) for some in combinations(bits, n)]
    solver = Solver().solve(masks)
    for mask in masks:
        for upper in reachable_sums(mask & 63):
            assert (int(solver.fine[mask, upper]) + 500) // 1000 == TABLE.worth(mask, upper)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_whole_table_made_anew_is_the_shipped_one() -> None:
    solver = Solver().solve()

    assert solver.worths() == TABLE.worths
    best = FACTS["optimal_expectation"]
    exact = best["default rules (no yatzee bonus, no joker, five equal is no full house)"]
    assert int(solver.fine[0, 0]) / (1000 * UNIT) == pytest.approx(exact, abs=1e-8)


def test_the_file_holds_whole_numbers_in_any_byte_order() -> None:
    worths = array("I", [0, 1, 255, 256, 65_536, 245_870_775])

    assert unpacked(packed(worths)) == worths


def test_a_file_of_another_size_is_no_table() -> None:
    with pytest.raises(ValueError, match="3 worths"):
        table_of(array("I", [1, 2, 3]))


def test_sums_above_the_threshold_make_no_difference() -> None:
    mask = without(Row.CHANCE)

    assert {TABLE.worth(mask, upper) for upper in range(63, 106)} == {TABLE.worth(mask, 63)}
    assert isinstance(TABLE, SolitaireTable)


def test_reachable_sums_are_those_of_the_rows_filled() -> None:
    assert reachable_sums(0) == (0,)
    assert reachable_sums(0b000001) == (0, 1, 2, 3, 4, 5)
    assert reachable_sums(0b100000) == (0, 6, 12, 18, 24, 30)
    assert reachable_sums(0b111111)[-1] == THRESHOLD


def test_the_mean_of_a_keep_is_exact() -> None:
    known: Outcomes = outcomes()
    means = known.expected([sum(roll) for roll in known.rolls])
    mean = partial(means.__getitem__)

    assert mean(known.index[()]) == WEIGHT * 35 // 2  # five dice of 3.5
    assert mean(known.index[(6, 6)]) == WEIGHT * (12 + 21 // 2) + WEIGHT // 2
    assert mean(known.index[(1, 2, 3, 4, 5)]) == WEIGHT * 15


def test_the_bonus_is_counted_when_it_is_reached_and_not_before() -> None:
    before = sheet_of({"twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18})
    worth_of = perfect(before, Options())
    worth, missed = worth_of(Entry(Row.ONES, 3)), worth_of(Entry(Row.ONES, 2))

    assert worth - missed == 36 * UNIT + TABLE.worth(mask_of(before) | 1, 63) - TABLE.worth(
        mask_of(before) | 1, 62
    )
