"""A readable notation of commands and events that can be read back: `Play {"card": "5H"}`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from spielwerk.cards import Card, Joker, parse_any_card


def write(value: Any) -> str:
    """Name and fields of a command or event; fields at their defaults are written too."""
    return f"{type(value).__name__} {json.dumps(_plain(value))}"


def read(text: str, classes: Iterable[type]) -> Any:
    """The command or event of one of the classes; KeyError for another name."""
    name, _, content = text.partition(" ")
    return _value({cls.__name__: cls for cls in classes}[name], json.loads(content))


def plain(value: Any) -> str:
    """The fields alone, as JSON."""
    return json.dumps(_plain(value))


def from_plain(cls: type, text: str) -> Any:
    """The value of the class whose fields are given as JSON."""
    return _value(cls, json.loads(text))


def _plain(value: Any) -> Any:
    if isinstance(value, Card | Joker):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _value(hint: Any, plain_value: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return None if plain_value is None else _one_of(get_args(hint), plain_value)
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        return tuple(_value(item, element) for element in plain_value)
    if hint is Card:
        return Card.parse(plain_value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(plain_value)
    if is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        return hint(**{name: _value(hints[name], item) for name, item in plain_value.items()})
    return plain_value


def _one_of(choices: Iterable[Any], plain_value: Any) -> Any:
    """A value that may be None, or a card that may be a joker."""
    inner = [choice for choice in choices if choice is not NoneType]
    return parse_any_card(plain_value) if Joker in inner else _value(inner[0], plain_value)
