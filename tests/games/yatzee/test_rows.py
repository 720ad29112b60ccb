"""Clause 2: rows and points."""

from __future__ import annotations

from itertools import permutations

import pytest

from games.yatzee.scripted import Match, sheet_of
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import Enter, RoundEnded, RowEntered
from spielwerk.games.yatzee.model import LOWER, UPPER, Dice, Entry, Row, Sheet
from spielwerk.games.yatzee.options import Options, YatzeeBonus
from spielwerk.games.yatzee.scoring import allowed_rows, entry, row_points

HASBRO = Options(yatzee_bonus=YatzeeBonus.HASBRO)
SIXES: Dice = (6, 6, 6, 6, 6)


def test_2_1_thirteen_rows_six_of_them_above() -> None:
    assert [row.value for row in UPPER] == ["ones", "twos", "threes", "fours", "fives", "sixes"]
    assert [row.value for row in LOWER] == [
        "three_of_a_kind",
        "four_of_a_kind",
        "full_house",
        "small_straight",
        "large_straight",
        "yatzee",
        "chance",
    ]


@pytest.mark.parametrize("number", range(1, 7))
def test_2_2_an_upper_row_is_the_sum_of_its_number(number: int) -> None:
    other = 7 - number

    assert row_points(UPPER[number - 1], (number, other, number, number, other)) == 3 * number
    assert row_points(UPPER[number - 1], (other,) * 5) == 0


@pytest.mark.parametrize(
    ("row", "dice", "points"),
    [
        (Row.THREE_OF_A_KIND, (3, 3, 3, 5, 6), 20),
        (Row.THREE_OF_A_KIND, (3, 3, 4, 5, 6), 0),
        (Row.FOUR_OF_A_KIND, (5, 5, 5, 5, 2), 22),
        (Row.FOUR_OF_A_KIND, (5, 5, 5, 2, 2), 0),
        (Row.FULL_HOUSE, (2, 2, 3, 3, 3), 25),
        (Row.FULL_HOUSE, (2, 2, 3, 3, 4), 0),
        (Row.FULL_HOUSE, (5, 5, 5, 5, 2), 0),
        (Row.SMALL_STRAIGHT, (3, 3, 4, 5, 6), 30),
        (Row.SMALL_STRAIGHT, (1, 2, 3, 5, 6), 0),
        (Row.LARGE_STRAIGHT, (2, 3, 4, 5, 6), 40),
        (Row.LARGE_STRAIGHT, (1, 2, 3, 4, 6), 0),
        (Row.YATZEE, (2, 2, 2, 2, 2), 50),
        (Row.YATZEE, (2, 2, 2, 2, 3), 0),
        (Row.CHANCE, (1, 1, 1, 1, 1), 5),
    ],
)
def test_2_3_each_lower_row_has_its_condition(row: Row, dice: Dice, points: int) -> None:
    assert row_points(row, dice) == points


def test_2_4_exactly_63_bring_the_bonus_and_62_do_not() -> None:
    just = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}

    assert sheet_of(just).sums(Options()).bonus == 35
    assert sheet_of(just | {"ones": 2}).sums(Options()).bonus == 0


def test_2_4_the_bonus_is_shown_as_soon_as_it_is_reached_and_stays() -> None:
    match = Match()
    bonuses = []
    for number in (6, 5, 4, 3, 2, 1):
        match.turn(1, match.sheet(1).open_rows[0])
        match.turn(0, UPPER[number - 1], *[number] * 5)
        bonuses.append(match.of(RoundEnded)[-1].sums[0].bonus)

    assert bonuses == [0, 0, 35, 35, 35, 35]  # 30 + 25 + 20 are enough


@pytest.mark.parametrize("row", Row)
def test_2_5_any_open_row_takes_any_dice(row: Row) -> None:
    match = Match()
    match.roll(0, 1, 1, 2, 4, 6)
    (entered,) = match.enter(0, row)

    assert isinstance(entered, RowEntered)
    assert entered.struck == (entered.points == 0)
    assert match.sheet(0).of(row) == entered.points == row_points(row, (1, 1, 2, 4, 6))


def test_2_5_a_struck_row_is_closed_for_good() -> None:
    match = Match()
    match.turn(0, Row.YATZEE, 1, 2, 3, 4, 6)
    match.turn(1, Row.CHANCE)
    match.roll(0, *SIXES)

    assert match.refusal(0, Enter(Row.YATZEE)) == "row_filled"
    assert match.sheet(0).of(Row.YATZEE) == 0


def test_2_6_the_total_is_upper_bonus_lower_and_extra() -> None:
    sheet = sheet_of({"fives": 25, "sixes": 30, "threes": 9, "chance": 20}, extra=100)
    sums = sheet.sums(Options())

    assert (sums.upper, sums.bonus, sums.lower, sums.extra, sums.total) == (64, 35, 20, 100, 219)


