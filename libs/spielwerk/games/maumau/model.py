"""The values of Mau-Mau: the table of one game, and the match around it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spielwerk.cards import AnyCard, Suit
from spielwerk.games.game import Seat
from spielwerk.games.maumau.cards import Cards, fits
from spielwerk.games.maumau.options import Options


class DrawReason(StrEnum):
    """Why cards were taken."""

    DRAW = "draw"
    SEVENS = "sevens"
    TIMEOUT = "timeout"
    NOT_ANNOUNCED = "not_announced"


class LeftReason(StrEnum):
    """Why a seat is out of the match."""

    RESIGNED = "resigned"
    AWAY = "away"


class EndReason(StrEnum):
    """Why a game ended."""

    MAUMAU = "maumau"
    BLOCKED = "blocked"
    TURN_LIMIT = "turn_limit"
    RESIGNED = "resigned"
    AWAY = "away"


@dataclass(frozen=True, slots=True)
class Holding:
    """Cards of one seat."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended; points and places by seat. `winner` is None where no hand ran out."""

    game: int
    reason: EndReason
    winner: Seat | None
    points: tuple[int, ...]
    places: tuple[int, ...]
    hands: tuple[Holding, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One game under way; tuples are by seat unless they say otherwise."""

    game: int
    """Counts from 1."""
    starter: Seat
    hands: tuple[Cards, ...]
    talon: Cards
    """The first card is drawn next."""
    announced: tuple[bool, ...]
    pile: Cards = ()
    """The last card lies open."""
    direction: int = 1
    """+1 clockwise, -1 counter-clockwise."""
    turn: Seat | None = None
    turn_no: int = 0
    again: bool = False
    """The turn was earned with an eight."""
    pending: int = 0
    """Cards that unanswered sevens ask for."""
    wish: Suit | None = None
    idle: tuple[Seat, ...] = ()
    """Seats, in order, whose latest turns in a row moved no card."""
    reshuffles: int = 0
    used_ms: int = 0
    """What was used of the running turn before its announcement."""

    @property
    def upcard(self) -> AnyCard:
        """The open card."""
        return self.pile[-1]

    def fitting(self, seat: Seat) -> Cards:
        """The seat's cards that may be laid now, in the order held."""
        upcard, wish, pending = self.pile[-1], self.wish, self.pending
        return tuple([card for card in self.hands[seat] if fits(card, upcard, wish, pending)])


@dataclass(frozen=True, slots=True)
class State:
    """A match of Mau-Mau; tuples are by seat unless they say otherwise."""

    options: Options
    seats: int
    totals: tuple[int, ...]
    wins: tuple[int, ...]
    played: tuple[int, ...]
    """Games in which the seat had cards."""
    timeouts: tuple[int, ...]
    """In a row."""
    table: Table | None = None
    left: tuple[Seat, ...] = ()
    """Seats that are out, the first one first."""
    last: Ending | None = None
    """The latest game that ended."""
    places: tuple[int, ...] = ()
    """Of the match; empty while it runs."""

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return bool(self.places)

    @property
    def active(self) -> tuple[Seat, ...]:
        """Seats that are still in the match."""
        return tuple([seat for seat in range(self.seats) if seat not in self.left])
