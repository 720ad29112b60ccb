"""The values of Cribbage: options, the table, and what is counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.cards import Card, Rank, french_pack
from spielwerk.games.cribbage.options import STANDARD, Options, Variant
from spielwerk.games.game import Seat

SEATS: Final = (0, 1)
LIMIT: Final = 31

Cards: TypeAlias = tuple[Card, ...]

COUNT_VALUE: Final = {rank: min(index, 10) for index, rank in enumerate(Rank, start=1)}
"""What a card adds to the count: ace 1, court cards 10 (clause 2.3)."""

PIPS: Final = {rank: index for index, rank in enumerate(Rank, start=1)}
"""Ranks as numbers for runs: ace 1 to king 13."""

ORDER: Final = {card: index for index, card in enumerate(french_pack())}
"""The canonical order: by rank, ace low, then suit C, D, H, S (clause 2.4)."""


class Phase(StrEnum):
    """Where a game stands."""

    CUT_FOR_DEAL = "cut_for_deal"
    DISCARD = "discard"
    PLAY = "play"
    GAME_OVER = "game_over"
    MATCH_OVER = "match_over"


class ScoredFor(StrEnum):
    """What points were given for."""

    HEELS = "heels"
    PLAY = "play"
    GO = "go"
    HAND = "hand"
    CRIB = "crib"


class Counted(StrEnum):
    """What is counted in the show."""

    HAND = "hand"
    CRIB = "crib"


class TimeoutAction(StrEnum):
    """What the engine did when a turn timed out."""

    AUTO_PLAY = "auto_play"
    FORFEIT = "forfeit"


class EndReason(StrEnum):
    """Why a game ended."""

    TARGET_REACHED = "target_reached"
    RESIGNED = "resigned"
    FORFEITED = "forfeited"


class Skunk(StrEnum):
    """By how much a game was lost."""

    NONE = "none"
    SINGLE = "single"
    DOUBLE = "double"


@dataclass(frozen=True, slots=True)
class PlayPoints:
    """Points of one played card (clause 5)."""

    fifteen: int = 0
    thirtyone: int = 0
    pairs: int = 0
    run: int = 0
    last: int = 0

    @property
    def total(self) -> int:
        """The sum of all."""
        return self.fifteen + self.thirtyone + self.pairs + self.run + self.last


@dataclass(frozen=True, slots=True)
class ShowPoints:
    """Points of four cards with the starter (clause 6)."""

    fifteens: int = 0
    pairs: int = 0
    runs: int = 0
    flush: int = 0
    nobs: int = 0

    @property
    def total(self) -> int:
        """The sum of all."""
        return self.fifteens + self.pairs + self.runs + self.flush + self.nobs


@dataclass(frozen=True, slots=True)
class Cut:
    """One cut for the first deal."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class Laid:
    """One card on the table; `count` includes it."""

    seat: Seat
    card: Card
    count: int


@dataclass(frozen=True, slots=True)
class GoSaid:
    """One go at a count, after so many cards of the deal."""

    seat: Seat
    count: int
    after: int


@dataclass(frozen=True, slots=True)
class Count:
    """One count of the show."""

    seat: Seat
    what: Counted
    cards: Cards
    starter: Card
    items: ShowPoints
    total: int


@dataclass(frozen=True, slots=True)
class Holding:
    """Cards of one seat."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class Series:
    """The games of a match so far. Pairs are by seat."""

    cuts: tuple[Cut, ...] = ()
    first_dealer: Seat | None = None
    """Who dealt first in the game at hand."""
    winner: Seat | None = None
    """Of the latest game that ended, and why it did."""
    end_reason: EndReason | None = None
    games_played: int = 0
    games_won: tuple[int, int] = (0, 0)
    """As the match counts them: a skunk is two or three."""
    wins: tuple[int, int] = (0, 0)
    """As the ranking counts them: each game is one."""


@dataclass(frozen=True, slots=True)
class Deal:
    """What the cards of one deal are. Pairs are by seat."""

    game_no: int
    number: int
    dealer: Seat
    deck: Cards
    dealt: tuple[Cards, Cards] = ((), ())
    discards: tuple[Cards, Cards] = ((), ())
    starter: Card | None = None

    @property
    def pone(self) -> Seat:
        """The non-dealer."""
        return 1 - self.dealer

    @property
    def crib(self) -> Cards:
        """The cards laid away so far, in canonical order."""
        return in_order(self.discards[0] + self.discards[1])

    def kept(self, seat: Seat) -> Cards:
        """The seat's dealt cards without its discards: its four once it has discarded."""
        away = self.discards[seat]
        return tuple(card for card in self.dealt[seat] if card not in away)


@dataclass(frozen=True, slots=True)
class Table:
    """How far a deal is played. Pairs are by seat.

    Apart from Deal, because each played card makes a new one: few fields keep that cheap.
    """

    hand: tuple[Cards, Cards] = ((), ())
    """Unplayed cards."""
    played: tuple[Laid, ...] = ()
    seq: tuple[Laid, ...] = ()
    """The cards since the last reset."""
    count: int = 0
    turn: Seat | None = None
    last_player: Seat | None = None
    goes: tuple[GoSaid, ...] = ()
    said_go: tuple[bool, bool] = (False, False)
    """Who has said go since the last reset."""

    def playable(self, seat: Seat) -> Cards:
        """The seat's cards that keep the count within 31, in the order held."""
        room = LIMIT - self.count
        return tuple([card for card in self.hand[seat] if COUNT_VALUE[card.rank] <= room])


@dataclass(frozen=True, slots=True)
class State:
    """A match of Cribbage. Pairs are by seat; `deal` is None before the first one."""

    options: Options
    variant: Variant = STANDARD
    phase: Phase = Phase.CUT_FOR_DEAL
    series: Series = Series()
    deal: Deal | None = None
    table: Table = Table()
    front: tuple[int, int] = (0, 0)
    back: tuple[int, int] = (0, 0)
    timeouts: tuple[int, int] = (0, 0)
    """In a row."""
    last_show: tuple[Count, ...] = ()


def in_order(cards: Iterable[Card]) -> Cards:
    """The cards in canonical order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))
