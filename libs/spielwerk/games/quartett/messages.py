"""What players may do in Quartett and what then happened; the names are the storage format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.games.game import Resign, Seat, TimeOut
from spielwerk.games.quartett.deck import Value
from spielwerk.games.quartett.model import CardIds, EndReason


@dataclass(frozen=True, slots=True)
class Choose:
    """Compare the cards on top in this category."""

    category: str


Command: TypeAlias = Choose | Resign | TimeOut
COMMANDS = (Choose, Resign, TimeOut)


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins; id and hash of the deck are for display, the options hold the deck itself."""

    game_no: int
    deck_id: str
    deck_sha256: str
    counts: tuple[int, ...]
    first: Seat


@dataclass(frozen=True, slots=True)
class StackDealt:
    """The stack of a seat, the top card first; nobody sees the cards."""

    seat: Seat
    cards: CardIds
    count: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The seat chooses in this round."""

    seat: Seat
    round: int


@dataclass(frozen=True, slots=True)
class TopShown:
    """The card on top of the seat's stack, seen by that seat alone."""

    seat: Seat
    card: str


@dataclass(frozen=True, slots=True)
class Duel:
    """Both top cards were compared; `cards` and `values` by seat, `winner` None for a tie.

    `gained` are the cards that the winner put under its stack, in this order.
    """

    round: int
    chooser: Seat
    category: str
    cards: CardIds
    values: tuple[Value, ...]
    winner: Seat | None
    gained: CardIds
    auto: bool = False


@dataclass(frozen=True, slots=True)
class Resigned:
    """The seat gave up the match."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The seat's turn ended without a choice."""

    seat: Seat
    turn_key: str


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game is over; `winner` None if it is drawn, `pot` counts for nobody."""

    game_no: int
    winner: Seat | None
    reason: EndReason
    counts: tuple[int, ...]
    pot: CardIds


Event: TypeAlias = (
    GameStarted | StackDealt | TurnStarted | TopShown | Duel | Resigned | TimedOut | GameEnded
)
EVENTS = (
    GameStarted,
    StackDealt,
    TurnStarted,
    TopShown,
    Duel,
    Resigned,
    TimedOut,
    GameEnded,
)
