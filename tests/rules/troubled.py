"""One match on a log in memory that has the troubles of a real one on demand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from match.playing import MATCH_ID, NOW, opened
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.clock import ManualClock
from spielwerk.games import registry
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Stored
from spielwerk.match import decide
from spielwerk.rpc.auth import Caller
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.feeds import Feeds
from spielwerk_rules.matches import Matches
from spielwerk_rules.watching import Watching

Responses = AsyncGenerator[pb.WatchResponse, None]


class TroubledLog(MemoryLog):
    """`deaf`: live records are lost; `bug`: the next subscription fails as nothing should; while
    `answering` or `reading` is cleared, `last` or `read` hangs; `looks` counts the former."""

    def __init__(self) -> None:
        super().__init__()
        self.deaf = False
        self.bug = False
        self.looks = 0
        self.answering, self.reading = asyncio.Event(), asyncio.Event()
        self.answering.set()
        self.reading.set()

    def put(self, to: str, data: bytes, headers: Mapping[str, str]) -> int:
        feeds = self._feeds
        try:
            if self.deaf:
                self._feeds = set()
            return super().put(to, data, headers)
        finally:
            self._feeds = feeds

    async def last(self, match_id: str) -> Stored | None:
        self.looks += 1
        await self.answering.wait()
        return await super().last(match_id)

    async def read(self, match_id: str, *, after: int = 0) -> Sequence[Stored]:
        await self.reading.wait()
        return await super().read(match_id, after=after)

    @asynccontextmanager
    async def live(self, match_id: str) -> AsyncIterator[AsyncIterator[Stored]]:
        if self.bug:
            self.bug = False
            raise RuntimeError("a bug of ours")
        async with super().live(match_id) as messages:
            yield messages


class Table:
    """Rules without the network, and one open match of Alice and Bob."""

    def __init__(self, *, keep_alive_s: float = 3_600, queue: int = 512) -> None:
        self.log = TroubledLog()
        self.draining = asyncio.Event()
        metrics = Metrics()
        self.matches = Matches(self.log, registry.version, metrics, capacity=10, command_s=2)
        self.feeds = Feeds(self.matches, self.log, keep_alive_s=keep_alive_s, queue=queue)
        self.watching = Watching(
            self.matches,
            self.feeds,
            ManualClock(NOW),
            keep_alive_s=keep_alive_s,
            draining=self.draining,
            metrics=metrics,
        )

    async def open(self) -> None:
        header, secrets = opened()
        game = registry.newest("cribbage")
        decided = decide.open_match(MATCH_ID, game, header, secrets, NOW)
        await self.matches.open(MATCH_ID, decided)

    async def join(self, seat: int) -> None:
        """The next version."""
        await self.matches.change(
            MATCH_ID, lambda match: decide.join(match, seat, b"", NOW) or match
        )

    def watch(self, player: str, after: int | None = None) -> Responses:
        return self.watching.watch(MATCH_ID, Caller(player, "player"), after)


@asynccontextmanager
async def table_of_two(*, keep_alive_s: float = 3_600, queue: int = 512) -> AsyncIterator[Table]:
    """A match of one version; all has to happen within 10 s."""
    table = Table(keep_alive_s=keep_alive_s, queue=queue)
    await table.open()
    try:
        async with asyncio.timeout(10):
            yield table
    finally:
        await table.feeds.close()
