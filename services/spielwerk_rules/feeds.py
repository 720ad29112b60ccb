"""Live records of watched matches: one subscription a match, redacted once a viewer, gap-free for
each reader.

Subscribe first, read second, join by version. The last message of a match can be lost silently, so
at each keep-alive, on reconnect and after a slow-consumer error the log's last record is compared
with what was seen.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import dataclass, field
from typing import Final

import structlog

from spielwerk.api.v1 import match_pb2
from spielwerk.codec.match import fill_update
from spielwerk.errors import MatchDamaged, ResourceExhausted, SpielwerkError, Unavailable
from spielwerk.games.game import Seat
from spielwerk.log.port import LiveFeed
from spielwerk.match.fold import is_end
from spielwerk.match.model import Match, Record
from spielwerk_rules.matches import Matches

SLOW_READER: Final = "slow_reader"

_log = structlog.get_logger()


@dataclass(eq=False, slots=True)
class Reader:
    """One viewer's bounded queue; `error` ends it."""

    viewer: Seat | None
    queue: asyncio.Queue[match_pb2.MatchUpdate | None]
    error: SpielwerkError | MatchDamaged | None = None

    def put(self, update: match_pb2.MatchUpdate) -> None:
        """Queue an update; a full queue ends the reader: it is too slow."""
        if self.error is None:
            try:
                self.queue.put_nowait(update)
            except asyncio.QueueFull:
                self.fail(ResourceExhausted(SLOW_READER, "read faster or resume later"))

    def fail(self, error: SpielwerkError | MatchDamaged) -> None:
        """End the reader with an error once it has read what it has."""
        if self.error is None:
            self.error = error
            with contextlib.suppress(asyncio.QueueFull):
                self.queue.put_nowait(None)


@dataclass(eq=False, slots=True)
class _Feed:
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
        reader = Reader(viewer, asyncio.Queue(self._queue))
        feed = self._feeds.get(match_id)
        if feed is None:
            feed = self._feeds[match_id] = _Feed()
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
                _log.info("feed_resubscribes", match_id=match_id, reason=error.reason)
                await asyncio.sleep(0.2)
            except (SpielwerkError, MatchDamaged) as error:
                self._fail(feed, error)
                return
            except Exception:
                _log.exception("feed_failed", match_id=match_id)
                self._fail(feed, Unavailable("feed_failed", "resume the stream"))
                return

    def _fail(self, feed: _Feed, error: SpielwerkError | MatchDamaged) -> None:
        feed.ready.set()
        for reader in feed.readers:
            reader.fail(error)

    async def _follow(self, match_id: str, feed: _Feed) -> None:
        async with self._live.live(match_id) as messages:
            match = await self._matches.fresh(match_id)
            if feed.seen:  # what came during the interruption stands in the log
                match = await self._catch_up(match_id, feed)
            feed.seen = match.version
            feed.ready.set()
            while match.ended is None:
                try:
                    async with asyncio.timeout(self._keep_alive_s):
                        stored = await anext(messages)
                except TimeoutError:
                    match = await self._catch_up(match_id, feed)
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
        feed.seen = record.version
        updates: dict[Seat | None, match_pb2.MatchUpdate] = {}
        for reader in feed.readers:
            update = updates.get(reader.viewer)
            if update is None:
                update = updates[reader.viewer] = match_pb2.MatchUpdate()
                fill_update(match.game, match.opened.options, record, reader.viewer, update)
            reader.put(update)
