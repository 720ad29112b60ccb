"""The 32 cards of Skat: points, trump lines, which cards follow which, and which is higher."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.cards import Card, Rank, Suit

Cards: TypeAlias = tuple[Card, ...]

SUITS: Final = (Suit.CLUBS, Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS)
"""From high to low (clause 1.1)."""

RANKS: Final = (
    Rank.SEVEN,
    Rank.EIGHT,
    Rank.NINE,
    Rank.TEN,
    Rank.JACK,
    Rank.QUEEN,
    Rank.KING,
    Rank.ACE,
)

PACK: Final = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
"""The canonical order, from which the cards are shuffled (clause 2.2)."""

ORDER: Final = {card: index for index, card in enumerate(PACK)}

_RANK_POINTS: Final = {
    Rank.ACE: 11,
    Rank.TEN: 10,
    Rank.KING: 4,
    Rank.QUEEN: 3,
    Rank.JACK: 2,
}
POINTS: Final = {card: _RANK_POINTS.get(card.rank, 0) for card in PACK}
"""Card points, 120 in all (clause 1.2)."""

ALL_POINTS: Final = 120

_HIGH_TO_LOW: Final = (
    Rank.ACE,
    Rank.TEN,
    Rank.KING,
    Rank.QUEEN,
    Rank.NINE,
    Rank.EIGHT,
    Rank.SEVEN,
)
_NULL_HIGH_TO_LOW: Final = (
    Rank.ACE,
    Rank.KING,
    Rank.QUEEN,
    Rank.JACK,
    Rank.TEN,
    Rank.NINE,
    Rank.EIGHT,
    Rank.SEVEN,
)


class ContractType(StrEnum):
    """What a declarer plays (clause 1.3)."""

    CLUBS = "C"
    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    GRAND = "G"
    NULL = "N"


class Group(StrEnum):
    """Cards that must follow each other (clause 1.5)."""

    CLUBS = "C"
    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    TRUMP = "T"


JACKS: Final = tuple(Card(Rank.JACK, suit) for suit in SUITS)


def _trump_line(kind: ContractType) -> Cards:
    if kind is ContractType.NULL:
        return ()
    if kind is ContractType.GRAND:
        return JACKS
    return JACKS + tuple(Card(rank, Suit(kind.value)) for rank in _HIGH_TO_LOW)


TRUMP_LINE: Final = {kind: _trump_line(kind) for kind in ContractType}
"""Trumps from high to low: eleven in a suit game, four in Grand, none in Null (clause 1.4)."""


def _groups(kind: ContractType) -> dict[Card, Group]:
    trumps = TRUMP_LINE[kind]
    return {card: Group.TRUMP if card in trumps else Group(card.suit.value) for card in PACK}


def _strengths(kind: ContractType) -> dict[Card, int]:
    """Higher beats lower within a group, and any trump beats any other card."""
    ranks = _NULL_HIGH_TO_LOW if kind is ContractType.NULL else _HIGH_TO_LOW
    line = TRUMP_LINE[kind]
    trumps = {card: 100 - place for place, card in enumerate(line)}
    return {card: trumps[card] if card in trumps else -ranks.index(card.rank) for card in PACK}


GROUP: Final = {kind: _groups(kind) for kind in ContractType}
STRENGTH: Final = {kind: _strengths(kind) for kind in ContractType}


def in_order(cards: Iterable[Card]) -> Cards:
    """The cards in canonical order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def points_of(cards: Iterable[Card]) -> int:
    """The card points of all."""
    return sum([POINTS[card] for card in cards])


def playable(kind: ContractType, hand: Cards, trick: Cards) -> Cards:
    """The cards of the hand that may be laid to the trick, in the order held (clause 6.2)."""
    if not trick:
        return hand
    groups = GROUP[kind]
    led = groups[trick[0]]
    following = tuple([card for card in hand if groups[card] is led])
    return following or hand


def winning_place(kind: ContractType, trick: Cards) -> int:
    """Which card of the trick wins, counted from the first one (clause 6.3)."""
    groups, strengths = GROUP[kind], STRENGTH[kind]
    led = groups[trick[0]]
    best = 0
    for place in range(1, len(trick)):
        card = trick[place]
        follows = groups[card] is led or groups[card] is Group.TRUMP
        if follows and strengths[card] > strengths[trick[best]]:
            best = place
    return best
