"""`spielwerk backup | restore | repair`: the log to a folder and back, and what follows from it.

Where SPIELWERK_NATS__URL is set that broker is meant, else the one in the data folder, which is
started if nobody runs it.
"""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from redis.asyncio import Redis

from spielwerk.errors import FailedPrecondition
from spielwerk.log.connect import Connection, connect
from spielwerk.log.streams import open_streams
from spielwerk.service import read_settings
from spielwerk.settings import CommonSettings, LogSettings, NatsSettings
from spielwerk.store import open_redis
from spielwerk_local.app import own_log, read_runtime
from spielwerk_local.backup import Saved, back_up, put_back
from spielwerk_local.brokers import local_brokers
from spielwerk_scoring.rebuild import main as rebuild
from spielwerk_scoring.settings import Settings as ScoringSettings

_DERIVED: Final = ("sw:{mm}:*", "sw:{timer}:*")
"""What matchmaking and the timer know of the log; they read it anew where they find nothing."""
_CHECKPOINTS: Final = ("sw:{mm}:checkpoint*", "sw:{timer}:checkpoint*")


@dataclass(frozen=True, slots=True)
class Place:
    """An installation's broker, store (None: the one in the environment) and log settings."""

    nats: NatsSettings
    redis_url: str | None
    log: LogSettings


async def backup(options: argparse.Namespace) -> int:
    """Save all streams to a folder; the installation may go on meanwhile."""
    async with _place(options.data, at_rest=False) as place, connect(place.nats) as broker:
        _report(f"saved in {options.folder}", await back_up(broker, options.folder))
    return 0


async def restore(options: argparse.Namespace) -> int:
    """Make all streams again from a folder, at an empty broker, and accept them as the log."""
    async with _place(options.data, at_rest=True) as place, connect(place.nats) as broker:
        saved = await put_back(broker, options.folder)
        await _accept(broker, place.log)
        _report("restored", saved)
        if place.redis_url is None:
            print("now start the services, and run `spielwerk repair` beside the store")
        else:
            await _repair(place)
    return 0


async def repair(options: argparse.Namespace) -> int:
    """Make anew what follows from the log, after it was restored or replaced."""
    async with _place(options.data, at_rest=False) as place:
        await _repair(place)
    return 0


@asynccontextmanager
async def _place(data: Path, *, at_rest: bool) -> AsyncIterator[Place]:
    """FailedPrecondition (installation_running) if it must be at rest and is not."""
    settings = read_settings(CommonSettings)
    if "url" in settings.nats.model_fields_set:
        yield Place(settings.nats, None, settings.log)
        return
    log = own_log(data)
    async with AsyncExitStack() as stack:
        try:
            brokers = await stack.enter_async_context(local_brokers(data))
        except RuntimeError as in_use:
            running = read_runtime(data)
            if at_rest or running is None:
                raise FailedPrecondition("installation_running", str(in_use)) from in_use
            yield Place(NatsSettings(url=running.nats_url), running.redis_url, log)
        else:
            yield Place(NatsSettings(url=brokers.nats_url), brokers.redis_url, log)


async def _accept(broker: Connection, settings: LogSettings) -> None:
    """The marker knows the stream that was lost; the operator has just said which one counts."""
    for part in settings.parts:
        if part.marker_file is not None:
            part.marker_file.unlink(missing_ok=True)
    await open_streams(broker, settings)


async def _repair(place: Place) -> None:
    own = read_settings(ScoringSettings).redis
    store = open_redis(place.redis_url) if place.redis_url else open_redis(own.url, tls=own.tls)
    async with aclosing(store):
        await forget(store)
    rebuilt = await rebuild(place.nats.url if place.redis_url else None, place.redis_url)
    print(f"{rebuilt}; running matches and open turns are read anew")


async def forget(store: Redis) -> None:
    """Delete what matchmaking and the timer derived; they may run, and begin anew meanwhile.

    What they read between two steps of the scan may be deleted as well, so that in the end their
    checkpoints go once more: without one everything is read again.
    """
    for pattern in (*_DERIVED, *_CHECKPOINTS):
        async for key in store.scan_iter(pattern, count=1000):
            await store.delete(key)


def _report(what: str, saved: Iterable[Saved]) -> None:
    for stream in saved:
        last = stream.state["last_seq"]
        print(f"{what}: {stream.stream}, {stream.messages} messages up to {last}")
