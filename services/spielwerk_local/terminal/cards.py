"""Playing cards as text: coloured for reading, and read from what a person types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from spielwerk.cards import Card, Suit

_SYMBOLS: Final = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}
_RED: Final = (Suit.DIAMONDS, Suit.HEARTS)
_LETTERS: Final = {symbol: suit.value for suit, symbol in _SYMBOLS.items()}


def named(card: Card) -> str:
    """`5♥`, `10♠`."""
    rank = "10" if card.rank.value == "T" else card.rank.value
    return f"{rank}{_SYMBOLS[card.suit]}"


def drawn(card: Card) -> Text:
    """The same in the colour of its suit."""
    return Text(f" {named(card)} ", style="red on white" if card.suit in _RED else "black on white")


def row(cards: Iterable[Card]) -> Text:
    """Cards side by side."""
    return Text(" ").join(drawn(card) for card in cards)


def read_card(text: str) -> Card:
    """`5h`, `5H`, `10s`, `TS` or `5♥`; ValueError if it is no card."""
    written = text.strip().upper().replace("10", "T")
    for symbol, letter in _LETTERS.items():
        written = written.replace(symbol, letter)
    return Card.parse(written)
