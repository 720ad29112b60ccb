"""What dice are worth in each row, and which rows they may fill (clause 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from spielwerk.games.yatzee.model import LOWER, NUMBER, UPPER, Dice, Entry, Row, Sheet
from spielwerk.games.yatzee.options import Options, YatzeeBonus

EXTRA_YATZEE: Final = 100
FULL_HOUSE: Final = 25
SMALL_STRAIGHT: Final = 30
LARGE_STRAIGHT: Final = 40
YATZEE: Final = 50

_SMALL: Final = tuple(frozenset(range(low, low + 4)) for low in (1, 2, 3))
_LARGE: Final = tuple(frozenset(range(low, low + 5)) for low in (1, 2))


def allowed_rows(dice: Dice, sheet: Sheet, options: Options) -> tuple[Row, ...]:
    """The open rows that may be chosen, in sheet order; a joker restricts them (clause 2.8)."""
    rows = sheet.open_rows
    if not is_joker(dice, sheet, options):
        return rows
    own = UPPER[dice[0] - 1]
    if own in rows:
        return (own,)
    return tuple(row for row in rows if row in LOWER) or rows


def entry(row: Row, dice: Dice, sheet: Sheet, options: Options) -> Entry:
    """The row filled with the dice, with the bonus of a further yatzee."""
    joker = is_joker(dice, sheet, options)
    further = joker and sheet.of(Row.YATZEE) == YATZEE
    points = _JOKER.get(row) if joker else None
    if points is None:
        points = row_points(row, dice, five_is_full_house=options.full_house_five)
    return Entry(row, points, EXTRA_YATZEE if further else 0)


def row_points(row: Row, dice: Dice, *, five_is_full_house: bool = False) -> int:
    """Points of five dice in any order; 0 strikes the row."""
    if row is Row.FULL_HOUSE and five_is_full_house and _most_equal(dice) == 5:
        return FULL_HOUSE
    return _POINTS[row](dice)


def is_joker(dice: Dice, sheet: Sheet, options: Options) -> bool:
    """Whether the dice are a further yatzee under the rule of that bonus."""
    return (
        options.yatzee_bonus is YatzeeBonus.HASBRO
        and sheet.of(Row.YATZEE) is not None
        and _most_equal(dice) == 5
    )


def _upper(number: int) -> Callable[[Dice], int]:
    return lambda dice: number * dice.count(number)


def _kind(least: int) -> Callable[[Dice], int]:
    return lambda dice: sum(dice) if _most_equal(dice) >= least else 0


def _full_house(dice: Dice) -> int:
    return FULL_HOUSE if sorted(map(dice.count, set(dice))) == [2, 3] else 0


def _small_straight(dice: Dice) -> int:
    return SMALL_STRAIGHT if any(four.issubset(dice) for four in _SMALL) else 0


def _large_straight(dice: Dice) -> int:
    return LARGE_STRAIGHT if any(five.issubset(dice) for five in _LARGE) else 0


def _yatzee(dice: Dice) -> int:
    return YATZEE if _most_equal(dice) == 5 else 0


def _most_equal(dice: Dice) -> int:
    return max(map(dice.count, dice), default=0)


_POINTS: Final[Mapping[Row, Callable[[Dice], int]]] = {
    **{row: _upper(number) for row, number in NUMBER.items()},
    Row.THREE_OF_A_KIND: _kind(3),
    Row.FOUR_OF_A_KIND: _kind(4),
    Row.FULL_HOUSE: _full_house,
    Row.SMALL_STRAIGHT: _small_straight,
    Row.LARGE_STRAIGHT: _large_straight,
    Row.YATZEE: _yatzee,
    Row.CHANCE: sum,
}

_JOKER: Final[Mapping[Row, int]] = {
    Row.FULL_HOUSE: FULL_HOUSE,
    Row.SMALL_STRAIGHT: SMALL_STRAIGHT,
    Row.LARGE_STRAIGHT: LARGE_STRAIGHT,
}
"""What a joker brings in rows whose condition it does not meet."""
