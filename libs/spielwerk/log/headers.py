"""Headers of a stored record: what services route by, without hands and seeds.

The payload repeats everything and rules trusts only the payload.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MARK: Final = "Sw-Record"
_GAME: Final = "Sw-Game"
_VERSION: Final = "Sw-Version"
_TURNS: Final = "Sw-Turns"
_TIME: Final = "Sw-Time"
_SHA256: Final = "Sw-Sha256"
_TRACE: Final = "Sw-Trace"

_compact: Final = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A seat that must act; `deadline_ms` None: no deadline; `bot`: the installation plays the
    seat."""

    seat: int
    key: str
    deadline_ms: int | None
    bot: bool


@dataclass(frozen=True, slots=True)
class RecordHeaders:
    """The routing part of one record; no turns are open after the last one.

    `sha256`: of the stored bytes in hexadecimal, only with the last record, which no other one
    names and in which nothing is secret any more. `trace`: of the call that led to the record, for
    the logs of services; nothing follows from it, so it is not compared, and players never see it.
    """

    game: str
    version: int
    recorded_at_ms: int
    turns: tuple[OpenTurn, ...]
    sha256: str = ""
    trace: str = field(default="", compare=False)

    def write(self) -> dict[str, str]:
        """As NATS headers (values must be text)."""
        turns = [[t.seat, t.key, t.deadline_ms, int(t.bot)] for t in self.turns]
        headers = {
            MARK: "1",
            _GAME: self.game,
            _VERSION: str(self.version),
            _TIME: str(self.recorded_at_ms),
            _TURNS: _compact(turns),
        }
        if self.sha256:
            headers[_SHA256] = self.sha256
        if self.trace:
            headers[_TRACE] = self.trace
        return headers


def read_headers(headers: Mapping[str, str] | None) -> RecordHeaders | None:
    """The routing part, or None if this is no record of ours (a foreign message: skip and count
    it)."""
    if not headers or headers.get(MARK) != "1":
        return None
    try:
        turns = tuple(
            OpenTurn(int(seat), str(key), None if at is None else int(at), bool(bot))
            for seat, key, at, bot in json.loads(headers[_TURNS])
        )
        version, sha256 = int(headers[_VERSION]), headers.get(_SHA256, "")
        at_ms, trace = int(headers[_TIME]), trace_of(headers)
        return RecordHeaders(headers[_GAME], version, at_ms, turns, sha256, trace)
    except (KeyError, ValueError, TypeError):
        return None


def is_marked(headers: Mapping[str, str] | None) -> bool:
    """Whether a message claims to be a record of ours, with these headers or a later release's."""
    return headers is not None and MARK in headers


def trace_of(headers: Mapping[str, str]) -> str:
    """The trace of the call that led to a record, or ""; anything, if a stranger wrote it."""
    return headers.get(_TRACE, "")


def shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """What may leave the installation with a record: all but the trace of somebody's call."""
    return {name: value for name, value in headers.items() if name != _TRACE}
