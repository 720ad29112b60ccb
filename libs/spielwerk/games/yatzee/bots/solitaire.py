"""The best play of one round for a given idea of what a filled row is worth, in whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from spielwerk.games.yatzee.bots.outcomes import WEIGHT, outcomes
from spielwerk.games.yatzee.bots.table import THRESHOLD, UNIT, mask_of, solitaire_table
from spielwerk.games.yatzee.model import NUMBER, ROWS, THROWS, Dice, Entry, Row, Sheet
from spielwerk.games.yatzee.options import Options
from spielwerk.games.yatzee.scoring import allowed_rows, entry

Worth: TypeAlias = Callable[[Sheet, Options], Callable[[Entry], int]]
"""What it is worth to fill a row of the sheet so; any unit."""

PAR: Final = dict(
    zip(
        ROWS,
        (2106, 4213, 6319, 8426, 10532, 12639, 15195, 5611, 9072, 18463, 10444, 2301, 23333),
        strict=True,
    )
)
"""What a round brings on average that is played for this row alone, in thousandths."""


@dataclass(frozen=True, slots=True)
class Plan:
    """By roll: the best row and its worth; by keep: what throwing the rest is worth."""

    rows: tuple[Row, ...]
    worths: tuple[int, ...]
    once: tuple[int, ...]
    """With one throw left, times WEIGHT."""
    twice: tuple[int, ...]
    """With two throws left, times WEIGHT twice."""

    def row(self, dice: Dice) -> Row:
        """Where to enter the dice."""
        return self.rows[_roll(dice)]

    def keep(self, dice: Dice, throw: int) -> Dice | None:
        """What to keep after this throw, ascending; None to enter at once, also if equal."""
        roll = _roll(dice)
        if throw >= THROWS:
            return None
        means, weight = (self.twice, WEIGHT**2) if throw == 1 else (self.once, WEIGHT)
        known = outcomes()
        best = max(known.inner[roll], key=means.__getitem__)
        return None if self.worths[roll] * weight >= means[best] else known.keeps[best]


@lru_cache(maxsize=128)
def plan(sheet: Sheet, options: Options, worth: Worth) -> Plan:
    """The best play of the next round; the first row, or keep, of equals."""
    known = outcomes()
    worth_of = worth(sheet, options)
    rows, worths = [], []
    for dice in known.rolls:
        made = [entry(row, dice, sheet, options) for row in allowed_rows(dice, sheet, options)]
        values = [worth_of(way) for way in made]
        best = max(values)
        rows.append(made[values.index(best)].row)
        worths.append(best)
    once = known.expected(worths)
    twice = known.expected(known.improved(worths, once))
    return Plan(tuple(rows), tuple(worths), tuple(once), tuple(twice))


def above_par(_sheet: Sheet, _options: Options) -> Callable[[Entry], int]:
    """Points above what the row brings on average, in thousandths."""
    return lambda made: 1000 * (made.points + made.extra) - PAR[made.row]


def perfect(sheet: Sheet, options: Options) -> Callable[[Entry], int]:
    """Points now, and all that perfect play will bring with the sheet that is left."""
    table, mask, before = solitaire_table(), mask_of(sheet), sheet.sums(options).upper

    def worth_of(made: Entry) -> int:
        upper = before + (made.points if made.row in NUMBER else 0)
        bonus = options.upper_bonus if before < THRESHOLD <= upper else 0
        now = made.points + made.extra + bonus
        return UNIT * now + table.worth(mask | 1 << ROWS.index(made.row), upper)

    return worth_of


def _roll(dice: Dice) -> int:
    """The place of the dice among the rolls."""
    known = outcomes()
    return known.index[tuple(sorted(dice))] - known.first_roll
