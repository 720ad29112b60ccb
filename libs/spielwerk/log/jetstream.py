"""The event log in NATS JetStream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from spielwerk.log.append import Appender
from spielwerk.log.batch_get import Reader
from spielwerk.log.connect import Connection
from spielwerk.log.follow import follow
from spielwerk.log.live import subscribed
from spielwerk.log.port import Batch, Kind, Stored, StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import stream_identity


class JetStreamLog:
    """MatchLog, LiveFeed and Tail over one connection; one a process is enough.

    The stream must exist: `ensure_stream`.
    """

    def __init__(self, connection: Connection, settings: LogSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._appender = Appender(connection, settings)
        self._reader = Reader(connection, settings)

    @property
    def writable(self) -> bool:
        """False for a while (30 s, 5 s where nobody was there) after three appends in a row were
        neither stored nor known to conflict.

        So it is when a disk has failed or a cluster has lost its majority. After that it is true
        again, so that moves come in and find out.
        """
        return self._appender.storing

    def append(
        self, match_id: str, kind: Kind, data: bytes, headers: Mapping[str, str], *, expected: int
    ) -> Coroutine[Any, Any, int]:
        """See MatchLog."""
        return self._appender.append(match_id, kind, data, headers, expected=expected)

    async def read(self, match_id: str, *, after: int = 0) -> Sequence[Stored]:
        """See MatchLog."""
        return await self._reader.read(match_id, after=after)

    async def last(self, match_id: str) -> Stored | None:
        """See MatchLog."""
        return await self._reader.last(match_id)

    def live(self, match_id: str) -> AbstractAsyncContextManager[AsyncIterator[Stored]]:
        """See LiveFeed."""
        return subscribed(self._connection, match_id)

    async def identity(self) -> StreamIdentity:
        """See Tail."""
        return await stream_identity(self._connection, self._settings)

    def follow(
        self, kinds: Sequence[Kind], *, after: int, headers_only: bool
    ) -> AsyncIterator[Batch]:
        """See Tail."""
        return follow(
            self._connection, self._settings, kinds, after=after, headers_only=headers_only
        )
