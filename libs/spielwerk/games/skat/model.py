"""The values of Skat: contract, deal, table and series."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import Auction
from spielwerk.games.skat.cards import Cards, ContractType, points_of
from spielwerk.games.skat.options import Options

SEATS: Final = (0, 1, 2)
TRICKS: Final = 10

BySeat: TypeAlias = tuple[int, int, int]
NONE_BY_SEAT: Final = (0, 0, 0)


class Phase(StrEnum):
    """Where a deal stands (clause 3)."""

    DEAL = "deal"
    AUCTION = "auction"
    SKAT = "skat"
    DISCARD = "discard"
    ANNOUNCE = "announce"
    PLAY = "play"
    SCORED = "scored"
    SERIES_OVER = "series_over"


class DealReason(StrEnum):
    """How a deal came to its score."""

    PLAYED = "played"
    EARLY = "early"
    TIMEOUT = "timeout"
    RESIGNED = "resigned"
    CONCEDED = "conceded"
    PASSED_IN = "passed_in"


class SeriesReason(StrEnum):
    """Why a series ended."""

    COMPLETED = "completed"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Contract:
    """What is played; `schneider` and `schwarz` are the announcements (clause 5)."""

    type: ContractType
    hand: bool = False
    schneider: bool = False
    schwarz: bool = False
    ouvert: bool = False


@dataclass(frozen=True, slots=True)
class Holding:
    """Cards of one seat."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class Deal:
    """What the cards of one deal are and what was declared."""

    number: int
    dealer: Seat
    skat: Cards
    auction: Auction
    dealt: tuple[Cards, Cards, Cards] = ((), (), ())
    declarer: Seat | None = None
    bid: int = 0
    skat_taken: bool = False
    discarded: Cards = ()
    contract: Contract | None = None

    @property
    def forehand(self) -> Seat:
        """Left of the dealer."""
        return (self.dealer + 1) % 3

    @property
    def twelve(self) -> Cards:
        """The declarer's ten dealt cards and the skat: what matadors are counted in."""
        return self.dealt[self.who] + self.skat

    @property
    def laid_away(self) -> Cards:
        """The two cards that count for the declarer without a trick."""
        return self.discarded if self.skat_taken else self.skat

    @property
    def who(self) -> Seat:
        """The declarer, where there is one."""
        assert self.declarer is not None, "the auction was won"
        return self.declarer


@dataclass(frozen=True, slots=True)
class Trick:
    """Three cards in the order laid, the leader's first."""

    leader: Seat
    cards: Cards
    winner: Seat


@dataclass(frozen=True, slots=True)
class Taken:
    """What both sides took in tricks; the skat is not in it."""

    declarer_points: int = 0
    defender_points: int = 0
    declarer_tricks: int = 0
    defender_tricks: int = 0


NOTHING_TAKEN: Final = Taken()


@dataclass(frozen=True, slots=True)
class Table:
    """How far a deal is played. Apart from Deal, because each card makes a new one."""

    hands: tuple[Cards, Cards, Cards] = ((), (), ())
    leader: Seat = 0
    trick: Cards = ()
    turn: Seat | None = None
    tricks: tuple[Trick, ...] = ()
    taken: Taken = NOTHING_TAKEN
    conceded: tuple[bool, bool, bool] = (False, False, False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a deal ended (clauses 7 to 10); by seat where it is a tuple.

    `matadors` is positive with, negative without, 0 in Null or without a contract; `level` is None
    there. `points` are the declarer's with the skat. `game_value` is what was played for,
    `loss_value` what a lost game costs before it is doubled.
    """

    deal_no: int
    reason: DealReason
    declarer: Seat | None = None
    bid: int = 0
    contract: Contract | None = None
    matadors: int = 0
    level: int | None = None
    game_value: int = 0
    points: int = 0
    declarer_tricks: int = 0
    defender_tricks: int = 0
    schneider: bool = False
    schwarz: bool = False
    made: bool = False
    overbid: bool = False
    won: bool = False
    loss_value: int = 0
    list_score: int = 0
    seeger_fabian: tuple[int, ...] = NONE_BY_SEAT
    fee_milli: int = 0


@dataclass(frozen=True, slots=True)
class LaidOpen:
    """The cards of a scored deal: hands and skat as dealt, and what was discarded."""

    hands: tuple[Holding, ...]
    skat: Cards
    discarded: Cards


@dataclass(frozen=True, slots=True)
class Series:
    """The deals so far; tuples are by seat."""

    scored: int = 0
    list_points: BySeat = NONE_BY_SEAT
    won: BySeat = NONE_BY_SEAT
    lost: BySeat = NONE_BY_SEAT
    fees_milli: BySeat = NONE_BY_SEAT
    timeouts: BySeat = NONE_BY_SEAT
    """In a row, across deals."""
    last: Outcome | None = None
    laid_open: LaidOpen | None = None
    """The cards of the last scored deal."""
    ended: SeriesReason | None = None
    abandoned_by: Seat | None = None


@dataclass(frozen=True, slots=True)
class State:
    """A series of Skat; `deal` is None before the first one."""

    options: Options
    phase: Phase = Phase.DEAL
    series: Series = Series()
    deal: Deal | None = None
    table: Table = Table()


def declarer_points(deal: Deal, taken: Taken) -> int:
    """The declarer's points with the two cards that lie aside (clause 8.1)."""
    return taken.declarer_points + points_of(deal.laid_away)
