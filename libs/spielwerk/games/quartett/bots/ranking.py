"""How good the categories of a card are against the cards that the opponent may have on top."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from spielwerk.games.quartett.deck import Deck, DeckCard


def ranking(
    deck: Deck, card: DeckCard, choices: Collection[str], suspects: Sequence[DeckCard]
) -> tuple[str, ...]:
    """The choices, the best first (clause 9.2).

    Fewest suspects better, then fewest equal, then the same among all other cards of the deck,
    then the deck's order.
    """
    others = [other for other in deck.cards if other.id != card.id]
    keys = {
        category.id: (
            *_beaten_by(deck, card, place, suspects),
            *_beaten_by(deck, card, place, others),
            place,
        )
        for place, category in enumerate(deck.categories)
        if category.id in choices
    }
    return tuple(sorted(keys, key=keys.__getitem__))


def _beaten_by(
    deck: Deck, card: DeckCard, place: int, rivals: Sequence[DeckCard]
) -> tuple[int, int]:
    """How many rivals are better in the category, and how many are equal."""
    category, own = deck.categories[place], card.values[place].number
    numbers = [rival.values[place].number for rival in rivals]
    return sum(category.better(number, own) for number in numbers), numbers.count(own)
