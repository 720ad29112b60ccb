"""The 108 cards of Guandan: their kinds and orders, and cards as small numbers inside the engine.

A kind is what suits do not change: 0 to 12 are the ranks 2 to A in natural order, then the black
and the red joker. A face is one of the 54 different cards; each lies in the pack twice. Enumerating
plays and sampling hands work on these numbers, since hashing cards would cost most of their time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, TypeAlias

from spielwerk.cards import BLACK_JOKER, RED_JOKER, AnyCard, Card, Rank, Suit

Cards: TypeAlias = tuple[AnyCard, ...]
Kind: TypeAlias = int
Face: TypeAlias = int

LEVELS: Final = (*tuple(Rank)[1:], Rank.ACE)
"""The ranks in natural order 2 < 3 < ... < K < A, which is also that of the levels."""

TOP_LEVEL: Final = Rank.ACE


class Main(StrEnum):
    """What combinations are compared by: a rank in natural order, or a joker."""

    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"
    ACE = "A"
    BLACK_JOKER = "BJ"
    RED_JOKER = "RJ"


MAINS: Final = tuple(Main)
"""By kind."""
KIND_OF_MAIN: Final = {main: kind for kind, main in enumerate(Main)}

RANKS: Final = range(13)
ACE: Final = 12
BLACK: Final = 13
RED: Final = 14
KINDS: Final = range(15)

SUITS: Final = tuple(Suit)
"""C < D < H < S, by suit number; the order only breaks ties."""
HEARTS: Final = SUITS.index(Suit.HEARTS)

FACES: Final[Cards] = (
    *(Card(rank, suit) for rank in LEVELS for suit in SUITS),
    BLACK_JOKER,
    RED_JOKER,
)
"""The different cards by number: by rank, then suit, then the jokers."""
FACE_OF: Final = {card: face for face, card in enumerate(FACES)}
KIND_OF_FACE: Final = (*(face // 4 for face in range(52)), BLACK, RED)

PACK: Final[Cards] = (
    *(Card(rank, suit) for _ in range(2) for suit in SUITS for rank in LEVELS),
    BLACK_JOKER,
    BLACK_JOKER,
    RED_JOKER,
    RED_JOKER,
)
"""The canonical order from which the cards are shuffled (clause 2.2)."""

LEVEL_STRENGTH: Final = 15


def _strengths(level: Kind) -> tuple[int, ...]:
    ranks = [LEVEL_STRENGTH if kind == level else kind + 2 for kind in RANKS]
    return (*ranks, 16, 17)


STRENGTHS: Final = tuple(_strengths(level) for level in RANKS)
"""Group order by level and kind (clause 3.1): RJ 17, BJ 16, level 15, else A 14 ... 2 2."""

WEAKEST_FIRST: Final = tuple(
    tuple(sorted(KINDS, key=strengths.__getitem__)) for strengths in STRENGTHS
)
"""All kinds in group order, by level."""

KIND_OF_LEVEL: Final = {rank: kind for kind, rank in enumerate(LEVELS)}


def wild_face(level: Kind) -> Face:
    """The heart of the level."""
    return 4 * level + HEARTS


def kind_of(card: AnyCard) -> Kind:
    """The card's kind."""
    return KIND_OF_FACE[FACE_OF[card]]


def strength(card: AnyCard, level: Rank) -> int:
    """The card's place in group order."""
    return STRENGTHS[KIND_OF_LEVEL[level]][kind_of(card)]


def is_wild(card: AnyCard, level: Rank) -> bool:
    """Whether the card is a heart of the level."""
    return isinstance(card, Card) and card.suit is Suit.HEARTS and card.rank is level


def weakest_key(card: AnyCard, level: Rank) -> tuple[int, bool, Face]:
    """Weakest card first: by strength, wild ones last, then C < D < H < S."""
    return strength(card, level), is_wild(card, level), FACE_OF[card]


def in_order(cards: Iterable[AnyCard]) -> Cards:
    """The cards by natural rank, then suit, jokers last."""
    return tuple([FACES[face] for face in sorted([FACE_OF[card] for card in cards])])


def without(hand: Sequence[AnyCard], away: Iterable[AnyCard]) -> Cards:
    """The hand with one copy less of each card; ValueError if one is not there."""
    left = list(hand)
    for card in away:
        left.remove(card)
    return tuple(left)
