"""The values of House of Cards: the house, what lies before a seat, the table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.cards import BLACK_JOKER, RED_JOKER, AnyCard, Card, Joker, Rank, Suit
from spielwerk.games.game import Seat
from spielwerk.games.house_of_cards.options import Options

Cards: TypeAlias = tuple[Card, ...]
AnyCards: TypeAlias = tuple[AnyCard, ...]

_RANKS: Final = (*tuple(Rank)[1:], Rank.ACE)
_SUITS: Final = (Suit.CLUBS, Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS)
STOCK_ORDER: Final[AnyCards] = (
    *(2 * tuple(Card(rank, suit) for suit in _SUITS for rank in _RANKS)),
    BLACK_JOKER,
    RED_JOKER,
)
"""The canonical order of the 106 cards (clause 2.2)."""


class EndReason(StrEnum):
    """Why a seat's game ended."""

    COMPLETE = "complete"
    STUCK = "stuck"
    PLAYER = "player"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class OpenCard:
    """A card that lies open in a slot."""

    slot: int
    card: Card


@dataclass(frozen=True, slots=True)
class BuiltRoof:
    """Two cards leaning together; the value is fixed."""

    storey: int
    index: int
    cards: Cards
    value: int


@dataclass(frozen=True, slots=True)
class LaidFloor:
    """A card across the roofs `index` and `index + 1` of the storey; `limit` None: none."""

    storey: int
    index: int
    card: Card
    limit: int | None


@dataclass(frozen=True, slots=True)
class House:
    """What stands, in the order of building."""

    roofs: tuple[BuiltRoof, ...] = ()
    floors: tuple[LaidFloor, ...] = ()

    @property
    def points(self) -> int:
        """The sum of the standing roofs."""
        return sum([roof.value for roof in self.roofs])

    @property
    def cards(self) -> Cards:
        """All cards built in."""
        leaning = [card for roof in self.roofs for card in roof.cards]
        return (*leaning, *(floor.card for floor in self.floors))

    def roof(self, storey: int, index: int) -> BuiltRoof | None:
        """The roof at the place, None if it is free."""
        for roof in self.roofs:
            if roof.storey == storey and roof.index == index:
                return roof
        return None

    def floor(self, storey: int, index: int) -> LaidFloor | None:
        """The floor at the place, None if it is free."""
        for floor in self.floors:
            if floor.storey == storey and floor.index == index:
                return floor
        return None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a seat's game ended; `score` is `house` and `bonus`.

    `left` are the stock and, unless `bonus_counts_open` is off, the open cards.
    """

    reason: EndReason
    house: int
    left: int
    bonus: int
    score: int
    credits: int


@dataclass(frozen=True, slots=True)
class Site:
    """Where one seat builds."""

    open: tuple[OpenCard, ...] = ()
    """By slot, ascending; an empty slot is missing."""
    house: House = House()
    drawn: int = 0
    """Cards it has taken from the stock."""
    discarded: AnyCards = ()
    """Replaced cards, jokers and what they took, in this order of happening."""
    moves: int = 0
    used_ms: int = 0
    ending: Ending | None = None

    def card(self, slot: int) -> Card | None:
        """The card in the slot, None if there is none."""
        for item in self.open:
            if item.slot == slot:
                return item.card
        return None

    @property
    def score(self) -> int:
        """The points so far, with the bonus after the end."""
        return self.ending.score if self.ending else self.house.points


@dataclass(frozen=True, slots=True)
class State:
    """A match: the same stock for each seat, and each seat's own site."""

    options: Options
    sites: tuple[Site, ...]
    stock: AnyCards = ()
    """In the order of drawing; empty before the start."""
    over: bool = False
    """All seats have ended and everything lies open."""

    def left_in_stock(self, seat: Seat) -> AnyCards:
        """What the seat has not drawn yet, next card first."""
        return self.stock[self.sites[seat].drawn :]


def jokers(cards: AnyCards) -> int:
    """How many of the cards are jokers."""
    return sum([isinstance(card, Joker) for card in cards])
