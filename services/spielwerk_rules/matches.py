"""Matches as this process knows them: a bounded cache over the log, and the way records get into
the log.

Correctness comes from the conditional append, never from the cache: an entry may be old, then the
append conflicts (or a refusal is checked against the log first) and the command is decided again on
the newer state.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from spielwerk.errors import PermissionDenied, Refused, Unavailable, retold
from spielwerk.games.game import AnyGame
from spielwerk.log.headers import read_headers
from spielwerk.log.port import MatchLog, Stored
from spielwerk.match.decide import Decided
from spielwerk.match.fold import Registry
from spielwerk.match.model import Match, Record
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.appending import Appended, Recorder
from spielwerk_rules.cache import Cache, Entry
from spielwerk_rules.folding import Folder

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class First:
    """A record that has to stand in the log before the step can be decided."""

    decided: Decided


Step = Callable[[Match], Decided | First | T]
"""Decides on a match: a record to append, one to append before deciding again, or an answer that
needs none."""


class _Stale(Enum):
    """A try on a state that is not known to be the newest has decided nothing."""

    STALE = "stale"


class Matches:
    """The cache and the append of one rules process. `capacity` counts matches."""

    def __init__(
        self, log: MatchLog, find: Registry, metrics: Metrics, *, capacity: int, command_s: float
    ) -> None:
        self._log = log
        self._metrics = metrics
        self._command_s = command_s
        self._recorder = Recorder(log, metrics, command_s=command_s)
        self._cache = Cache(capacity, metrics)
        self._folder = Folder(find, metrics)

    async def change(self, match_id: str, step: Step[T]) -> Appended | T:
        """Decide and append until accepted, refused by the fresh state, or out of time (Unavailable
        busy)."""
        until = asyncio.get_running_loop().time() + self._command_s
        entry = self._cache.enter(match_id)
        try:
            if entry.users > 1 or entry.match is None:
                async with _in_time(until), entry.lock:
                    return await self._change(entry, step)
            async with entry.lock:  # nobody has it: nothing is waited for but the log's own answer
                done = await self._tried(entry, entry.match, step)
                if not isinstance(done, _Stale):
                    return done
                async with _in_time(until):
                    return await self._renewed(entry, step)
        finally:
            self._cache.leave(entry)

    async def open(self, match_id: str, decided: Decided) -> Appended | Match:
        """Append a first record; the match as it is if there is one already."""
        until = asyncio.get_running_loop().time() + self._command_s
        async with _in_time(until), self._cache.locked(match_id) as entry:
            if entry.match is None:
                appended = await self._recorder.append(entry, decided)
                if appended is not None:
                    return appended
            return await self._fresh(entry)

    async def ask(self, match_id: str, step: Callable[[Match], T]) -> T:
        """A question that the cache may answer; a refusal is checked against the log first."""
        async with self._cache.locked(match_id) as entry:
            match = entry.match or await self._fresh(entry)
            try:
                return step(match)
            except Refused:
                fresh = await self._fresh(entry)
                if fresh is match:
                    raise
                return step(fresh)

    async def fresh(self, match_id: str) -> Match:
        """The match, at least as new as every record acknowledged before the call."""
        async with self._cache.locked(match_id) as entry:
            return await self._fresh(entry)

    async def records(self, match_id: str, after_version: int) -> tuple[Match, list[Record]]:
        """The match and its records above a version, as new as `fresh`."""
        match = await self.fresh(match_id)
        stored = await self._log.read(match_id)  # not under the lock: moves do not wait for it
        asked = range(after_version + 1, match.version + 1)
        marked = [message for message in stored if _marked_version(message) in asked]
        records = self._records(marked, match.game, asked)
        if len(records) < len(asked):  # a header lies; only what is inside counts
            records = self._records(stored, match.game, asked)
        return match, records

    async def record_at(self, match: Match, sequence: int) -> Record:
        """The record stored at a sequence of the match."""
        stored = await self._log.read(match.match_id, after=sequence - 1)
        record = self._folder.read(stored[0], match.game)
        assert record is not None, "a receipt names a record that was folded"
        return record

    def decode(self, game: AnyGame, stored: Stored) -> Record | None:
        """The record in a message of the log; None for a foreign message."""
        return self._folder.read(stored, game)

    def _records(self, stored: Iterable[Stored], game: AnyGame, asked: range) -> list[Record]:
        records = (self._folder.read(message, game) for message in stored)
        return [record for record in records if record and record.version in asked]

    async def _change(self, entry: Entry, step: Step[T]) -> Appended | T:
        if entry.match is not None:
            done = await self._tried(entry, entry.match, step)
            if not isinstance(done, _Stale):
                return done
        return await self._renewed(entry, step)

    async def _tried(self, entry: Entry, match: Match, step: Step[T]) -> Appended | T | _Stale:
        """Once, on a state that may be old: a refusal has to be checked against the log."""
        try:
            decided = step(match)
        except Refused:
            return _Stale.STALE
        if isinstance(decided, Decided):
            return await self._recorder.append(entry, decided) or _Stale.STALE
        if isinstance(decided, First):
            await self._before(entry, decided)
            return _Stale.STALE
        return decided

    async def _renewed(self, entry: Entry, step: Step[T]) -> Appended | T:
        """On the log's newest state, as often as somebody else's record comes first."""
        while True:
            decided = step(await self._fresh(entry))
            if isinstance(decided, First):
                await self._before(entry, decided)
            elif isinstance(decided, Decided):
                appended = await self._recorder.append(entry, decided)
                if appended is not None:
                    return appended
            else:
                return decided

    async def _before(self, entry: Entry, first: First) -> None:
        """If somebody else's record comes first, the step will see to it again."""
        if await self._recorder.append(entry, first.decided):
            self._metrics.clock_shifts.inc()

    async def _fresh(self, entry: Entry) -> Match:
        """Catch up with the leader's last message of the match."""
        if entry.damaged:
            raise retold(entry.damaged)
        last = await self._log.last(entry.match_id)
        if last is None:
            raise PermissionDenied("no_such_match")
        tries = 0
        while entry.sequence < last.sequence:
            stored = await self._log.read(entry.match_id, after=entry.sequence)
            if not stored or stored[-1].sequence < last.sequence:  # a replica behind its leader
                tries += 1
                if tries > 20:
                    raise Unavailable("log_behind", "the log is catching up")
                await asyncio.sleep(0.01 * tries)
                continue
            self._folder.fold(entry, stored)
        if entry.match is None:
            raise PermissionDenied("no_such_match")
        return entry.match


def _marked_version(message: Stored) -> int | None:
    """The version by the message's header, which is quickly read."""
    headers = read_headers(message.headers)
    return headers.version if headers else None


@asynccontextmanager
async def _in_time(until: float) -> AsyncIterator[None]:
    """Until then, by the loop's clock. Out of time the outcome is open: the append may be under
    way."""
    try:
        async with asyncio.timeout_at(until):
            yield
    except TimeoutError:
        raise Unavailable("busy", "the match is too busy; repeat the command") from None
