"""Playing cards as values; no knowledge of any game."""

from spielwerk.cards.playing import Card, Rank, Suit, french_pack

__all__ = ["Card", "Rank", "Suit", "french_pack"]
