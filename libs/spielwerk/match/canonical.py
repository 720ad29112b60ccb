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
from typing import Any, get_type_hints

Form = Callable[[Any], str]


def canonical(value: Any) -> str:
    """The canonical text; TypeError for a float or an unknown type."""
    return _FORMS[type(value)](value)


def digest(value: Any) -> bytes:
    """SHA-256 of the canonical text."""
    return hashlib.sha256(canonical(value).encode()).digest()


class _Forms(dict[type, Form]):
    """How values of each type are written; found once a type."""

    def __missing__(self, cls: type) -> Form:
        form = self[cls] = _form(cls)
        return form


def _form(cls: type) -> Form:
    if issubclass(cls, Enum):
        return _enum_form(cls)
    if is_dataclass(cls):
        return _dataclass_form(cls)
    for kind, form in _CONTAINERS.items():
        if issubclass(cls, kind):
            return form
    raise TypeError(f"no canonical form for {cls.__name__}")


def _enum_form(cls: type[Enum]) -> Form:
    return {member: canonical(member.value) for member in cls}.__getitem__


def _dataclass_form(cls: type) -> Form:
    """One straight function a class, as dataclasses does it: states are written often."""
    hints = get_type_hints(cls)
    if hints and all(isinstance(hint, type) and issubclass(hint, Enum) for hint in hints.values()):
        return _few_values_form(cls, list(hints.items()))
    scope: dict[str, Any] = {"FORMS": _FORMS}
    parts = [json.dumps(cls.__name__)]
    for number, field in enumerate(fields(cls)):
        hint, place = hints[field.name], f"v.{field.name}"
        if isinstance(hint, type) and issubclass(hint, Enum):
            scope[f"e{number}"] = {member: canonical(member.value) for member in hint}
            parts.append(f"{{e{number}[{place}]}}")
        else:
            parts.append(f"{{FORMS[type({place})]({place})}}")
    exec(f"def form(v): return f'[{','.join(parts)}]'", scope)
    form: Form = scope["form"]
    return form


def _few_values_form(cls: type, hints: list[tuple[str, type[Enum]]]) -> Form:
    """Of nothing but enums, a card for instance: each text is made once."""
    texts: dict[tuple[Enum, ...], str] = {}

    def make(*members: Enum) -> str:
        parts = [json.dumps(cls.__name__), *map(canonical, members)]
        return texts.setdefault(members, f"[{','.join(parts)}]")

    key = ", ".join(f"v.{name}" for name, _ in hints)
    scope: dict[str, Any] = {"texts": texts, "make": make}
    exec(f"def form(v): return texts.get(({key},)) or make({key})", scope)
    form: Form = scope["form"]
    return form


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _none(_: None) -> str:
    return "null"


def _sequence(value: Any) -> str:
    kinds = set(map(type, value))
    if len(kinds) == 1:
        return f"[{','.join(map(_FORMS[kinds.pop()], value))}]"
    return f"[{','.join([_FORMS[type(item)](item) for item in value])}]"


def _sorted_set(value: Any) -> str:
    return f"[{','.join(sorted([canonical(item) for item in value]))}]"


def _sorted_mapping(value: Any) -> str:
    items = sorted([f"[{canonical(key)},{canonical(item)}]" for key, item in value.items()])
    return f"[{','.join(items)}]"


def _hexadecimal(value: bytes) -> str:
    return f'"{value.hex()}"'


_CONTAINERS: dict[type, Form] = {
    tuple: _sequence,
    frozenset: _sorted_set,
    Mapping: _sorted_mapping,
    bytes: _hexadecimal,
}
_FORMS = _Forms({int: int.__repr__, bool: _truth, str: json.dumps, type(None): _none})
