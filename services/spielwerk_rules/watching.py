"""One watch: snapshot or history, then live versions in order without gaps, with keep-alives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from spielwerk.api.v1 import match_pb2
from spielwerk.clock import Clock
from spielwerk.codec.match import fill_turns, fill_update, fill_view
from spielwerk.errors import FailedPrecondition, SpielwerkError, Unavailable
from spielwerk.games.game import Seat
from spielwerk.log.subjects import check_match_id
from spielwerk.match.fold import turns_list
from spielwerk.match.model import Match, Record
from spielwerk.rpc.auth import Caller
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.feeds import SLOW_READER, Feeds, Reader
from spielwerk_rules.matches import Matches
from spielwerk_rules.seats import viewer_in

_PRIVILEGED = ("auditor", "operator")
_LATE_S: Final = 20.0
"""So late may a keep-alive be; clients wait 45 s for one."""


@dataclass(slots=True)
class Progress:
    """The last version that was handed out."""

    sent: int


class Watching:
    """Opens watches on matches for callers."""

    def __init__(
        self,
        matches: Matches,
        feeds: Feeds,
        clock: Clock,
        *,
        keep_alive_s: float,
        draining: asyncio.Event,
        metrics: Metrics,
    ) -> None:
        self._matches = matches
        self._feeds = feeds
        self._clock = clock
        self._keep_alive_s = keep_alive_s
        self._draining = draining
        self._metrics = metrics

    async def watch(
        self, match_id: str, caller: Caller, after_version: int | None
    ) -> AsyncGenerator[match_pb2.WatchResponse, None]:
        """Everything the caller may see of the match, until it ends.

        Raises PermissionDenied (no_such_match), FailedPrecondition (version_ahead),
        ResourceExhausted (slow_reader), Unavailable (draining, feed_lost), the last two with
        metadata `resume_after_version`.
        """
        check_match_id(match_id)
        viewer = viewer_of(await self._matches.fresh(match_id), caller)
        progress = Progress(after_version or 0)
        try:
            with self._metrics.watchers.track_inprogress():
                async with self._reader(match_id, viewer) as reader:
                    async for response in self._responses(
                        match_id, after_version, reader, progress
                    ):
                        yield response
        except SpielwerkError as error:
            error.metadata.setdefault("resume_after_version", str(progress.sent))
            if error.reason == SLOW_READER:
                self._metrics.slow_readers.inc()
            raise

    @asynccontextmanager
    async def _reader(self, match_id: str, viewer: Seat | None) -> AsyncIterator[Reader]:
        """A reader of the match's feed that a drain ends."""

        async def drained() -> None:
            await self._draining.wait()
            reader.fail(Unavailable("draining", "resume on another replica"))

        async with self._feeds.reader(match_id, viewer) as reader:
            ending = asyncio.create_task(drained())
            try:
                yield reader
            finally:
                ending.cancel()

    async def _responses(
        self, match_id: str, after_version: int | None, reader: Reader, progress: Progress
    ) -> AsyncGenerator[match_pb2.WatchResponse, None]:
        """First what is in the log, then what comes; the reader is subscribed already."""
        match, records = await self._read(match_id, after_version)
        if after_version is not None and after_version > match.version:
            # Nobody can have seen it in this log: it was set back, or the client errs.
            raise FailedPrecondition(
                "version_ahead", "the match is not so far; begin anew", resume_after_version="0"
            )
        if after_version is None:
            response = match_pb2.WatchResponse()
            fill_view(match, reader.viewer, response.snapshot)
            yield response
        for record in records:
            response = match_pb2.WatchResponse()
            options = match.opened.options
            fill_update(match.game, options, record, reader.viewer, response.update)
            progress.sent = record.version
            yield response
        progress.sent = match.version
        if match.ended is None:
            async for response in self._live(reader, progress):
                yield response

    async def _read(self, match_id: str, after_version: int | None) -> tuple[Match, list[Record]]:
        if after_version is None:
            return await self._matches.fresh(match_id), []
        return await self._matches.records(match_id, after_version)

    async def _live(
        self, reader: Reader, progress: Progress
    ) -> AsyncGenerator[match_pb2.WatchResponse, None]:
        while True:
            news = await self._next(reader)
            alive = isinstance(news, Match)
            expected = progress.sent if alive else progress.sent + 1
            if news.version < expected:  # the log was read after the feed had told of it
                continue
            if news.version > expected:
                raise Unavailable("feed_lost", "resume the stream")
            if isinstance(news, Match):
                yield self._keep_alive(news)
                continue
            progress.sent = news.version
            yield match_pb2.WatchResponse(update=news)
            if news.events and news.events[-1].HasField("ended"):
                return

    async def _next(self, reader: Reader) -> match_pb2.MatchUpdate | Match:
        """What the feed says next. One that says nothing hangs: its readers are not left with
        it."""
        try:
            async with asyncio.timeout(self._keep_alive_s + _LATE_S):
                return await reader.next()
        except TimeoutError:
            raise Unavailable("feed_lost", "resume the stream") from None

    def _keep_alive(self, match: Match) -> match_pb2.WatchResponse:
        response = match_pb2.WatchResponse()
        response.keep_alive.match_id = match.match_id
        response.keep_alive.version = match.version
        response.keep_alive.server_time_ms = self._clock.now_ms()
        fill_turns(turns_list(match), response.keep_alive.turns)
        return response


def viewer_of(match: Match, caller: Caller) -> Seat | None:
    """The seat whose view the caller gets."""
    return viewer_in(match, caller.subject, privileged=caller.role in _PRIVILEGED)