def test_2_6_a_player_reaches_at_least_5_points() -> None:
    match = Match()
    worst = {row: (2, 2, 3, 4, 6) if row is Row.ONES else (1, 1, 1, 1, 3) for row in UPPER}
    worst |= dict.fromkeys(LOWER, (1, 1, 2, 4, 6)) | {Row.CHANCE: (1, 1, 1, 1, 1)}
    for row, dice in worst.items():
        match.turn(0, row, *((1, 1, 1, 1, 2) if row is Row.THREES else dice))
        match.turn(1, row)

    assert match.state.finals[0].total == 5


@pytest.mark.parametrize("number", range(1, 7))
def test_2_7_five_equal_dice_are_a_full_house_by_option_only(number: int) -> None:
    dice = (number,) * 5
    usual = entry(Row.FULL_HOUSE, dice, Sheet(), Options())
    by_option = entry(Row.FULL_HOUSE, dice, Sheet(), Options(full_house_five=True))

    assert (usual.points, by_option.points) == (0, 25)


def test_2_8_a_further_yatzee_brings_100_each_time_if_the_row_has_50() -> None:
    match = Match(yatzee_bonus=YatzeeBonus.HASBRO)
    extras = []
    for row in (Row.YATZEE, Row.SIXES, Row.CHANCE):
        match.roll(0, *SIXES)
        (entered,) = match.enter(0, row)
        extras.append(entered.extra)  # type: ignore[union-attr]
        match.turn(1, match.sheet(1).open_rows[0])

    assert extras == [0, 100, 100]
    sums = match.sheet(0).sums(match.options)
    assert (sums.upper, sums.lower, sums.extra, sums.total) == (30, 80, 200, 310)


def test_2_8_after_a_struck_yatzee_it_is_a_joker_without_the_100() -> None:
    sheet = sheet_of({"yatzee": 0, "sixes": 18})

    assert entry(Row.LARGE_STRAIGHT, SIXES, sheet, HASBRO) == Entry(Row.LARGE_STRAIGHT, 40, 0)


def test_2_8_the_first_yatzee_is_no_joker() -> None:
    assert allowed_rows(SIXES, Sheet(), HASBRO) == tuple(Row)
    assert entry(Row.LARGE_STRAIGHT, SIXES, Sheet(), HASBRO) == Entry(Row.LARGE_STRAIGHT, 0, 0)


def test_2_8_a_joker_must_use_its_upper_row_if_that_is_open() -> None:
    match = Match(yatzee_bonus=YatzeeBonus.HASBRO)
    match.turn(0, Row.YATZEE, *SIXES)
    match.turn(1, Row.CHANCE)
    match.roll(0, *SIXES)

    assert match.refusal(0, Enter(Row.CHANCE)) == "joker_row"
    assert [c for c in GAME.legal(match.state, 0) if isinstance(c, Enter)] == [Enter(Row.SIXES)]


def test_2_8_else_a_joker_goes_into_any_open_lower_row_with_its_full_points() -> None:
    sheet = sheet_of({"yatzee": 50, "sixes": 30, "chance": 20})
    rows = allowed_rows(SIXES, sheet, HASBRO)

    assert rows == LOWER[:5]
    assert [entry(row, SIXES, sheet, HASBRO).points for row in rows] == [30, 30, 25, 30, 40]


def test_2_8_else_a_joker_strikes_an_upper_row() -> None:
    sheet = sheet_of(dict.fromkeys([*map(str, LOWER), "sixes"], 0) | {"yatzee": 50})
    rows = allowed_rows(SIXES, sheet, HASBRO)

    assert rows == UPPER[:5]
    assert {entry(row, SIXES, sheet, HASBRO) for row in rows} == {
        Entry(row, 0, 100) for row in UPPER[:5]
    }


def test_2_8_without_the_option_nothing_of_it_holds() -> None:
    sheet = sheet_of({"yatzee": 50, "sixes": 30})

    assert allowed_rows(SIXES, sheet, Options()) == sheet.open_rows
    assert entry(Row.FULL_HOUSE, SIXES, sheet, Options()) == Entry(Row.FULL_HOUSE, 0, 0)


def test_2_9_the_order_of_the_dice_means_nothing() -> None:
    for dice in ((1, 3, 4, 5, 6), (2, 2, 3, 3, 3), (1, 2, 3, 4, 5)):
        found = {tuple(row_points(row, order) for row in Row) for order in permutations(dice)}
        assert len(found) == 1


def test_2_9_dice_may_fill_a_row_whose_weaker_condition_they_meet() -> None:
    assert row_points(Row.SMALL_STRAIGHT, (1, 2, 3, 4, 5)) == 30
    assert row_points(Row.THREE_OF_A_KIND, (5, 5, 5, 5, 5)) == 25
    assert row_points(Row.FOUR_OF_A_KIND, (5, 5, 5, 5, 5)) == 25
