"""Matches as this process knows them: a bounded cache over the log, and the way records get into
the log.

Correctness comes from the conditional append, never from the cache: an entry may be old, then the
append conflicts (or a refusal is checked against the log first) and the command is decided again on
the newer state.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

import structlog

from spielwerk.api.log.v1 import record_pb2
from spielwerk.codec.match import read_record, record_message
from spielwerk.errors import (
    MatchDamaged,
    PermissionDenied,
    Refused,
    SpielwerkError,
    Unavailable,
)
from spielwerk.games.game import AnyGame
from spielwerk.log.headers import OpenTurn, RecordHeaders, read_headers
from spielwerk.log.port import Conflict, Kind, MatchLog, OutcomeUnknown, Stored
from spielwerk.match.decide import Decided
from spielwerk.match.fold import Registry, finish, fold, is_end
from spielwerk.match.model import Match, Record
from spielwerk.telemetry.metrics import Metrics

T = TypeVar("T")
Step = Callable[[Match], Decided | T]
"""Decides on a match: a record to append, or an answer that needs none."""

_log = structlog.get_logger()


@dataclass(slots=True)
class Entry:
    """One match in the cache; `sequence` is its last message in the stream, foreign ones
    included."""

    match_id: str
    match: Match | None = None
    sequence: int = 0
    damaged: MatchDamaged | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


@dataclass(frozen=True, slots=True)
class Appended:
    """A record of this process that is now in the log, as it stands there, and the match after
    it."""

    match: Match
    record: Record
    message: record_pb2.Record


class _Stale(Enum):
    """A try on a state that is not known to be the newest has decided nothing."""

    STALE = "stale"


class Matches:
    """The cache and the append of one rules process. `capacity` counts matches."""

    def __init__(
        self, log: MatchLog, find: Registry, metrics: Metrics, *, capacity: int, command_s: float
    ) -> None:
        self._log = log
        self._find = find
        self._metrics = metrics
        self._capacity = capacity
        self._command_s = command_s
        # Looking a child up costs as much as counting.
        self._append_seconds = metrics.append_seconds
        self._appends_stored = metrics.appends.labels("stored")
        self._hits, self._replays = map(metrics.state_cache.labels, ("hit", "replay"))
        self._entries: OrderedDict[str, Entry] = OrderedDict()

    async def change(self, match_id: str, step: Step[T]) -> Appended | T:
        """Decide and append until accepted, refused by the fresh state, or out of time (Unavailable
        busy)."""
        until = asyncio.get_running_loop().time() + self._command_s
        entry = self._entered(match_id)
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
            self._left(entry)

    async def open(self, match_id: str, decided: Decided) -> Appended | Match:
        """Append a first record; the match as it is if there is one already."""
        until = asyncio.get_running_loop().time() + self._command_s
        async with _in_time(until), self._entry(match_id) as entry:
            if entry.match is None:
                appended = await self._append(entry, decided)
                if appended is not None:
                    return appended
            return await self._fresh(entry)

    async def ask(self, match_id: str, step: Callable[[Match], T]) -> T:
        """A question that the cache may answer; a refusal is checked against the log first."""
        async with self._entry(match_id) as entry:
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
        async with self._entry(match_id) as entry:
            return await self._fresh(entry)

    async def records(self, match_id: str, after_version: int) -> tuple[Match, list[Record]]:
        """The match and its records above a version, as new as `fresh`."""
        async with self._entry(match_id) as entry:
            match = await self._fresh(entry)
            stored = await self._log.read(match_id)
            return match, self._decode(match_id, match.game, stored, after_version, match.version)

    async def record_at(self, match: Match, sequence: int) -> Record:
        """The record stored at a sequence of the match."""
        stored = await self._log.read(match.match_id, after=sequence - 1)
        return read_record(stored[0].data, match.game, self._find)[0]

    def decode(self, game: AnyGame, stored: Stored) -> Record | None:
        """The record in a message of the log; None for a foreign message."""
        return self._read(stored, game)

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
        if not isinstance(decided, Decided):
            return decided
        return await self._append(entry, decided) or _Stale.STALE

    async def _renewed(self, entry: Entry, step: Step[T]) -> Appended | T:
        """On the log's newest state, as often as somebody else's record comes first."""
        while True:
            decided = step(await self._fresh(entry))
            if not isinstance(decided, Decided):
                return decided
            appended = await self._append(entry, decided)
            if appended is not None:
                return appended

    async def _append(self, entry: Entry, decided: Decided) -> Appended | None:
        """Store the record; None after a conflict with somebody else's."""
        record, game = decided.record, decided.after.game
        message = record_message(game, record)
        data = message.SerializeToString()
        headers = _headers(decided).write()
        sequence = await self._stored(entry, _kind(record), data, headers)
        if sequence is None:
            return None
        after = finish(decided.after, record, hashlib.sha256(data).digest(), sequence)
        entry.match, entry.sequence = after, sequence
        self._count(after)
        return Appended(after, record, message)

    async def _stored(
        self, entry: Entry, kind: Kind, data: bytes, headers: Mapping[str, str]
    ) -> int | None:
        """The record's sequence; None after a conflict with somebody else's."""
        while True:
            begin = time.perf_counter()
            try:
                return await self._log.append(
                    entry.match_id, kind, data, headers, expected=entry.sequence
                )
            except OutcomeUnknown:
                # The same bytes at the same place are stored now, or conflict with themselves.
                self._metrics.appends.labels("unclear").inc()
                await asyncio.sleep(random.uniform(0.01, 0.05))
            except Conflict:
                sequence = await self._found(entry, data)
                if sequence:
                    return sequence
                self._metrics.appends.labels("conflict").inc()
                await asyncio.sleep(random.uniform(0, 0.005))
                return None
            finally:
                self._append_seconds.observe(time.perf_counter() - begin)

    def _count(self, match: Match) -> None:
        self._appends_stored.inc()
        game = match.opened.game
        if match.version == 1:
            self._metrics.matches_opened.labels(game).inc()
        if match.ended is not None:
            self._metrics.matches_ended.labels(game, match.ended.reason).inc()

    async def _found(self, entry: Entry, data: bytes) -> int:
        """Where our own bytes stand, if what conflicted was our own append whose answer was lost;
        else 0."""
        for stored in await self._log.read(entry.match_id, after=entry.sequence):
            if stored.data == data:
                last = await self._log.last(entry.match_id)
                return stored.sequence if last and last.sequence == stored.sequence else 0
        return 0

    async def _fresh(self, entry: Entry) -> Match:
        """Catch up with the leader's last message of the match."""
        if entry.damaged:
            raise entry.damaged
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
            self._fold(entry, stored)
        if entry.match is None:
            raise PermissionDenied("no_such_match")
        return entry.match

    def _fold(self, entry: Entry, stored: Sequence[Stored]) -> None:
        self._metrics.records_read.inc(len(stored))
        for message in stored:
            record = self._read(message, entry.match.game if entry.match else None)
            if record is not None:
                entry.match = self._folded(entry, record, message)
            entry.sequence = message.sequence

    def _folded(self, entry: Entry, record: Record, message: Stored) -> Match:
        sha256 = hashlib.sha256(message.data).digest()
        try:
            return fold(entry.match, record, sha256, message.sequence, self._find)
        except SpielwerkError:
            raise
        except Exception as error:  # whatever it is: this match is frozen, the others go on
            why = error.why if isinstance(error, MatchDamaged) else f"folding failed: {error!r}"
            entry.damaged = MatchDamaged(entry.match_id, record.version, why)
            self._metrics.matches_frozen.inc()
            _log.error("match_frozen", match_id=entry.match_id, version=record.version, why=why)
            raise entry.damaged from error

    def _read(self, message: Stored, game: AnyGame | None) -> Record | None:
        """None for a foreign message: without our header, unreadable, or of another match."""
        match_id = message.subject.split(".")[-2]
        if read_headers(message.headers) is not None:
            try:
                record, _ = read_record(message.data, game, self._find)
            except MatchDamaged:
                record = None
            if record is not None and record.match_id == match_id:
                return record
        self._metrics.foreign_messages.inc()
        _log.warning("foreign_message", match_id=match_id, sequence=message.sequence)
        return None

    def _decode(
        self, match_id: str, game: AnyGame, stored: Sequence[Stored], after: int, until: int
    ) -> list[Record]:
        records = (self._read(message, game) for message in stored)
        return [r for r in records if r and r.match_id == match_id and after < r.version <= until]

    @asynccontextmanager
    async def _entry(self, match_id: str) -> AsyncIterator[Entry]:
        """The match's entry, locked: commands of one match run one after another, in the order they
        came."""
        entry = self._entered(match_id)
        try:
            async with entry.lock:
                yield entry
        finally:
            self._left(entry)

    def _entered(self, match_id: str) -> Entry:
        """The match's entry, kept at least until it is left."""
        entry = self._entries.get(match_id)
        if entry is None:
            self._replays.inc()
            entry = self._entries[match_id] = Entry(match_id)
            self._evict()
            self._metrics.states_cached.set(len(self._entries))
        else:
            self._hits.inc()
            self._entries.move_to_end(match_id)
        entry.users += 1
        return entry

    def _left(self, entry: Entry) -> None:
        entry.users -= 1
        if entry.match is None and not entry.users:  # nothing learnt: unknown ids take no room
            self._entries.pop(entry.match_id, None)

    def _evict(self) -> None:
        surplus = len(self._entries) - self._capacity
        if surplus <= 0:
            return
        idle = [e.match_id for e in self._entries.values() if not e.users][:surplus]
        for match_id in idle:
            del self._entries[match_id]


@asynccontextmanager
async def _in_time(until: float) -> AsyncIterator[None]:
    """Until then, by the loop's clock. Out of time the outcome is open: the append may be under
    way."""
    try:
        async with asyncio.timeout_at(until):
            yield
    except TimeoutError:
        raise Unavailable("busy", "the match is too busy; repeat the command") from None


def _kind(record: Record) -> Kind:
    if is_end(record):
        return Kind.END
    return Kind.OPEN if record.version == 1 else Kind.MOVE


def _headers(decided: Decided) -> RecordHeaders:
    record, after = decided.record, decided.after
    turns = tuple(
        OpenTurn(t.seat, t.key, t.deadline_ms, after.is_bot(t.seat)) for t in record.turns
    )
    return RecordHeaders(after.opened.game, record.version, record.recorded_at_ms, turns)
