"""What players may do in Yatzee and what then happened; the names are the storage format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.games.game import Resign, Seat, TimeOut
from spielwerk.games.yatzee.model import Dice, EndReason, FinalScore, Hold, Row, Sums, Throw


@dataclass(frozen=True, slots=True)
class Roll:
    """Throw all dice that are not locked."""


@dataclass(frozen=True, slots=True)
class NextThrow:
    """Lock the dice at these positions, put the others back into the cup."""

    hold: Hold


@dataclass(frozen=True, slots=True)
class Enter:
    """Enter the dice in an open row, or strike it."""

    row: Row


Command: TypeAlias = Roll | NextThrow | Enter | Resign | TimeOut
COMMANDS = (Roll, NextThrow, Enter, Resign, TimeOut)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a seat has done in the round so far; `row` None: nothing entered yet."""

    seat: Seat
    throws: tuple[Throw, ...]
    row: Row | None
    points: int
    struck: bool
    extra: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """All seats have the cup."""

    round: int


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """A seat threw the dice at `thrown`; others than the seat see that only until the barrier."""

    seat: Seat
    round: int
    throw: int
    thrown: Hold
    dice: Dice
    spent_ms: int
    auto: bool = False


@dataclass(frozen=True, slots=True)
class DiceHeld:
    """A seat asked for its next throw; others do not see what it holds until the barrier."""

    seat: Seat
    hold: Hold
    spent_ms: int


@dataclass(frozen=True, slots=True)
class ThrowOpened:
    """A barrier: all who waited have the cup for this throw; the round so far lies open."""

    throw: int
    seats: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class RowEntered:
    """A seat filled a row; others see neither row, dice nor points until the barrier."""

    seat: Seat
    row: Row | None
    dice: Dice
    points: int
    struck: bool
    extra: int
    spent_ms: int
    auto: bool = False


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A barrier: all have filled a row; the round lies open. Sums are by seat."""

    round: int
    seats: tuple[Shown, ...]
    sums: tuple[Sums, ...]


@dataclass(frozen=True, slots=True)
class BudgetExhausted:
    """The seat's time is used up, `spent_ms` being the last of it; the engine plays for it."""

    seat: Seat
    spent_ms: int


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """The seat's player gave up; what was left of its time is lost."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over; `unfinished` opens a round that was broken off."""

    reason: EndReason
    finals: tuple[FinalScore, ...]
    unfinished: tuple[Shown, ...]


Event: TypeAlias = (
    RoundStarted
    | DiceRolled
    | DiceHeld
    | ThrowOpened
    | RowEntered
    | RoundEnded
    | BudgetExhausted
    | PlayerLeft
    | MatchEnded
)
EVENTS = (
    RoundStarted,
    DiceRolled,
    DiceHeld,
    ThrowOpened,
    RowEntered,
    RoundEnded,
    BudgetExhausted,
    PlayerLeft,
    MatchEnded,
)
