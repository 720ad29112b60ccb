"""The values of Guandan: what lies on the table, how far the match is, and the whole state."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from spielwerk.cards import AnyCard, Card, Rank
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import Cards, Main
from spielwerk.games.guandan.combos import Reading, Shape
from spielwerk.games.guandan.options import Options

SEATS: Final = (0, 1, 2, 3)
"""Seat s + 1 sits to the right of seat s and is next, counter-clockwise (clause 1.1)."""

FIRST_LEVELS: Final = (Rank.TWO, Rank.TWO)


class Phase(StrEnum):
    """Where a match stands."""

    LOBBY = "lobby"
    TRIBUTE = "tribute"
    RETURN = "return"
    PLAY = "play"
    DEAL_OVER = "deal_over"
    MATCH_OVER = "match_over"


class LeadReason(StrEnum):
    """Why a seat leads after a trick."""

    OWNER = "owner"
    PARTNER = "partner"
    NEXT_ACTIVE = "next_active"


class EndReason(StrEnum):
    """Why a match ended."""

    MATCH_WON = "match_won"
    DEAL_LIMIT = "deal_limit"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class Combination:
    """Cards as they lie on the table, in the reading that alone counts from then on.

    `wild_as` shows what the wild cards stand for, in their order among `cards`; it decides nothing.
    """

    cards: Cards
    shape: Shape
    size: int
    main: Main
    wild_as: tuple[Card, ...]

    @property
    def reading(self) -> Reading:
        """What it is compared by."""
        return Reading(self.shape, self.size, self.main)


@dataclass(frozen=True, slots=True)
class Move:
    """A play, or a pass (None), in a trick; tricks of a deal count from 1."""

    seat: Seat
    trick: int
    combination: Combination | None


@dataclass(frozen=True, slots=True)
class Top:
    """The combination to beat and who laid it."""

    seat: Seat
    combination: Combination


@dataclass(frozen=True, slots=True)
class Holding:
    """Cards of one seat."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class RedJokers:
    """How many red jokers a payer holds."""

    seat: Seat
    number: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """A card on its way from seat to seat; None where the viewer may not see it."""

    from_seat: Seat
    to_seat: Seat
    card: AnyCard | None


@dataclass(frozen=True, slots=True)
class Tribute:
    """What was paid and returned before a deal (clause 9)."""

    red_jokers: tuple[RedJokers, ...] = ()
    """By payer, if the tribute was cancelled."""
    paid: tuple[Transfer, ...] = ()
    returned: tuple[Transfer, ...] = ()

    @property
    def due(self) -> tuple[Transfer, ...]:
        """What was paid and not yet answered."""
        done = {transfer.from_seat for transfer in self.returned}
        return tuple([transfer for transfer in self.paid if transfer.to_seat not in done])


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal ended (clause 8). Pairs are by team; `next_level` is None after a match win."""

    order: tuple[Seat, ...]
    team: int
    step: int
    levels: tuple[Rank, ...]
    next_level: Rank | None
    last_hand: Cards
    ace_failures: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the match is. Pairs are by team."""

    game_no: int = 0
    """Counts the starts and restarts."""
    deal_no: int = 0
    level: Rank = Rank.TWO
    """The level that is played."""
    levels: tuple[Rank, ...] = FIRST_LEVELS
    declarer: int | None = None
    """Whose level is played; None in the first deal."""
    ace_failures: tuple[int, ...] = (0, 0)
    deals_won: tuple[int, ...] = (0, 0)
    last_deal: DealResult | None = None
    winner: int | None = None
    ended: EndReason | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """How far a deal is played. Tuples of four are by seat."""

    hands: tuple[Cards, ...] = ((), (), (), ())
    turn: Seat | None = None
    top: Top | None = None
    passes: tuple[Seat, ...] = ()
    """Who has passed since the top combination was laid."""
    order: tuple[Seat, ...] = ()
    """Seats by place, as they finished."""
    trick: int = 1
    moves: tuple[Move, ...] = ()
    """All of the deal, in order."""

    @property
    def active(self) -> tuple[Seat, ...]:
        """Seats that have not finished."""
        return tuple([seat for seat in SEATS if seat not in self.order])

    def next_active(self, seat: Seat) -> Seat:
        """Who is next counter-clockwise, the seat itself if it is alone."""
        for step in (1, 2, 3):
            other = (seat + step) % 4
            if other not in self.order:
                return other
        return seat


@dataclass(frozen=True, slots=True)
class State:
    """A match of Guandan."""

    options: Options
    phase: Phase = Phase.LOBBY
    bots: tuple[Seat, ...] = ()
    progress: Progress = field(default_factory=Progress)
    table: Table = field(default_factory=Table)
    tribute: Tribute = field(default_factory=Tribute)
    agreed: tuple[Seat, ...] = ()
    """Who wants to restart."""

    @property
    def people(self) -> tuple[Seat, ...]:
        """Seats that are not played by the installation."""
        return tuple([seat for seat in SEATS if seat not in self.bots])


def team_of(seat: Seat) -> int:
    """Opposite seats are a team."""
    return seat % 2


def partner_of(seat: Seat) -> Seat:
    """The opposite seat."""
    return (seat + 2) % 4
