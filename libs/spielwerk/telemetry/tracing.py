"""One trace id from a call to all that follows from it, in lines, calls and records.

Clients may bring one as W3C Trace Context (`traceparent`); what is no such thing is replaced, never
printed or passed on. Nothing is sampled and no spans are kept: the id links lines of logs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

TRACEPARENT: Final = "traceparent"
"""Key of the metadata in which a call brings its trace."""
TRACE_ID: Final = "trace-id"
"""Key of the metadata in which an answer tells it."""

_PARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII
)
_ID: Final = re.compile(r"(?!0{32})[0-9a-f]{32}")
_LENGTH: Final = 55

_current: ContextVar[str] = ContextVar("spielwerk_trace", default="")


def trace_id() -> str:
    """The trace of the running task: 32 hexadecimal digits, or "" outside of any."""
    return _current.get()


def begin(traceparent: str | bytes | None) -> str:
    """Enter the trace that a call brings, or a new one, until the end of the running task."""
    found = _read(traceparent) or _new()
    _current.set(found)
    return found


@contextmanager
def continued(found: str) -> Iterator[None]:
    """Enter a trace that was kept; a new one for "" and for what is no trace id."""
    token = _current.set(found if _ID.fullmatch(found) else _new())
    try:
        yield
    finally:
        _current.reset(token)


def traceparent() -> str:
    """What a call tells of the running task's trace; "" outside of any."""
    found = _current.get()
    return f"00-{found}-{_number(64):016x}-00" if found else ""


def _read(traceparent: str | bytes | None) -> str:
    """The trace id, or "" for what is malformed. Later versions may append more."""
    if not isinstance(traceparent, str):
        return ""
    parent = _PARENT.match(traceparent)
    if parent is None:
        return ""
    longer = len(traceparent) > _LENGTH
    if longer and (traceparent.startswith("00") or traceparent[_LENGTH] != "-"):
        return ""
    return parent[1]


def _new() -> str:
    return f"{_number(128):032x}"


def _number(bits: int) -> int:
    """Never 0, which means: none. Ids need not be hard to guess."""
    return random.getrandbits(bits) or 1
