"""Decks as values: categories, cards, exact whole numbers (clause 10).

Every value is one whole number: an integer as it is, a decimal in units of its last place, a date
as yyyymmdd. Numbers of one category therefore compare exactly.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

SCHEMA: Final = "quartett-deck/1"
LIMIT: Final = 10**18
"""Numbers stay below it on both sides, so that they fit every 64-bit integer."""
MAX_SCALE: Final = 6


class Kind(StrEnum):
    """What the values of a category are."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"


class Wins(StrEnum):
    """Which value wins."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class Category:
    """One category; `scale` is the number of decimal places, the bounds are numbers of its kind."""

    id: str
    label: str
    kind: Kind
    wins: Wins
    scale: int = 0
    unit: str = ""
    minimum: int | None = None
    maximum: int | None = None
    per_card_label: bool = False
    """Each card says by itself what it counts; numbers compare without units."""
    as_of: str = ""
    """The day a rating was taken; shown only."""

    def better(self, one: int, other: int) -> bool:
        """Whether the first number beats the second."""
        return one > other if self.wins is Wins.HIGHER else one < other

    def text(self, number: int) -> str:
        """The number as a deck file writes it: `213`, `8.7`, `1998-05-29`."""
        if self.kind is Kind.DATE:
            return f"{number // 10_000:04}-{number // 100 % 100:02}-{number % 100:02}"
        if not self.scale:
            return str(number)
        whole, places = divmod(abs(number), 10**self.scale)
        return f"{'-' if number < 0 else ''}{whole}.{places:0{self.scale}}"


@dataclass(frozen=True, slots=True)
class Value:
    """What a card has in a category."""

    number: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class DeckCard:
    """One card; its values stand in the order of the deck's categories."""

    id: str
    title: str
    values: tuple[Value, ...]
    performer: str = ""


@dataclass(frozen=True, slots=True)
class Deck:
    """A whole deck; the order of its cards is the canonical order."""

    id: str
    title: str
    language: str
    categories: tuple[Category, ...]
    cards: tuple[DeckCard, ...]

    def place(self, category_id: str) -> int | None:
        """Where the category stands in the deck; None if there is none of this id."""
        ids = (place for place, item in enumerate(self.categories) if item.id == category_id)
        return next(ids, None)

    def card(self, card_id: str) -> DeckCard:
        """The card of this id."""
        return next(card for card in self.cards if card.id == card_id)

    @property
    def card_ids(self) -> tuple[str, ...]:
        """All cards in canonical order."""
        return tuple(card.id for card in self.cards)


def fingerprint(deck: Deck) -> str:
    """SHA-256 of the canonical file, in hexadecimal digits: equal decks have equal ones."""
    text = json.dumps(as_file(deck), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def as_file(deck: Deck) -> dict[str, Any]:
    """The content of a deck file that is read as this deck."""
    return {
        "schema": SCHEMA,
        "id": deck.id,
        "title": deck.title,
        "language": deck.language,
        "categories": [_category_as_file(category) for category in deck.categories],
        "cards": [_card_as_file(card, deck.categories) for card in deck.cards],
    }


def _category_as_file(category: Category) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": category.id,
        "label": category.label,
        "kind": category.kind.value,
        "wins": category.wins.value,
    }
    if category.kind is Kind.DECIMAL:
        entry["scale"] = category.scale
    for key, bound in (("min", category.minimum), ("max", category.maximum)):
        if bound is not None:
            entry[key] = _number_as_file(category, bound)
    more: dict[str, Any] = {
        "unit": category.unit,
        "as_of": category.as_of,
        "per_card_label": category.per_card_label,
    }
    return entry | {key: value for key, value in more.items() if value}


def _card_as_file(card: DeckCard, categories: Sequence[Category]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for category, value in zip(categories, card.values, strict=True):
        number = _number_as_file(category, value.number)
        labelled = {"label": value.label, "value": number}
        values[category.id] = labelled if category.per_card_label else number
    performer = {"performer": card.performer} if card.performer else {}
    return {"id": card.id, "title": card.title, **performer, "values": values}


def _number_as_file(category: Category, number: int) -> int | str:
    return number if category.kind is Kind.INTEGER else category.text(number)
