"""What players may do in Guandan and what then happened; the names are the storage format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.cards import AnyCard, Card, Rank
from spielwerk.games.game import Resign, Seat, TimeOut
from spielwerk.games.guandan.cards import Cards, Main
from spielwerk.games.guandan.combos import Shape
from spielwerk.games.guandan.model import EndReason, Holding, LeadReason, RedJokers


@dataclass(frozen=True, slots=True)
class Play:
    """Lay cards; shape and main must be named where more than one reading is allowed."""

    cards: Cards
    shape: Shape | None = None
    main: Main | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """Let the others go on; the seat may play again in the same trick."""


@dataclass(frozen=True, slots=True)
class ReturnCard:
    """Give a card to the seat that paid tribute."""

    card: AnyCard


@dataclass(frozen=True, slots=True)
class NextDeal:
    """Start the next deal."""


@dataclass(frozen=True, slots=True)
class Restart:
    """Propose to begin again at 2, or agree to it."""


Command: TypeAlias = Play | Pass | ReturnCard | NextDeal | Restart | Resign | TimeOut
COMMANDS = (Play, Pass, ReturnCard, NextDeal, Restart, Resign, TimeOut)


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """Both teams are at 2; `bots` are the seats that the installation plays."""

    levels: tuple[Rank, ...]
    bots: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class DealStarted:
    """27 cards for each seat, in the order dealt; a viewer sees its own alone."""

    game_no: int
    deal_no: int
    level: Rank
    hands: tuple[Holding, ...]
    auto: bool = False


@dataclass(frozen=True, slots=True)
class LeaderDrawn:
    """The seat leads the first deal."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TributeCancelled:
    """The payers hold both red jokers: nothing is paid."""

    payers: tuple[Seat, ...]
    red_jokers: tuple[RedJokers, ...]
    leader: Seat


@dataclass(frozen=True, slots=True)
class TributePaid:
    """The payer's strongest card went to the receiver."""

    from_seat: Seat
    to_seat: Seat
    card: AnyCard


@dataclass(frozen=True, slots=True)
class CardReturned:
    """A card went back to the payer; hidden (None) from others with `return_private`."""

    from_seat: Seat
    to_seat: Seat
    card: AnyCard | None
    auto: bool = False


@dataclass(frozen=True, slots=True)
class LeadAssigned:
    """All cards are returned; the seat leads the deal."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CombinationPlayed:
    """Cards were laid; `left` is how many the seat still holds."""

    seat: Seat
    cards: Cards
    shape: Shape
    size: int
    main: Main
    wild_as: tuple[Card, ...]
    left: int
    auto: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """The seat let the others go on."""

    seat: Seat
    auto: bool = False


@dataclass(frozen=True, slots=True)
class PlayerFinished:
    """The seat has no cards left."""

    seat: Seat
    place: int


@dataclass(frozen=True, slots=True)
class TrickEnded:
    """Everybody passed on the owner's combination."""

    owner: Seat
    leader: Seat
    reason: LeadReason


@dataclass(frozen=True, slots=True)
class DealEnded:
    """All places are known; pairs are by team, `next_level` is None if the match is won."""

    order: tuple[Seat, ...]
    team: int
    step: int
    levels: tuple[Rank, ...]
    next_level: Rank | None
    last_hand: Cards
    ace_failures: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchWon:
    """The match is over; None is a draw."""

    team: int | None
    reason: EndReason


@dataclass(frozen=True, slots=True)
class RestartProposed:
    """The seat wants to begin again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchRestarted:
    """Everybody agreed; the running deal is abandoned."""


@dataclass(frozen=True, slots=True)
class Resigned:
    """The seat gave up for its team."""

    seat: Seat


Event: TypeAlias = (
    MatchStarted
    | DealStarted
    | LeaderDrawn
    | TributeCancelled
    | TributePaid
    | CardReturned
    | LeadAssigned
    | CombinationPlayed
    | Passed
    | PlayerFinished
    | TrickEnded
    | DealEnded
    | MatchWon
    | RestartProposed
    | MatchRestarted
    | Resigned
)
EVENTS = (
    MatchStarted,
    DealStarted,
    LeaderDrawn,
    TributeCancelled,
    TributePaid,
    CardReturned,
    LeadAssigned,
    CombinationPlayed,
    Passed,
    PlayerFinished,
    TrickEnded,
    DealEnded,
    MatchWon,
    RestartProposed,
    MatchRestarted,
    Resigned,
)
