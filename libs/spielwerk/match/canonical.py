"""One canonical text for every state, and its digest: independent of process, hash seed and Python
version.

Integers, texts, truth values and None as in JSON; enums by value; dataclasses as [name, fields in
order]; tuples in order; sets and mappings sorted by the text of their items. Floats have no place
in a state.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, get_type_hints


def canonical(value: Any) -> str:
    """The canonical text; TypeError for a float or an unknown type."""
    return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=True)


def digest(value: Any) -> bytes:
    """SHA-256 of the canonical text."""
    return hashlib.sha256(canonical(value).encode()).digest()


def _plain(value: Any) -> Any:
    form = _FORMS.get(type(value))
    if form is None:
        form = _FORMS[type(value)] = _form(value)
    return form(value)


def _form(value: Any) -> Callable[[Any], Any]:
    """How values of this type are written; found once a type."""
    if isinstance(value, Enum):
        return _enum_value
    if is_dataclass(value) and not isinstance(value, type):
        return _dataclass_form(type(value))
    for kind, form in _CONTAINERS.items():
        if isinstance(value, kind):
            return form
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _dataclass_form(cls: Any) -> Callable[[Any], Any]:
    name, names = cls.__name__, tuple(f.name for f in fields(cls))

    def form(value: Any) -> Any:
        return [name, *[_plain(getattr(value, n)) for n in names]]

    if all(isinstance(hint, type) and issubclass(hint, Enum) for hint in _hints(cls)):
        return cache(form)  # one of few values, a card for instance
    return form


def _hints(cls: Any) -> list[Any]:
    return list(get_type_hints(cls).values())


def _itself(value: Any) -> Any:
    return value


def _enum_value(value: Any) -> Any:
    return value.value


def _sequence(value: Any) -> Any:
    return [_plain(item) for item in value]


def _sorted_set(value: Any) -> Any:
    return sorted((_plain(item) for item in value), key=_text)


def _sorted_mapping(value: Any) -> Any:
    return sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=_text)


def _text(plain: Any) -> str:
    return json.dumps(plain, separators=(",", ":"))


_FORMS: dict[type, Callable[[Any], Any]] = dict.fromkeys((type(None), bool, int, str), _itself)
_CONTAINERS: dict[type, Callable[[Any], Any]] = {
    tuple: _sequence,
    frozenset: _sorted_set,
    Mapping: _sorted_mapping,
    bytes: bytes.hex,
}
