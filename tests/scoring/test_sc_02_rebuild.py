"""SC-02: rankings that are wiped and rebuilt, with whatever interruptions, are the same bytes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from random import Random
from typing import Any, Final

import grpc
import pytest
from redis.asyncio import Redis

from spielwerk.api.v1 import ranking_pb2 as pb
from spielwerk.rankings.periods import ALL, Period, PeriodKind
from spielwerk.rankings.plain import standings, totals
from spielwerk.rpc.errors import error_of
from spielwerk.store import open_redis
from spielwerk_scoring import rebuild
from spielwerk_scoring.keys import BUILDER, GENERATIONS

from .scripted import raw_boards
from .test_service import CALENDAR, Season, all_pages, season

__all__ = ["season"]

MATCHES: Final = 1_500
ALL_TIME: Final = {"kind": pb.PERIOD_KIND_ALL_TIME}


@asynccontextmanager
async def rebuilding(season: Season) -> AsyncIterator[asyncio.subprocess.Process]:
    """`spielwerk rankings rebuild`, from the moment on at which it has begun."""
    settings = season.settings()
    environment = os.environ | {
        "SPIELWERK_NATS__URL": settings.nats.url,
        "SPIELWERK_LOG__STREAM": settings.log.stream,
        "SPIELWERK_REDIS__URL": settings.redis.url,
    }
    program = "import asyncio, logging; logging.basicConfig(level='INFO');"
    program += "from spielwerk_scoring.rebuild import main; print(asyncio.run(main()))"
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program), env=environment, stderr=asyncio.subprocess.PIPE
    )
    yield running
    if running.returncode is None:
        running.kill()
    await running.communicate()


async def interrupted(season: Season, redis: Redis, after_s: float) -> None:
    """A rebuild that is killed in the middle."""
    before = await redis.smembers(GENERATIONS)
    async with rebuilding(season) as running:
        async with asyncio.timeout(60):
            while await redis.smembers(GENERATIONS) == before:  # the shadow is there
                assert running.returncode is None
                await asyncio.sleep(0.005)
        await asyncio.sleep(after_s)
        running.kill()
        await running.wait()
    await redis.delete(BUILDER)  # the dead process' lease runs out


async def read_whole_boards(season: Season, seen: list[int]) -> None:
    """Whoever reads gets all players of all matches so far, or is told to come back."""
    stub = season.stub()
    while True:
        try:
            entries = await all_pages(stub, 5, **ALL_TIME)
        except grpc.aio.AioRpcError as failed:
            if error_of(failed).reason != "rankings_rebuilding":
                raise
        else:
            seen.append(sum(entry.games for entry in entries))
        await asyncio.sleep(0.005)


@pytest.mark.timeout(300)
async def test_sc_02_a_wiped_store_is_rebuilt_to_the_same_bytes_whatever_interrupts_it(
    season: Season, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPIELWERK_LOG__STREAM", season.settings().log.stream)
    chance = Random(20261130)
    for _ in range(MATCHES):
        await season.end_any(chance)
    async with season.serving():
        await season.counted(redis)
    lived = await raw_boards(redis)

    seen: list[int] = []
    async with season.serving():
        reading = asyncio.create_task(read_whole_boards(season, seen))
        for _ in range(3):
            await interrupted(season, redis, chance.uniform(0, 0.1))
            assert await raw_boards(redis) == lived
        for _ in range(2):
            await rebuild.main(season.settings().nats.url, season.settings().redis.url)
            assert await raw_boards(redis) == lived
        await redis.flushall()
        await season.counted(redis)
        assert await raw_boards(redis) == lived
        reading.cancel()
        await asyncio.wait({reading})
        assert reading.cancelled()
    assert len(await redis.smembers(GENERATIONS)) == 1
    assert len(seen) > 10
    assert set(seen) == {games_in(season)}


def games_in(season: Season) -> int:
    ranking = CALENDAR.rankings["cribbage"]
    boards = totals(season.entries, {"cribbage": ranking}, CALENDAR.zone)
    rows: Any = standings(ranking, boards["cribbage", Period(PeriodKind.ALL_TIME, ALL)])
    return sum(row.total.games for row in rows)


async def test_sc_02_a_store_wiped_again_and_again_during_play_follows_the_log(
    season: Season, redis: Redis
) -> None:
    chance = Random(7)
    async with season.serving():
        for _ in range(3):
            for _ in range(40):
                await season.end_any(chance)
            await redis.flushall()
            for _ in range(40):
                await season.end_any(chance)
        await season.counted(redis)
        lived = await raw_boards(redis)
    async with aclosing(open_redis(season.settings().redis.url)) as store:
        await store.flushall()
    async with season.serving():
        await season.counted(redis)
    assert await raw_boards(redis) == lived
