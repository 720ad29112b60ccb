"""Playing cards as values; no knowledge of any game."""

from spielwerk.cards.jokers import (
    BLACK_JOKER,
    RED_JOKER,
    AnyCard,
    Joker,
    JokerColor,
    parse_any_card,
)
from spielwerk.cards.playing import Card, Rank, Suit, french_pack

__all__ = [
    "BLACK_JOKER",
    "RED_JOKER",
    "AnyCard",
    "Card",
    "Joker",
    "JokerColor",
    "Rank",
    "Suit",
    "french_pack",
    "parse_any_card",
]
