"""One log in one stream or several: each match is in the stream of its shard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind, Stored
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import shard_of


class ShardedLog:
    """MatchLog and LiveFeed over all streams; each of the `parts` is a Tail, too.

    There is no order between the streams, so whoever follows the log follows each by itself.
    """

    def __init__(self, connection: Connection, settings: LogSettings) -> None:
        self.parts = tuple(JetStreamLog(connection, part) for part in settings.parts)

    def of(self, match_id: str) -> JetStreamLog:
        """The stream of a match; the id must be well formed."""
        return self.parts[shard_of(match_id) % len(self.parts)]

    @property
    def writable(self) -> bool:
        """Whether all streams take records; see JetStreamLog."""
        return all(part.writable for part in self.parts)

    async def answers(self) -> None:
        """Returns if every stream has a leader; Unavailable else."""
        await asyncio.gather(*(part.identity() for part in self.parts))

    def append(
        self, match_id: str, kind: Kind, data: bytes, headers: Mapping[str, str], *, expected: int
    ) -> Coroutine[Any, Any, int]:
        """See MatchLog."""
        return self.of(match_id).append(match_id, kind, data, headers, expected=expected)

    async def read(self, match_id: str, *, after: int = 0) -> Sequence[Stored]:
        """See MatchLog."""
        return await self.of(match_id).read(match_id, after=after)

    async def last(self, match_id: str) -> Stored | None:
        """See MatchLog."""
        return await self.of(match_id).last(match_id)

    def live(self, match_id: str) -> AbstractAsyncContextManager[AsyncIterator[Stored]]:
        """See LiveFeed."""
        return self.of(match_id).live(match_id)
