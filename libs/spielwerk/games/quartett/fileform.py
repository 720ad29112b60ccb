"""The shape of a deck file, and how its values are written (clause 10)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from spielwerk.games.quartett.deck import MAX_SCALE, Kind
from spielwerk.games.quartett.soundness import (
    CATEGORY_ID,
    DECK_ID,
    LANGUAGE,
    NO_TEXT,
    is_date,
    is_text,
)

_DECIMAL: Final = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DIGITS: Final = 18
_NO_NUMBERS: Final = frozenset({"nan", "inf", "infinity"})


def _shown(text: str) -> str:
    if text and not is_text(text):
        raise ValueError(NO_TEXT)
    return text


Shown = Annotated[str, AfterValidator(_shown)]
"""A text for people; may be empty."""
Named = Annotated[str, Field(min_length=1), AfterValidator(_shown)]
"""A text for people."""


class _Form(BaseModel):
    """Unknown keys are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class DeckForm(_Form):
    """The file as a whole."""

    version: Literal["quartett-deck/1"] = Field(alias="schema")
    id: Annotated[str, Field(pattern=f"^{DECK_ID.pattern}$")]
    title: Named
    language: Annotated[str, Field(pattern=f"^{LANGUAGE.pattern}$")]
    categories: list[Any] = []
    cards: list[Any] = []


class CategoryForm(_Form):
    """One category; `min` and `max` are written as its values are."""

    id: Annotated[str, Field(pattern=f"^{CATEGORY_ID.pattern}$")]
    label: Named
    kind: Literal["integer", "decimal", "date"]
    wins: Literal["higher", "lower"]
    scale: Annotated[int, Field(ge=0, le=MAX_SCALE)] | None = None
    unit: Shown = ""
    min: Any = None
    max: Any = None
    per_card_label: bool = False
    as_of: Shown = ""


class CardForm(_Form):
    """One card."""

    id: Named
    title: Named
    performer: Shown = ""
    values: dict[str, Any]


class LabelledForm(_Form):
    """A value that says by itself what it counts."""

    label: Named
    value: Any


class NoNumber(ValueError):
    """A value that its category cannot have."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def number_of(kind: Kind, scale: int, raw: Any) -> int:
    """The exact number that is written there; NoNumber (value_type, value_scale)."""
    match kind:
        case Kind.INTEGER:
            if type(raw) is not int:  # neither true nor 7.0 counts
                raise NoNumber("value_type", f"{raw!r} is no whole number")
            return raw
        case Kind.DECIMAL:
            return _decimal(scale, raw)
        case Kind.DATE:
            return _date(raw)


def _decimal(scale: int, raw: Any) -> int:
    """`7.30` at one place is 73: compared as a whole number, never as a float."""
    if not isinstance(raw, str):
        raise NoNumber("value_type", f'{raw!r}: decimals are texts such as "7.3"')
    if raw.strip("+-").lower() in _NO_NUMBERS:
        raise NoNumber("value_scale", f"{raw} is no place on the scale")
    found = _DECIMAL.fullmatch(raw)
    if found is None:
        raise NoNumber("value_type", f"{raw!r} is no decimal number")
    sign, whole, places = found.group(1), found.group(2), (found.group(3) or "")
    if places[scale:].strip("0"):
        raise NoNumber("value_scale", f"{raw} has more than {scale} places")
    if len(whole) > _DIGITS:
        raise NoNumber("out_of_range", f"more than {_DIGITS} digits")
    number = int(whole + places[:scale].ljust(scale, "0"))
    return -number if sign else number


def _date(raw: Any) -> int:
    found = _DATE.fullmatch(raw) if isinstance(raw, str) else None
    if found is None:
        raise NoNumber("value_type", f'{raw!r}: dates are texts such as "1998-05-29"')
    number = int("".join(found.groups()))
    if not is_date(number):
        raise NoNumber("value_type", f"there is no {raw}")
    return number
