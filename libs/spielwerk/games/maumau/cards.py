"""The pack of Mau-Mau, its canonical order, and which cards fit on which (clauses 2 and 4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from spielwerk.cards import BLACK_JOKER, RED_JOKER, AnyCard, Card, Joker, Rank, Suit
from spielwerk.games.maumau.options import Options

Cards: TypeAlias = tuple[AnyCard, ...]

SUITS: Final = (Suit.CLUBS, Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS)
"""The canonical order of suits (clause 2.4)."""

ACTIONS: Final = frozenset({Rank.SEVEN, Rank.EIGHT, Rank.TEN, Rank.JACK, Rank.ACE})
"""Ranks with an effect."""

RED: Final = frozenset({Suit.HEARTS, Suit.DIAMONDS})

_RANKS: Final = (*tuple(Rank)[1:], Rank.ACE)
_SUITED: Final = tuple(Card(rank, suit) for suit in SUITS for rank in _RANKS)
_JOKERS: Final = (BLACK_JOKER, RED_JOKER)


def pack(jokers: int) -> Cards:
    """52 cards and the jokers, black and red by turns, in canonical order; the third joker is the
    twin of the first."""
    return (*_SUITED, *(_JOKERS[number % 2] for number in range(jokers)))


ORDER: Final = {card: index for index, card in enumerate(pack(2))}
"""The canonical order: C S H D, in each suit 2 to ace, then the black and the red joker."""


def is_normal(card: AnyCard) -> bool:
    """Whether the card has no effect and no freedom of its own."""
    return isinstance(card, Card) and card.rank not in ACTIONS


def is_jack(card: AnyCard) -> bool:
    """Whether a suit may be wished with the card."""
    return isinstance(card, Card) and card.rank is Rank.JACK


def is_seven(card: AnyCard) -> bool:
    """Whether the card makes the next seat take cards."""
    return isinstance(card, Card) and card.rank is Rank.SEVEN


def fits(card: AnyCard, upcard: AnyCard, wish: Suit | None, pending: int) -> bool:
    """Whether the card may be laid on the open card; the first line that matches decides (4.1)."""
    if pending:
        return is_seven(card)
    if isinstance(upcard, Card) and upcard.rank is Rank.JACK:
        return isinstance(card, Card) and _serves(card, wish or upcard.suit)
    if isinstance(card, Joker) or isinstance(upcard, Joker) or card.rank is Rank.JACK:
        return True
    return card.suit is upcard.suit or card.rank is upcard.rank


def seven_cards(seven: Card, options: Options) -> int:
    """How many cards a seven makes the next seat take (clause 5.5)."""
    return options.seven_red if seven.suit in RED else options.seven_black


def in_order(cards: Iterable[AnyCard]) -> Cards:
    """The cards in canonical order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def without(cards: Cards, away: Iterable[AnyCard]) -> Cards:
    """The cards less those that go, each once: of two twins one stays."""
    left = list(cards)
    for card in away:
        left.remove(card)
    return tuple(left)


def _serves(card: Card, suit: Suit) -> bool:
    return card.rank is not Rank.JACK and card.suit is suit
