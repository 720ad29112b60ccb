"""The 52 cards of the French pack."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Suit(StrEnum):
    """Suits, in the canonical order C < D < H < S."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"


class Rank(StrEnum):
    """Ranks, in the canonical order A < 2 < ... < K."""

    ACE = "A"
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


@dataclass(frozen=True, slots=True)
class Card:
    """One card, written rank then suit: `5H` is the five of hearts."""

    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return f"{self.rank.value}{self.suit.value}"

    def __repr__(self) -> str:
        return str(self)

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read `5H`; raises ValueError for anything that is no card."""
        card = _BY_NAME.get(text)
        if card is None:
            raise ValueError(f"not a card: {text!r}")
        return card


_PACK: Final = tuple(Card(rank, suit) for rank in Rank for suit in Suit)
_BY_NAME: Final = {str(card): card for card in _PACK}


def french_pack() -> tuple[Card, ...]:
    """The 52 cards, by rank (ace low) then suit (C, D, H, S)."""
    return _PACK
