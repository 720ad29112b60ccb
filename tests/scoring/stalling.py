"""A store client whose process stands still at a chosen step, as one that was stopped or frozen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from redis.asyncio import Redis

from spielwerk.store import open_redis


@dataclass
class Stall:
    """Where a process stands still, and whether it does."""

    steps: int
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def step(self) -> None:
        self.steps -= 1
        if self.steps == -1:
            self.begun.set()
            await self.over.wait()

    async def reached(self, running: asyncio.Task[Any]) -> bool:
        """Wait until the process stands still; False if it has come to its end instead."""
        waiting = asyncio.create_task(self.begun.wait())
        await asyncio.wait({waiting, running}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return self.begun.is_set()


@asynccontextmanager
async def stalling_redis(url: str, steps: int) -> AsyncIterator[tuple[Redis, Stall]]:
    """A client that stands still after so many steps, until `over` is set."""
    client: Any = open_redis(url, StallingRedis)
    client.stall = Stall(steps)
    try:
        yield cast(Redis, client), client.stall
    finally:
        await client.aclose()


class StallingRedis(Redis):
    """Sending a command and seeing its answer are one step each."""

    stall: Stall

    async def _stepping(self, call: Awaitable[Any]) -> Any:
        await self.stall.step()
        answer = await call
        await self.stall.step()
        return answer

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        call = super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        return await self._stepping(call)

    def pipeline(self, *args: Any, **options: Any) -> Any:
        pipe: Any = super().pipeline(*args, **options)
        execute = pipe.execute
        pipe.execute = lambda *args, **options: self._stepping(execute(*args, **options))
        return pipe
