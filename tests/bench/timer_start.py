"""How long the timer takes to know all open deadlines of a log with many finished matches.

python tests/bench/timer_start.py 1000000
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from spielwerk.background import running
from spielwerk.log.census import unfinished
from spielwerk.log.connect import Connection, connect
from spielwerk.log.headers import OpenTurn, RecordHeaders
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import ensure_stream
from spielwerk.log.subjects import new_match_id, subject
from spielwerk.store import open_redis
from spielwerk.telemetry.metrics import Metrics
from spielwerk_local.brokers import local_brokers
from spielwerk_timer.checkpoint import Checkpoints
from spielwerk_timer.following import Follower
from spielwerk_timer.heap import Deadlines

OPEN_MATCHES: Final = 1_000
_MONTH_MS: Final = 30 * 86_400_000
_START_MS: Final = 1_790_000_000_000


@dataclass(frozen=True, slots=True)
class Starts:
    """Seconds from nothing to all deadlines known."""

    finished: int
    without_redis_s: float
    with_checkpoint_s: float


async def bench_start(finished: int) -> Starts:
    """Fill a log with finished matches and a thousand open ones, then start twice."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            local_brokers(Path(folder), sync_always=False) as brokers,
            connect(NatsSettings(url=brokers.nats_url)) as nats,
            aclosing(open_redis(brokers.redis_url)) as redis,
        ):
            settings = LogSettings()
            await ensure_stream(nats, settings, known=None, allow_new=True)
            await _fill(nats, settings, finished)
            log, checkpoints = JetStreamLog(nats, settings), Checkpoints(redis)
            census = partial(unfinished, nats, settings)

            @asynccontextmanager
            async def started() -> AsyncIterator[float]:
                begin = time.perf_counter()
                deadlines = Deadlines()
                follower = Follower(log, census, checkpoints, deadlines, Metrics())
                async with running(follower.run(), follower.keep(0.1)):
                    while not follower.ready():
                        await asyncio.sleep(0.01)
                    seconds = time.perf_counter() - begin
                    assert len(deadlines) >= OPEN_MATCHES
                    yield seconds

            async with started() as without_redis_s:
                await _one(nats, 1, finished=False)  # a checkpoint follows a record
                while not await redis.exists("sw:{timer}:checkpoint"):
                    await asyncio.sleep(0.05)
            async with started() as with_checkpoint_s:
                return Starts(finished, without_redis_s, with_checkpoint_s)


async def _fill(nats: Connection, settings: LogSettings, finished: int) -> None:
    every = max(1, finished // OPEN_MATCHES)
    sent = 0
    for number in range(finished):
        sent += await _one(nats, number, finished=True)
        if number % every == 0 and number // every < OPEN_MATCHES:
            sent += await _one(nats, number, finished=False)
        if number % 10_000 == 0:
            await nats.nc.flush()
    await nats.nc.flush()
    log = JetStreamLog(nats, settings)
    while (await log.identity()).last_sequence < sent:
        await asyncio.sleep(0.1)


async def _one(nats: Connection, number: int, *, finished: bool) -> int:
    """One match, spread over a year; returns how many records."""
    at_ms = _START_MS + number % 12 * _MONTH_MS
    match_id = new_match_id(at_ms, os.urandom(10))
    turns = (OpenTurn(0, "1", at_ms + _MONTH_MS * 1_000, False),)
    kinds = [(Kind.OPEN, turns), (Kind.MOVE, turns)] + ([(Kind.END, ())] if finished else [])
    for version, (kind, open_turns) in enumerate(kinds, 1):
        head = RecordHeaders("skat", version, at_ms, open_turns).write()
        await nats.nc.publish(subject(match_id, kind), b"record" * 20, headers=head)
    return len(kinds)


def main() -> None:
    """Print both times."""
    finished = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    starts = asyncio.run(bench_start(finished))
    print(
        f"timer start, {starts.finished} finished matches: "
        f"{starts.without_redis_s:.2f} s from the log alone, "
        f"{starts.with_checkpoint_s:.2f} s from a checkpoint"
    )


if __name__ == "__main__":
    main()
