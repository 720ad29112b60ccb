"""Live records of watched matches: one subscription a match, redacted once a viewer, gap-free for
each reader.

Subscribe first, read second, join by version. The last message of a match can be lost silently, so
at each keep-alive, on reconnect and after a slow-consumer error the log's last record is compared
with what was seen. That is one look at the log for all readers, and what it finds stands in their
queues before the keep-alive: no keep-alive is ahead of its stream.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass, field
from typing import Final

import structlog

from spielwerk.api.v1 import match_pb2
from spielwerk.codec.match import fill_update
from spielwerk.errors import MatchDamaged, ResourceExhausted, SpielwerkError, Unavailable, retold
from spielwerk.games.game import Seat
from spielwerk.log.port import LiveFeed
from spielwerk.match.fold import is_end
from spielwerk.match.model import Match, Record
from spielwerk_rules.matches import Matches

SLOW_READER: Final = "slow_reader"

_log = structlog.get_logger()


@dataclass(eq=False, slots=True)
class Reader:
    """One viewer's bounded queue of updates; where a keep-alive is due, the match as it is."""

    viewer: Seat | None
    room: int
    _waiting: deque[match_pb2.MatchUpdate | Match] = field(default_factory=deque)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _error: SpielwerkError | MatchDamaged | None = None

    async def next(self) -> match_pb2.MatchUpdate | Match:
        """What comes next; raises what ended the reader once all that waits is read.

        A wait that is given up loses nothing: only one who is awake takes from the queue.
        """
        while not self._waiting:
            if self._error is not None:
                raise self._error
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()

    def put(self, update: match_pb2.MatchUpdate) -> None:
        """Queue an update; a full queue ends the reader: it is too slow."""
        self._add(update)
        if len(self._waiting) > self.room:
            self._waiting.pop()
            self.fail(ResourceExhausted(SLOW_READER, "read faster or resume later"))

    def keep_alive(self, match: Match) -> None:
        """Nothing is new; not for one who has enough to read."""
        if len(self._waiting) < self.room:
            self._add(match)

    def fail(self, error: SpielwerkError | MatchDamaged) -> None:
        """End the reader once it has read what it has; the error may be told to others, too."""
        if self._error is None:
            self._error = retold(error)
            self._news.set()

    def _add(self, news: match_pb2.MatchUpdate | Match) -> None:
        if self._error is None:
            if self._waiting and isinstance(self._waiting[-1], Match):  # what is newer says more
                self._waiting.pop()
            self._waiting.append(news)
            self._news.set()


@dataclass(eq=False, slots=True)
class _Feed:
    due: float
    """When the next keep-alive is, by the loop's clock."""
    readers: set[Reader] = field(default_factory=set)
    seen: int = 0
    """The last version that the readers were given; it outlives every subscription."""
    task: asyncio.Task[None] | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)


class Feeds:
    """The feeds of one process; a match has one while somebody reads it."""

    def __init__(
        self, matches: Matches, live: LiveFeed, *, keep_alive_s: float, queue: int
    ) -> None:
        self._matches = matches
        self._live = live
        self._keep_alive_s = keep_alive_s
        self._queue = queue
        self._feeds: dict[str, _Feed] = {}

    @asynccontextmanager
    async def reader(self, match_id: str, viewer: Seat | None) -> AsyncIterator[Reader]:
        """A reader that receives everything appended after entry (and perhaps a little before)."""
        reader = Reader(viewer, self._queue)
        feed = self._feeds.get(match_id)
        if feed is None:
            feed = self._feeds[match_id] = _Feed(self._next_due())
            # For all readers, so in nobody's trace.
            feed.task = asyncio.create_task(self._run(match_id, feed), context=Context())
        feed.readers.add(reader)
        try:
            await feed.ready.wait()
            yield reader
        finally:
            feed.readers.discard(reader)
            if not feed.readers and self._feeds.get(match_id) is feed:
                del self._feeds[match_id]
                if feed.task is not None:
                    feed.task.cancel()

    @property
    def open(self) -> int:
        """Matches that are being followed."""
        return len(self._feeds)

    async def close(self) -> None:
        """End all feeds."""
        tasks = [feed.task for feed in self._feeds.values() if feed.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, match_id: str, feed: _Feed) -> None:
        """Follow the match until it ends or nobody reads; re-subscribe after each loss."""
        while True:
            try:
                await self._follow(match_id, feed)
                return
            except (Unavailable, ResourceExhausted) as error:
                if asyncio.get_running_loop().time() >= feed.due:  # deaf for too long
                    self._fail(match_id, feed, error)
                    return
                _log.info("feed_resubscribes", match_id=match_id, reason=error.reason)
                await asyncio.sleep(0.2)
            except (SpielwerkError, MatchDamaged) as error:
                self._fail(match_id, feed, error)
                return
            except Exception:
                _log.exception("feed_failed", match_id=match_id)
                self._fail(match_id, feed, Unavailable("feed_failed", "resume the stream"))
                return

    def _fail(self, match_id: str, feed: _Feed, error: SpielwerkError | MatchDamaged) -> None:
        # At once, not with its last reader: one who resumes must not find it.
        if self._feeds.get(match_id) is feed:
            del self._feeds[match_id]
        feed.ready.set()
        for reader in feed.readers:
            reader.fail(error)

    async def _follow(self, match_id: str, feed: _Feed) -> None:
        async with self._live.live(match_id) as messages:
            if feed.seen:  # what came during the interruption stands in the log
                match = await self._catch_up(match_id, feed)
            else:
                match = await self._matches.fresh(match_id)
            feed.seen = match.version
            feed.ready.set()
            while match.ended is None:
                try:
                    async with asyncio.timeout_at(feed.due):
                        stored = await anext(messages)
                except TimeoutError:
                    match = await self._catch_up(match_id, feed)
                    self._keep_alive(feed, match)
                except StopAsyncIteration:
                    raise Unavailable("feed_lost") from None
                else:
                    record = self._matches.decode(match.game, stored)
                    if record is None or record.version <= feed.seen:
                        continue
                    if record.version == feed.seen + 1:
                        self._publish(match, feed, record)
                    else:
                        match = await self._catch_up(match_id, feed)
                    if is_end(record):
                        return

    async def _catch_up(self, match_id: str, feed: _Feed) -> Match:
        match = await self._matches.fresh(match_id)
        if match.version > feed.seen:
            match, records = await self._matches.records(match_id, feed.seen)
            for record in records:
                self._publish(match, feed, record)
        return match

    def _publish(self, match: Match, feed: _Feed, record: Record) -> None:
        feed.seen, feed.due = record.version, self._next_due()
        updates: dict[Seat | None, match_pb2.MatchUpdate] = {}
        for reader in feed.readers:
            update = updates.get(reader.viewer)
            if update is None:
                update = updates[reader.viewer] = match_pb2.MatchUpdate()
                fill_update(match.game, match.opened.options, record, reader.viewer, update)
            reader.put(update)

    def _keep_alive(self, feed: _Feed, match: Match) -> None:
        feed.due = self._next_due()
        for reader in feed.readers:
            reader.keep_alive(match)

    def _next_due(self) -> float:
        return asyncio.get_running_loop().time() + self._keep_alive_s
