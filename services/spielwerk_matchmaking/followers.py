"""What is asked of the followers of all streams together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from spielwerk.clock import Clock
from spielwerk.log.port import Tail
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking.follow import Follower
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store


class Followers:
    """One follower a stream, by the streams' tags."""

    def __init__(
        self,
        store: Store,
        tails: Mapping[str, Tail],
        clock: Clock,
        settings: MatchmakingSettings,
        metrics: Metrics,
    ) -> None:
        self._folded = asyncio.Condition()
        tags = tuple(tails)
        self._all = [
            Follower(store, tail, clock, settings, metrics, self._folded, tag=tag, tags=tags)
            for tag, tail in tails.items()
        ]

    @property
    def ready(self) -> bool:
        """Whether players may be paired: all streams are read to their ends."""
        return all(follower.ready for follower in self._all)

    def begin_anew(self) -> None:
        """Said by those who find the store restarted."""
        for follower in self._all:
            follower.unsettled.set()

    async def run(self) -> None:
        """Follow for ever, over restarts of store and broker."""
        async with asyncio.TaskGroup() as group:
            for follower in self._all:
                group.create_task(follower.run())

    async def wait_until(self, holds: Callable[[], Awaitable[bool]], patience_ms: int) -> bool:
        """Look now and whenever something was read from the log; False when it takes too long."""
        try:
            async with asyncio.timeout(patience_ms / 1000), self._folded:
                while not await holds():
                    await self._folded.wait()
        except TimeoutError:
            return False
        return True
