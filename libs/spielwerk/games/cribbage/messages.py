"""What players may do in Cribbage and what then happened; the names are the storage format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.cards import Card
from spielwerk.games.cribbage.model import (
    Cards,
    Counted,
    EndReason,
    Holding,
    PlayPoints,
    ScoredFor,
    ShowPoints,
    Skunk,
    TimeoutAction,
)
from spielwerk.games.game import Resign, Seat, TimeOut


@dataclass(frozen=True, slots=True)
class Discard:
    """Lay two of the six cards into the crib."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Play:
    """Lay one card to the count."""

    card: Card


@dataclass(frozen=True, slots=True)
class Go:
    """Say that no card fits; only with `auto_go=False`."""


Command: TypeAlias = Discard | Play | Go | Resign | TimeOut
COMMANDS = (Discard, Play, Go, Resign, TimeOut)


@dataclass(frozen=True, slots=True)
class CutForDeal:
    """A seat cut a card to find the first dealer."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class DealerChosen:
    """The seat deals first."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A deal begins; nobody sees the deck."""

    game_no: int
    deal_no: int
    dealer: Seat
    deck: Cards


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """Six cards for a seat, seen by that seat alone."""

    seat: Seat
    cards: Cards
    count: int


@dataclass(frozen=True, slots=True)
class CribDiscarded:
    """Two cards of a seat lie in the crib, seen by that seat alone."""

    seat: Seat
    cards: Cards
    count: int
    auto: bool = False


@dataclass(frozen=True, slots=True)
class StarterCut:
    """The starter is turned up."""

    card: Card


@dataclass(frozen=True, slots=True)
class PlayStarted:
    """The play begins with this seat."""

    turn: Seat


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A card was laid; `count` includes it."""

    seat: Seat
    card: Card
    count: int
    auto: bool = False


@dataclass(frozen=True, slots=True)
class GoDeclared:
    """The seat holds cards but none fits."""

    seat: Seat
    auto: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """Points of one scoring; `pegged` is what was added, `items` only of a played card."""

    seat: Seat
    why: ScoredFor
    points: int
    pegged: int
    items: PlayPoints | None = None


@dataclass(frozen=True, slots=True)
class CountReset:
    """The count is zero again; `next_turn` leads, None when all cards are played."""

    next_turn: Seat | None


@dataclass(frozen=True, slots=True)
class HandCounted:
    """Four cards with the starter were counted."""

    seat: Seat
    what: Counted
    cards: Cards
    starter: Card
    items: ShowPoints
    total: int


@dataclass(frozen=True, slots=True)
class DealEnded:
    """Everything of the deal is counted."""

    game_no: int
    deal_no: int


@dataclass(frozen=True, slots=True)
class Resigned:
    """The seat gave up the match."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The seat's turn ended without a move."""

    seat: Seat
    turn_key: str
    action: TimeoutAction


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game is over; what was hidden of the deal lies open, except the undealt cards."""

    game_no: int
    winner: Seat
    scores: tuple[int, ...]
    reason: EndReason
    skunk: Skunk
    unplayed: tuple[Holding, ...]
    crib: tuple[Holding, ...]


Event: TypeAlias = (
    CutForDeal
    | DealerChosen
    | DealStarted
    | CardsDealt
    | CribDiscarded
    | StarterCut
    | PlayStarted
    | CardPlayed
    | GoDeclared
    | Scored
    | CountReset
    | HandCounted
    | DealEnded
    | Resigned
    | TimedOut
    | GameEnded
)
EVENTS = (
    CutForDeal,
    DealerChosen,
    DealStarted,
    CardsDealt,
    CribDiscarded,
    StarterCut,
    PlayStarted,
    CardPlayed,
    GoDeclared,
    Scored,
    CountReset,
    HandCounted,
    DealEnded,
    Resigned,
    TimedOut,
    GameEnded,
)
