"""What players may do in Mau-Mau and what then happened; the names are the storage format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.cards import AnyCard, Suit
from spielwerk.games.game import Resign, Seat, TimeOut
from spielwerk.games.maumau.cards import Cards
from spielwerk.games.maumau.model import DrawReason, EndReason, Holding, LeftReason


@dataclass(frozen=True, slots=True)
class Play:
    """Lay a card; a jack says which suit must follow, unless it is the last card."""

    card: AnyCard
    wish: Suit | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """Take one card, or all cards that sevens ask for."""


@dataclass(frozen=True, slots=True)
class Announce:
    """Say "last card" before laying one of two cards."""


Command: TypeAlias = Play | Draw | Announce | Resign | TimeOut
COMMANDS = (Play, Draw, Announce, Resign, TimeOut)


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game of the match begins; nobody sees the deck."""

    game: int
    starter: Seat
    deck: Cards


@dataclass(frozen=True, slots=True)
class HandDealt:
    """The first cards of a seat, seen by that seat alone."""

    seat: Seat
    count: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class UpcardTurned:
    """The first open card; `put_under`: it goes under the talon and another is turned."""

    card: AnyCard
    put_under: bool = False


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The seat is on turn with a fresh clock; `again`: earned with an eight."""

    seat: Seat
    again: bool


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A card lies open; so many are left in the hand."""

    seat: Seat
    card: AnyCard
    wish: Suit | None
    left: int


@dataclass(frozen=True, slots=True)
class PendingRaised:
    """Sevens now ask for so many cards."""

    total: int


@dataclass(frozen=True, slots=True)
class DirectionChanged:
    """The turn goes round in this direction: +1 clockwise, -1 counter-clockwise."""

    direction: int


@dataclass(frozen=True, slots=True)
class SeatSkipped:
    """The seat sits out once."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """Cards of the talon, seen by the seat alone; `auto`: its time was up."""

    seat: Seat
    reason: DrawReason
    asked: int
    count: int
    cards: Cards
    auto: bool = False


@dataclass(frozen=True, slots=True)
class TalonReshuffled:
    """The pile below the open card lies under the talon again; nobody sees the order."""

    count: int
    order: Cards


@dataclass(frozen=True, slots=True)
class LastCardAnnounced:
    """The seat said "last card" so many milliseconds into its turn (0 without a clock)."""

    seat: Seat
    used_ms: int


@dataclass(frozen=True, slots=True)
class AnnouncementMissed:
    """The seat tried its last card without having announced it; seen by that seat alone."""

    seat: Seat
    card: AnyCard | None


@dataclass(frozen=True, slots=True)
class MauMau:
    """The seat has no card left."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """The seat is out of the match; its cards stay aside."""

    seat: Seat
    reason: LeftReason


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game is over and all hands lie open; points and places are by seat."""

    reason: EndReason
    winner: Seat | None
    points: tuple[int, ...]
    places: tuple[int, ...]
    hands: tuple[Holding, ...]


@dataclass(frozen=True, slots=True)
class SeriesEnded:
    """The match is over; points of all games and places, by seat."""

    totals: tuple[int, ...]
    places: tuple[int, ...]


Event: TypeAlias = (
    GameStarted
    | HandDealt
    | UpcardTurned
    | TurnStarted
    | CardPlayed
    | PendingRaised
    | DirectionChanged
    | SeatSkipped
    | CardsDrawn
    | TalonReshuffled
    | LastCardAnnounced
    | AnnouncementMissed
    | MauMau
    | SeatLeft
    | GameEnded
    | SeriesEnded
)
EVENTS = (
    GameStarted,
    HandDealt,
    UpcardTurned,
    TurnStarted,
    CardPlayed,
    PendingRaised,
    DirectionChanged,
    SeatSkipped,
    CardsDrawn,
    TalonReshuffled,
    LastCardAnnounced,
    AnnouncementMissed,
    MauMau,
    SeatLeft,
    GameEnded,
    SeriesEnded,
)
