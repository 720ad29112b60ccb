"""Which card wins in a category, and which categories a card may not choose (clauses 3 and 4)."""

from __future__ import annotations

from enum import StrEnum

from spielwerk.games.quartett.deck import Category, Deck, DeckCard, Value


class Forbid(StrEnum):
    """Which categories a card may not choose."""

    BEST = "best"
    EXTREME = "extreme"
    NONE = "none"


def better_of(category: Category, one: Value, other: Value) -> int | None:
    """0 if the first value wins, 1 if the second does, None if they are equal."""
    if one.number == other.number:
        return None
    return 0 if category.better(one.number, other.number) else 1


def forbidden(deck: Deck, card: DeckCard, forbid: Forbid) -> tuple[str, ...]:
    """The categories banned for the card, in the deck's order (clause 4).

    They follow from the whole deck, so they stay the same from the deal to the end.
    """
    if forbid is Forbid.NONE:
        return ()
    return tuple(
        category.id
        for place, category in enumerate(deck.categories)
        if _stands_out(deck, card, place, forbid)
    )


def allowed(deck: Deck, card: DeckCard, forbid: Forbid) -> tuple[str, ...]:
    """What the card may choose, in the deck's order; everything if all is banned (clause 4.4)."""
    banned = forbidden(deck, card, forbid)
    every = tuple(category.id for category in deck.categories)
    return tuple(item for item in every if item not in banned) or every


def _stands_out(deck: Deck, card: DeckCard, place: int, forbid: Forbid) -> bool:
    """Whether its value is the only best one, or with `extreme` the only largest or smallest."""
    category, own = deck.categories[place], card.values[place].number
    others = [other.values[place].number for other in deck.cards if other is not card]
    if forbid is Forbid.EXTREME:
        return own > max(others) or own < min(others)
    return all(category.better(own, number) for number in others)
