"""All parts of matchmaking on one store, one log and one place where matches are created."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog

from spielwerk.clock import Clock
from spielwerk.errors import SpielwerkError
from spielwerk.log.port import Tail
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking.followers import Followers
from spielwerk_matchmaking.launch import Launcher, Matches
from spielwerk_matchmaking.lobby import Lobby
from spielwerk_matchmaking.overview import Overview
from spielwerk_matchmaking.practice import Practice
from spielwerk_matchmaking.queue import Queue
from spielwerk_matchmaking.rematch import Rematches
from spielwerk_matchmaking.room_store import RoomStore
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.signals import Signals
from spielwerk_matchmaking.store import Store
from spielwerk_matchmaking.tickets import Tickets
from spielwerk_matchmaking.use_cases import UseCases
from spielwerk_matchmaking.watching import Watching

_COUNTED_S: Final = 10.0
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Parts:
    """A running matchmaker: what is called, and what tells whether it is ready."""

    use: UseCases
    store: Store
    follower: Followers


@asynccontextmanager
async def running(
    store: Store,
    tails: Mapping[str, Tail],
    matches: Matches,
    clock: Clock,
    settings: MatchmakingSettings,
    metrics: Metrics,
) -> AsyncIterator[Parts]:
    """Follow the log, pair players and wake watches while inside; `tails` of all streams by tag."""
    behind = store.apart()
    rooms = RoomStore(store, clock, settings)
    launches = RoomStore(behind, clock, settings)
    launcher = Launcher(behind, matches, launches, clock, settings, metrics)
    follower = Followers(behind, tails, clock, settings, metrics)
    queue = Queue(store, launcher, follower, clock, settings, metrics)
    tickets, signals = Tickets(store, clock), Signals(behind)
    watching = Watching(signals, settings)
    use = UseCases(
        queue=queue,
        tickets=tickets,
        lobby=Lobby(store, rooms, launcher, watching, clock, settings),
        practice=Practice(store, matches, clock, settings),
        rematches=Rematches(store, launcher, follower, watching, clock, settings),
        overview=Overview(store, tickets, rooms),
        watching=watching,
    )
    loops = [
        asyncio.create_task(_for_ever(loop))
        for loop in (
            signals.run,
            follower.run,
            queue.run,
            partial(_beat, Tickets(behind, clock), signals, settings),
            partial(_count, queue),
        )
    ]
    try:
        yield Parts(use, store, follower)
    finally:
        for task in loops:
            task.cancel()
        await asyncio.wait(loops)
        await launcher.aclose()


async def _for_ever(loop: Callable[[], Awaitable[None]]) -> None:
    """A bug ends neither the process nor the loop, but it is heard."""
    while True:
        try:
            await loop()
        except Exception as error:
            _log.error("loop_failed", exc_info=error)
            await asyncio.sleep(1)


async def _beat(tickets: Tickets, signals: Signals, settings: MatchmakingSettings) -> None:
    """Every open watch of a ticket is a sign of life of its client."""
    while True:
        await asyncio.sleep(settings.beat_ms / 1000)
        try:
            await tickets.beat(signals.listened("ticket"))
        except SpielwerkError as error:
            _log.warning("beat_failed", reason=error.reason)


async def _count(queue: Queue) -> None:
    """Metrics of the queues; while the store is away they stay as they were."""
    while True:
        with suppress(SpielwerkError):
            await queue.count()
        await asyncio.sleep(_COUNTED_S)
