"""One canonical text for every state, and its digest: independent of process, hash seed and Python version.

Integers, texts, truth values and None as in JSON; enums by value; dataclasses as [name, fields in order];
tuples in order; sets and mappings sorted by the text of their items. Floats have no place in a state.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any


def canonical(value: Any) -> str:
    """The canonical text; TypeError for a float or an unknown type."""
    return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=True)


def digest(value: Any) -> bytes:
    """SHA-256 of the canonical text."""
    return hashlib.sha256(canonical(value).encode()).digest()


def _plain(value: Any) -> Any:
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(_plain(getattr(value, n)) for n in _names(type(value)))]
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted((_plain(item) for item in value), key=_text)
    if isinstance(value, Mapping):
        return sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=_text)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _text(plain: Any) -> str:
    return json.dumps(plain, separators=(",", ":"))


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls))
