"""Instances of matchmaking for tests, and ways to wait for what they do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar

from matchmaking.table import LogMatches, WallClock
from spielwerk.api.v1 import games_pb2
from spielwerk.errors import SpielwerkError
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking.choices import Choice, choose
from spielwerk_matchmaking.launch import Matches
from spielwerk_matchmaking.parts import Parts, running
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store
from spielwerk_matchmaking.tickets import Ticket

T = TypeVar("T")


@dataclass
class Maker:
    """Starts instances of matchmaking that share a store, a log and a table."""

    url: str
    log: JetStreamLog
    matches: LogMatches
    stack: AsyncExitStack
    clock: WallClock = field(default_factory=WallClock)

    async def __call__(
        self,
        *,
        wait: bool = True,
        stack: AsyncExitStack | None = None,
        matches: Matches | None = None,
        **limits: Any,
    ) -> Parts:
        stack = stack or self.stack
        store = Store(self.url)
        stack.push_async_callback(store.aclose)
        settings = MatchmakingSettings(**{"settle_ms": 300, "round_ms": 200} | limits)
        parts = await stack.enter_async_context(
            running(store, {"": self.log}, matches or self.matches, self.clock, settings, Metrics())
        )
        if wait:
            await until(lambda: parts.follower.ready)
        return parts


async def until(holds: Callable[[], bool | Awaitable[bool]], *, seconds: float = 60) -> None:
    """Wait for a condition; fails the test when it does not come true in time."""
    async with asyncio.timeout(seconds):
        while True:
            answer = holds()
            if await answer if isinstance(answer, Awaitable) else answer:
                return
            await asyncio.sleep(0.01)


def cribbage(mode: str = "queue", **options: Any) -> Choice:
    message = games_pb2.GameOptions()
    message.cribbage.SetInParent()
    for name, value in options.items():
        setattr(message.cribbage, name, value)
    return choose("cribbage", message, 0, mode)


async def answer(call: Awaitable[T]) -> T | SpielwerkError:
    """What a call gives, or the error that it ends with."""
    try:
        return await call
    except SpielwerkError as error:
        return error


async def over(parts: Parts, player: str, ticket_id: str, *, seconds: float = 60) -> Ticket:
    """The ticket once it is matched, cancelled or expired."""
    found: list[Ticket] = []

    async def ended() -> bool:
        found[:] = [await parts.use.tickets.get(player, ticket_id)]
        return found[0].state not in ("waiting", "pairing")

    await until(ended, seconds=seconds)
    return found[0]
