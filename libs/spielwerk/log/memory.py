"""The event log in memory, for tests and simulations; behaves like the real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from spielwerk.errors import ResourceExhausted, Unavailable
from spielwerk.log.port import Batch, Conflict, Kind, OutcomeUnknown, Stored, StreamIdentity
from spielwerk.log.subjects import prefix, subject

_CREATED = "1970-01-01T00:00:00Z"
_BATCH = 2000


class MemoryLog:
    """MatchLog, LiveFeed and Tail over a list; a few switches make it fail like a broker.

    `full`: appends are refused; `away`: nothing can be asked; `lose_answer`: the next append is
    stored (True) or not (False), and its outcome is unknown either way.
    """

    def __init__(self) -> None:
        self.full = False
        self.away = False
        self.lose_answer: bool | None = None
        self._stored: list[Stored] = []
        self._of_match: dict[str, list[Stored]] = {}
        self._feeds: set[_Feed] = set()
        self._changed = asyncio.Event()

    async def append(
        self, match_id: str, kind: Kind, data: bytes, headers: Mapping[str, str], *, expected: int
    ) -> int:
        """See MatchLog."""
        await self._there()
        lost, self.lose_answer = self.lose_answer, None
        if lost is False:
            raise OutcomeUnknown
        if self._last_sequence(match_id) != expected:
            raise Conflict(f"wrong last sequence: {self._last_sequence(match_id)}")
        if self.full:
            raise ResourceExhausted("log_full", "the event log is full")
        sequence = self.put(subject(match_id, kind), data, headers)
        if lost:
            raise OutcomeUnknown
        return sequence

    def put(self, to: str, data: bytes, headers: Mapping[str, str]) -> int:
        """Store a message under any subject without a condition, as a foreign one would be."""
        stored = Stored(len(self._stored) + 1, to, dict(headers), data)
        self._stored.append(stored)
        self._of_match.setdefault(to.rpartition(".")[0], []).append(stored)
        for feed in self._feeds:
            feed.offer(stored)
        self._changed.set()
        self._changed = asyncio.Event()
        return stored.sequence

    async def read(self, match_id: str, *, after: int = 0) -> Sequence[Stored]:
        """See MatchLog."""
        await self._there()
        messages = self._of_match.get(prefix(match_id), [])
        return [stored for stored in messages if stored.sequence > after]

    async def last(self, match_id: str) -> Stored | None:
        """See MatchLog."""
        await self._there()
        messages = self._of_match.get(prefix(match_id))
        return messages[-1] if messages else None

    @asynccontextmanager
    async def live(self, match_id: str) -> AsyncIterator[AsyncIterator[Stored]]:
        """See LiveFeed."""
        await self._there()
        feed = _Feed(prefix(match_id) + ".")
        self._feeds.add(feed)
        try:
            yield feed
        finally:
            self._feeds.discard(feed)

    def lose_feeds(self) -> None:
        """End all live iterators, as a lost connection does."""
        for feed in self._feeds:
            feed.offer(None)

    async def identity(self) -> StreamIdentity:
        """See Tail."""
        await self._there()
        end = len(self._stored)
        return StreamIdentity("MEMORY", _CREATED, min(end, 1), end)

    async def follow(
        self, kinds: Sequence[Kind], *, after: int, headers_only: bool
    ) -> AsyncIterator[Batch]:
        """See Tail."""
        endings = tuple(f".{kind.value}" for kind in kinds)
        first = True
        while True:
            changed = self._changed
            messages: list[Stored] = []
            for stored in self._stored[after:]:
                if stored.subject.endswith(endings) and stored.subject.count(".") == 4:
                    messages.append(replace(stored, data=b"") if headers_only else stored)
                if len(messages) == _BATCH:
                    break
            after = messages[-1].sequence if messages else after
            if messages or first:
                first = False
                yield Batch(messages, after, len(messages) < _BATCH)
            else:
                await changed.wait()

    async def _there(self) -> None:
        await asyncio.sleep(0)  # like the real one, let others run
        if self.away:
            raise Unavailable("log_unavailable", "the event log cannot be reached")

    def _last_sequence(self, match_id: str) -> int:
        messages = self._of_match.get(prefix(match_id))
        return messages[-1].sequence if messages else 0


class _Feed:
    """Records of one match for one reader; None ends it."""

    def __init__(self, subjects: str) -> None:
        self._subjects = subjects
        self._waiting: asyncio.Queue[Stored | None] = asyncio.Queue()

    def offer(self, stored: Stored | None) -> None:
        if stored is None or stored.subject.startswith(self._subjects):
            self._waiting.put_nowait(stored)

    def __aiter__(self) -> AsyncIterator[Stored]:
        return self

    async def __anext__(self) -> Stored:
        stored = await self._waiting.get()
        if stored is None:
            self._waiting.put_nowait(None)
            raise Unavailable("live_lost", "live records were lost: compare with the log")
        return stored
