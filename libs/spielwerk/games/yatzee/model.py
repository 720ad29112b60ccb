"""The values of Yatzee: rows, sheets, what lies before each seat, the table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.games.game import Seat
from spielwerk.games.yatzee.options import Options

DICE: Final = 5
THROWS: Final = 3
"""Throws of a seat in one round, at most."""

Dice: TypeAlias = tuple[int, ...]
"""Pips by position 0 to 4."""
Hold: TypeAlias = tuple[int, ...]
"""Positions of locked dice, ascending."""


class Row(StrEnum):
    """The rows of a sheet in sheet order (clause 2.1)."""

    ONES = "ones"
    TWOS = "twos"
    THREES = "threes"
    FOURS = "fours"
    FIVES = "fives"
    SIXES = "sixes"
    THREE_OF_A_KIND = "three_of_a_kind"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    SMALL_STRAIGHT = "small_straight"
    LARGE_STRAIGHT = "large_straight"
    YATZEE = "yatzee"
    CHANCE = "chance"


ROWS: Final = tuple(Row)
UPPER: Final = ROWS[:6]
LOWER: Final = ROWS[6:]
NUMBER: Final = {row: number for number, row in enumerate(UPPER, start=1)}
"""The number that an upper row collects."""
ROUNDS: Final = len(ROWS)
_INDEX: Final = {row: index for index, row in enumerate(ROWS)}


class Status(StrEnum):
    """What a seat is at in a round (clause 3.2)."""

    CUP = "cup"
    TABLE = "table"
    WAIT = "wait"
    DONE = "done"


class EndReason(StrEnum):
    """Why a match ended."""

    ALL_ROUNDS_PLAYED = "all_rounds_played"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class Throw:
    """All five dice after a throw, and what was locked then for the next one."""

    dice: Dice
    hold: Hold = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A filled row; `extra` is the bonus of a further yatzee that was entered with it."""

    row: Row
    points: int
    extra: int = 0


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of a sheet (clause 2.6)."""

    upper: int
    bonus: int
    lower: int
    extra: int
    total: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """Points by row in sheet order, None for an open row; `extra` as in Sums."""

    points: tuple[int | None, ...] = (None,) * ROUNDS
    extra: int = 0

    def of(self, row: Row) -> int | None:
        """The points of a row, None if it is open."""
        return self.points[_INDEX[row]]

    @property
    def open_rows(self) -> tuple[Row, ...]:
        """The rows that are not filled, in sheet order."""
        return tuple([row for row, had in zip(ROWS, self.points, strict=True) if had is None])

    def with_entry(self, entry: Entry) -> Sheet:
        """The sheet with one more row filled."""
        place = _INDEX[entry.row]
        points = (*self.points[:place], entry.points, *self.points[place + 1 :])
        return Sheet(points, self.extra + entry.extra)

    def sums(self, options: Options) -> Sums:
        """Upper block, bonus (clause 2.4), lower block, extra."""
        upper = sum(filter(None, self.points[: len(UPPER)]))
        lower = sum(filter(None, self.points[len(UPPER) :]))
        bonus = options.upper_bonus if upper >= options.upper_threshold else 0
        return Sums(upper, bonus, lower, self.extra, upper + bonus + lower + self.extra)


@dataclass(frozen=True, slots=True)
class Face:
    """What lies open before a seat: the round so far and the sheet with it."""

    throws: tuple[Throw, ...] = ()
    entry: Entry | None = None
    sheet: Sheet = Sheet()


@dataclass(frozen=True, slots=True)
class Place:
    """One seat at the table.

    `own` is what the seat itself sees; `shown` is `own` as it was at the latest barrier.
    """

    status: Status = Status.CUP
    own: Face = Face()
    shown: Face = Face()
    used_ms: int = 0
    exhausted: bool = False
    """The budget is used up: the engine plays for the seat."""
    left: bool = False
    """The player has left: the engine plays for the seat."""

    @property
    def acting(self) -> bool:
        """Whether the seat must act; its clock runs then and only then."""
        return self.status in (Status.CUP, Status.TABLE)

    @property
    def absent(self) -> bool:
        """Whether the engine plays for the seat."""
        return self.exhausted or self.left

    @property
    def dice(self) -> Dice:
        """All five dice after the seat's latest throw, none before the first one."""
        return self.own.throws[-1].dice if self.own.throws else ()


@dataclass(frozen=True, slots=True)
class FinalScore:
    """What a seat has in the end; `time_bonus_milli` and `final_milli` in thousandths."""

    seat: Seat
    total: int
    used_ms: int
    time_bonus_milli: int
    final_milli: int
    place: int


@dataclass(frozen=True, slots=True)
class State:
    """A match of Yatzee; places and finals are by seat. Round 0 is before the start."""

    options: Options
    places: tuple[Place, ...]
    round: int = 0
    reason: EndReason | None = None
    """Set by the end of the match."""
    finals: tuple[FinalScore, ...] = ()
