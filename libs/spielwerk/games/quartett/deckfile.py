"""Deck files in JSON or TOML to decks: every problem with its code, its place and a sentence."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from spielwerk.errors import InvalidArgument
from spielwerk.games.quartett.deck import Category, Deck, DeckCard, Kind, Value, Wins
from spielwerk.games.quartett.fileform import (
    CardForm,
    CategoryForm,
    DeckForm,
    LabelledForm,
    NoNumber,
    number_of,
)
from spielwerk.games.quartett.soundness import Problem, count_problems, range_problems, warnings

Form = TypeVar("Form", bound=BaseModel)

_CODES: Final = {
    "kind": "kind",
    "wins": "direction",
    "scale": "scale",
}
"""What is wrong with these fields has a code of its own."""


class BadDeck(InvalidArgument):
    """A file that is no deck; `problems` says why, one line each in the message."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("bad_deck", "\n".join(map(str, problems)))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a deck file is: a deck with warnings, or problems and no deck."""

    deck: Deck | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]

    @property
    def codes(self) -> list[str]:
        """The code of every problem, each once, sorted."""
        return sorted({problem.code for problem in self.problems})


def read_deck(text: str, *, toml: bool = False) -> Deck:
    """The deck in the text of a file; BadDeck with everything that is wrong."""
    checked = check_text(text, toml=toml)
    if checked.deck is None:
        raise BadDeck(checked.problems)
    return checked.deck


def check_text(text: str, *, toml: bool = False) -> Checked:
    """Check the text of a deck file."""
    try:
        content = tomllib.loads(text) if toml else json.loads(text, object_pairs_hook=_object)
    except ValueError as error:  # both parsers say where
        return Checked(None, (Problem("schema", "", str(error)),), ())
    return check_content(content)


def check_content(content: Any) -> Checked:
    """Check what the parser of a deck file has read."""
    return _Reader().check(content)


class _Reader:
    """Reads on after a problem, so that an author hears of all of them at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def check(self, content: Any) -> Checked:
        form = self._form(DeckForm, content, "")
        raw_categories, raw_cards = _list(content, "categories"), _list(content, "cards")
        categories = [self._category(raw, n) for n, raw in enumerate(raw_categories)]
        category_ids, card_ids = [_id(raw) for raw in raw_categories], [_id(r) for r in raw_cards]
        self.problems += count_problems(category_ids, card_ids)
        cards = [self._card(raw, n, category_ids, categories) for n, raw in enumerate(raw_cards)]
        if self.problems or form is None:
            return Checked(None, tuple(self.problems), ())
        deck = Deck(
            id=form.id,
            title=form.title,
            language=form.language,
            categories=tuple(category for category in categories if category),
            cards=tuple(card for card in cards if card),
        )
        return Checked(deck, (), tuple(warnings(deck)))

    def _category(self, raw: Any, place: int) -> Category | None:
        """None if its values cannot be checked."""
        path = f"categories[{place}]"
        form = self._form(CategoryForm, raw, path, {"wins": "higher", "label": "?"})
        if form is None:
            return None
        kind = Kind(form.kind)
        if (form.scale is not None) != (kind is Kind.DECIMAL):
            if not any(problem.path == f"{path}.scale" for problem in self.problems):
                text = "decimals, and only they, say how many places they have"
                self.problems.append(Problem("scale", f"{path}.scale", text))
            return None
        category = Category(
            id=form.id,
            label=form.label,
            kind=kind,
            wins=Wins(form.wins),
            scale=form.scale or 0,
            unit=form.unit,
            per_card_label=form.per_card_label,
            as_of=form.as_of,
        )
        return self._with_bounds(category, form, path)

    def _with_bounds(self, category: Category, form: CategoryForm, path: str) -> Category:
        least, most = (
            None if raw is None else self._number(category, raw, f"{path}.{key}")
            for key, raw in (("min", form.min), ("max", form.max))
        )
        return replace(category, minimum=least, maximum=most)

    def _card(
        self,
        raw: Any,
        place: int,
        category_ids: Sequence[str | None],
        categories: Sequence[Category | None],
    ) -> DeckCard | None:
        path = f"cards[{place}]"
        form = self._form(CardForm, raw, path, {"id": "?", "title": "?"})
        if form is None:
            return None
        for key in form.values:
            if key not in category_ids:
                problem = Problem("unknown_value", f"{path}.values.{key}", "no such category")
                self.problems.append(problem)
        values = []
        for category_id, category in zip(category_ids, categories, strict=True):
            where = f"{path}.values.{category_id}"
            if category_id is not None and category_id not in form.values:
                self.problems.append(Problem("missing_value", where, "the card has no value"))
            elif category is not None:
                values.append(self._value(category, form.values[category.id], where))
        return DeckCard(form.id, form.title, tuple(v for v in values if v), form.performer)

    def _value(self, category: Category, raw: Any, path: str) -> Value | None:
        label = ""
        if category.per_card_label:
            if not isinstance(raw, Mapping):
                self.problems.append(Problem("label", path, "write {label, value}"))
            else:
                form = self._form(LabelledForm, raw, path, {"label": "?"})
                if form is None:
                    return None
                label, raw = form.label, form.value
        number = self._number(category, raw, path)
        if number is None:
            return None
        self.problems += range_problems(category, number, path)
        return Value(number, label)

    def _number(self, category: Category, raw: Any, path: str) -> int | None:
        try:
            return number_of(category.kind, category.scale, raw)
        except NoNumber as error:
            self.problems.append(Problem(error.code, path, error.reason))
            return None

    def _form(
        self, form: type[Form], raw: Any, path: str, repairs: Mapping[str, Any] | None = None
    ) -> Form | None:
        """The validated part; after a problem the rest of it with stand-ins, where that can be."""
        try:
            return form.model_validate(raw)
        except ValidationError as invalid:
            errors = invalid.errors(include_url=False)
        for error in errors:
            self.problems.append(_problem(form, error, path))
        bad = {error["loc"][0] for error in errors if error["loc"]}
        if not isinstance(raw, Mapping):
            return None
        good = {key: value for key, value in raw.items() if key not in bad}
        stand_ins = {key: value for key, value in (repairs or {}).items() if key in bad}
        try:
            return form.model_validate(good | stand_ins)
        except ValidationError:
            return None


def _problem(form: type[BaseModel], error: Any, path: str) -> Problem:
    places = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"]]
    where = (path + "".join(places)).removeprefix(".")
    if error["type"] == "extra_forbidden":
        return Problem("unknown_key", where, "deck files have no such key here")
    field = error["loc"][0] if error["loc"] else ""
    if form is LabelledForm:
        return Problem("label" if field == "label" else "value_type", where, error["msg"])
    return Problem(_CODES.get(str(field), "schema"), where, error["msg"])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key that comes twice would silently hide a value."""
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{twice!r} stands twice in one object")
    return content


def _list(content: Any, key: str) -> list[Any]:
    found = content.get(key) if isinstance(content, Mapping) else None
    return found if isinstance(found, list) else []


def _id(raw: Any) -> str | None:
    found = raw.get("id") if isinstance(raw, Mapping) else None
    return found if isinstance(found, str) else None
