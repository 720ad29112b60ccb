"""Lists matches in the order of their opening, a bounded piece of the log a call."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Protocol

from spielwerk.api.v1 import match_pb2
from spielwerk.errors import InvalidArgument
from spielwerk.log.headers import read_headers
from spielwerk.log.port import Kind, MatchLog, Stored, Tail
from spielwerk.log.subjects import kind_of, match_id_of
from spielwerk.rpc.auth import Caller
from spielwerk_rules.audit import YIELD_EVERY, may_know, own_record

_SCANNED: Final = 5_000
"""Opened matches that one call reads at the most."""
_CLOCKS_APART_MS: Final = 10_000
"""So far the order of the log and the times in it may differ."""


class Log(MatchLog, Protocol):
    """Read by match, and stream by stream as a whole."""

    @property
    def parts(self) -> Sequence[Tail]:
        """The streams."""
        ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which matches; empty or None: all. Times in ms, `until_ms` exclusive."""

    game: str
    player_id: str
    from_ms: int | None
    until_ms: int | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A match as it was opened; `ended_at_ms` None while it goes on."""

    match_id: str
    sequence: int
    opened_at_ms: int
    opened: match_pb2.Opened
    ended_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """`next_after`: the sequence of each stream from which on to continue; None at their ends."""

    matches: Sequence[Listed]
    next_after: Sequence[int] | None


@dataclass(slots=True)
class _Stretch:
    """A stretch of one stream: what was found, how far it is told, where the next one begins.

    `goes_on` is None if nothing that is wanted follows now.
    """

    found: deque[Listed]
    told: int
    goes_on: int | None

    @property
    def unknown(self) -> bool:
        """Whether what comes next is not read yet."""
        return not self.found and self.goes_on is not None

    @property
    def more(self) -> bool:
        return bool(self.found) or self.goes_on is not None

    @property
    def position(self) -> int:
        return self.goes_on if self.unknown and self.goes_on is not None else self.told

    def take(self) -> Listed:
        listed = self.found.popleft()
        self.told = listed.sequence
        return listed


class Listing:
    """Reads `open` records in stream order, of several streams by their times; `heavy` bounds how
    many pages are read at once."""

    def __init__(self, log: Log, heavy: asyncio.Semaphore) -> None:
        self._log = log
        self._heavy = heavy

    async def page(self, wanted: Wanted, after: Sequence[int], size: int, caller: Caller) -> Page:
        """Up to `size` matches behind a sequence of each stream (none: from the beginning on).

        Raises InvalidArgument (bad_page_token).
        """
        logs = self._log.parts
        after = after or [0] * len(logs)
        if len(after) != len(logs):
            raise InvalidArgument("bad_page_token", field="page_token")
        async with self._heavy:
            stretches = await asyncio.gather(
                *(_stretch(*place, wanted, size, caller) for place in zip(logs, after, strict=True))
            )
        found = _in_order(stretches, size)
        times = await asyncio.gather(*[self._ended_at_ms(listed.match_id) for listed in found])
        more = any(stretch.more for stretch in stretches)
        positions = [stretch.position for stretch in stretches] if more else None
        return Page([_ended(*pair) for pair in zip(found, times, strict=True)], positions)

    async def _ended_at_ms(self, match_id: str) -> int | None:
        last = await self._log.last(match_id)
        if last is not None and read_headers(last.headers) is None:  # a foreign one hides it
            own = [m for m in await self._log.read(match_id) if own_record(m) is not None]
            last = own[-1] if own else None
        headers = read_headers(last.headers) if last else None
        if last is None or headers is None or kind_of(last.subject) is not Kind.END:
            return None
        return headers.recorded_at_ms


async def _stretch(log: Tail, after: int, wanted: Wanted, size: int, caller: Caller) -> _Stretch:
    if after > (await log.identity()).last_sequence:
        raise InvalidArgument("bad_page_token", field="page_token")
    found, goes_on = await _scanned(log, after, wanted, size, caller)
    return _Stretch(deque(found), after, goes_on)


async def _scanned(
    log: Tail, after: int, wanted: Wanted, size: int, caller: Caller
) -> tuple[list[Listed], int | None]:
    """What was found, and where to continue; None at the end of what is wanted."""
    found: list[Listed] = []
    scanned = 0
    batches = log.follow([Kind.OPEN], after=after, headers_only=False)
    async with aclosing(batches):  # type: ignore[type-var]
        async for batch in batches:
            for number, message in enumerate(batch.messages):
                if number % YIELD_EVERY == 0:
                    await asyncio.sleep(0)  # players' moves go first
                listed = _listed(message)
                if listed is None:
                    continue
                if _beyond(wanted, listed):
                    return found, None
                if _matches(wanted, listed) and may_know(listed.opened, caller):
                    found.append(listed)
                if len(found) == size:
                    return found, listed.sequence
            scanned += len(batch.messages)
            if batch.caught_up:
                return found, None
            if scanned >= _SCANNED:
                return found, batch.position
    return found, None


def _in_order(stretches: Sequence[_Stretch], size: int) -> list[Listed]:
    """The earliest ones, as far as no stream may still have an earlier one."""
    taken: list[Listed] = []
    while len(taken) < size and not any(stretch.unknown for stretch in stretches):
        waiting = [stretch for stretch in stretches if stretch.found]
        if not waiting:
            break
        first = min(waiting, key=lambda stretch: stretch.found[0].opened_at_ms)
        taken.append(first.take())
    return taken


def _listed(message: Stored) -> Listed | None:
    """The match that the record opens; None for a foreign message."""
    record, match_id = own_record(message), match_id_of(message.subject)
    if record is None or record.match_id != match_id or record.version != 1:
        return None
    return Listed(match_id, message.sequence, record.recorded_at_ms, record.events[0].opened)


def _matches(wanted: Wanted, listed: Listed) -> bool:
    opened, at = listed.opened, listed.opened_at_ms
    players = [o.human.player_id for o in opened.occupants if o.HasField("human")]
    return (
        wanted.game in ("", opened.game)
        and (not wanted.player_id or wanted.player_id in players)
        and (wanted.from_ms is None or at >= wanted.from_ms)
        and (wanted.until_ms is None or at < wanted.until_ms)
    )


def _beyond(wanted: Wanted, listed: Listed) -> bool:
    """Whether nothing that is wanted can follow."""
    until = wanted.until_ms
    return until is not None and listed.opened_at_ms >= until + _CLOCKS_APART_MS


def _ended(listed: Listed, at_ms: int | None) -> Listed:
    place = (listed.match_id, listed.sequence, listed.opened_at_ms, listed.opened)
    return Listed(*place, at_ms)
