"""What happened in a series of Skat; the names are the storage format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.cards import Card
from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import By
from spielwerk.games.skat.cards import Cards
from spielwerk.games.skat.model import Contract, Holding, LaidOpen, Outcome, Phase, SeriesReason


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A deal begins; nobody sees the deck."""

    deal_no: int
    dealer: Seat
    forehand: Seat
    middlehand: Seat
    rearhand: Seat
    deck: Cards


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """Ten cards for each seat, seen by that seat alone; the last count is the skat."""

    hands: tuple[Holding, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BidMade:
    """The seat named a value."""

    seat: Seat
    value: int


@dataclass(frozen=True, slots=True)
class BidHeld:
    """The listener holds the value."""

    seat: Seat
    value: int


@dataclass(frozen=True, slots=True)
class Passed:
    """The seat is out of the auction."""

    seat: Seat
    by: By


@dataclass(frozen=True, slots=True)
class AuctionWon:
    """The seat plays alone at this bid."""

    declarer: Seat
    bid: int


@dataclass(frozen=True, slots=True)
class DealPassedIn:
    """Nobody has bid."""

    deal_no: int


@dataclass(frozen=True, slots=True)
class SkatTaken:
    """The declarer has the two cards, seen by that seat alone."""

    seat: Seat
    cards: Cards
    count: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """The declarer laid two cards away, seen by that seat alone."""

    seat: Seat
    cards: Cards
    count: int


@dataclass(frozen=True, slots=True)
class Announced:
    """What is played."""

    seat: Seat
    contract: Contract


@dataclass(frozen=True, slots=True)
class HandExposed:
    """The ten cards of an ouvert game lie open."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A card was laid."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """The trick is complete; `number` counts from 1, `points` are those of its three cards."""

    number: int
    winner: Seat
    points: int


@dataclass(frozen=True, slots=True)
class Conceded:
    """The seat gives up; one defender alone ends nothing."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The seat's turn ended without a move, so many times in a row."""

    seat: Seat
    turn_key: str
    phase: Phase
    in_a_row: int


@dataclass(frozen=True, slots=True)
class Resigned:
    """The seat left the series."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DealScored:
    """The deal is over and its cards lie open."""

    outcome: Outcome
    laid_open: LaidOpen


@dataclass(frozen=True, slots=True)
class SeriesEnded:
    """The series is over; tuples are by seat. `deal_void`: the running deal has no score."""

    reason: SeriesReason
    by: Seat | None
    deal_void: bool
    list_points: tuple[int, ...]
    seeger_fabian: tuple[int, ...]
    won: tuple[int, ...]
    lost: tuple[int, ...]
    fees_milli: tuple[int, ...]
    places: tuple[int, ...]


Event: TypeAlias = (
    DealStarted
    | CardsDealt
    | BidMade
    | BidHeld
    | Passed
    | AuctionWon
    | DealPassedIn
    | SkatTaken
    | Discarded
    | Announced
    | HandExposed
    | CardPlayed
    | TrickTaken
    | Conceded
    | TimedOut
    | Resigned
    | DealScored
    | SeriesEnded
)
EVENTS = (
    DealStarted,
    CardsDealt,
    BidMade,
    BidHeld,
    Passed,
    AuctionWon,
    DealPassedIn,
    SkatTaken,
    Discarded,
    Announced,
    HandExposed,
    CardPlayed,
    TrickTaken,
    Conceded,
    TimedOut,
    Resigned,
    DealScored,
    SeriesEnded,
)
