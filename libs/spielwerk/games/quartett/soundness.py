"""What must hold of a deck wherever it comes from, and what is odd about it (clause 10)."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from spielwerk.games.quartett.comparing import Forbid, forbidden
from spielwerk.games.quartett.deck import LIMIT, MAX_SCALE, Category, Deck, DeckCard, Kind, Value

DECK_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
CATEGORY_ID: Final = re.compile(r"[a-z0-9_]{1,64}")
LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong or odd: a stable code, the place, and a sentence for people."""

    code: str
    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path or 'deck'}: {self.reason} ({self.code})"


def problems(deck: Deck) -> Iterator[Problem]:
    """Everything that makes the deck unfit for play."""
    for path, pattern, text in (
        ("id", DECK_ID, deck.id),
        ("language", LANGUAGE, deck.language),
        *((f"categories[{n}].id", CATEGORY_ID, c.id) for n, c in enumerate(deck.categories)),
    ):
        if not pattern.fullmatch(text):
            yield Problem("schema", path, f"{text!r} does not match {pattern.pattern}")
    if not is_text(deck.title):
        yield Problem("schema", "title", NO_TEXT)
    ids = [category.id for category in deck.categories]
    yield from count_problems(ids, [card.id for card in deck.cards])
    for place, category in enumerate(deck.categories):
        yield from _category_problems(category, f"categories[{place}]")
    for place, card in enumerate(deck.cards):
        yield from _card_problems(card, deck.categories, f"cards[{place}]")


def warnings(deck: Deck) -> Iterator[Problem]:
    """What is allowed but hardly meant."""
    for place, category in enumerate(deck.categories):
        if len({card.values[place].number for card in deck.cards}) == 1:
            text = f"all cards have the same {category.id}"
            yield Problem("one_value", f"categories[{place}]", text)
    for place, card in enumerate(deck.cards):
        if len(forbidden(deck, card, Forbid.BEST)) == len(deck.categories):
            text = f"every category of {card.id} is forbidden, so the ban is lifted for it"
            yield Problem("all_forbidden", f"cards[{place}]", text)


def count_problems(
    category_ids: Sequence[str | None], card_ids: Sequence[str | None]
) -> Iterator[Problem]:
    """What is wrong with the numbers of categories and cards, and ids that come twice.

    None stands for an id that could not be read.
    """
    if not category_ids:
        yield Problem("no_categories", "categories", "a deck has at least one category")
    for place in _repeated(category_ids):
        text = f"{category_ids[place]!r} stands there twice"
        yield Problem("duplicate_category", f"categories[{place}].id", text)
    if len(card_ids) < 2:
        yield Problem("too_few_cards", "cards", "a deck has at least two cards")
    if len(card_ids) % 2:
        yield Problem("odd_number_of_cards", "cards", "both seats get equally many cards")
    for place in _repeated(card_ids):
        text = f"{card_ids[place]!r} stands there twice"
        yield Problem("duplicate_card", f"cards[{place}].id", text)


def range_problems(category: Category, number: int, path: str) -> Iterator[Problem]:
    """Whether the number is within the category's bounds."""
    if not -LIMIT < number < LIMIT:
        yield Problem("out_of_range", path, "the number has more than 18 digits")
    if category.minimum is not None and number < category.minimum:
        least = category.text(category.minimum)
        yield Problem("out_of_range", path, f"{category.text(number)} is less than {least}")
    if category.maximum is not None and number > category.maximum:
        most = category.text(category.maximum)
        yield Problem("out_of_range", path, f"{category.text(number)} is more than {most}")


NO_TEXT: Final = "a text without control characters is needed"


def is_text(text: str) -> bool:
    """Whether people can be shown it: decks of strangers must not steer a terminal."""
    return bool(text) and text.isprintable()


def _category_problems(category: Category, path: str) -> Iterator[Problem]:
    if not is_text(category.label) or not f"{category.unit}{category.as_of}".isprintable():
        yield Problem("schema", path, NO_TEXT)
    most = MAX_SCALE if category.kind is Kind.DECIMAL else 0
    if not 0 <= category.scale <= most:
        yield Problem("scale", f"{path}.scale", f"0 to {most} places")
    for bound in (category.minimum, category.maximum):
        if bound is not None and not -LIMIT < bound < LIMIT:
            yield Problem("out_of_range", path, "a bound has more than 18 digits")


def _card_problems(card: DeckCard, categories: Sequence[Category], path: str) -> Iterator[Problem]:
    if not is_text(card.id) or not is_text(card.title) or not card.performer.isprintable():
        yield Problem("schema", path, NO_TEXT)
    for category in categories[len(card.values) :]:
        yield Problem("missing_value", f"{path}.values", f"{category.id} is missing")
    for value in card.values[len(categories) :]:
        yield Problem("unknown_value", f"{path}.values", f"{value.number} has no category")
    for category, value in zip(categories, card.values, strict=False):
        yield from _value_problems(category, value, f"{path}.values.{category.id}")


def _value_problems(category: Category, value: Value, path: str) -> Iterator[Problem]:
    if category.per_card_label and not is_text(value.label):
        yield Problem("label", path, "each card says what it counts here")
    if value.label and not category.per_card_label:
        yield Problem("value_type", path, "the category has no labels of its cards")
    if category.kind is Kind.DATE and not is_date(value.number):
        yield Problem("value_type", path, f"{value.number} is no day written as yyyymmdd")
    yield from range_problems(category, value.number, path)


def is_date(number: int) -> bool:
    """Whether a number yyyymmdd is a day of the calendar."""
    year, month, day = number // 10_000, number // 100 % 100, number % 100
    return 1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _repeated(ids: Sequence[str | None]) -> Iterator[int]:
    """The places of ids that stood there before."""
    seen: set[str | None] = {None}
    for place, item in enumerate(ids):
        if item in seen and item is not None:
            yield place
        seen.add(item)
