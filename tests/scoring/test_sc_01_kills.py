"""SC-01: scoring is killed between reading, writing and hearing that it has written."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from redis.asyncio import Redis

from faults.proxy import Proxy, proxy_before_store
from spielwerk.api.v1 import ranking_pb2 as pb
from spielwerk.settings import RedisSettings
from spielwerk_scoring.keys import LIVE

from .scripted import expected, stored_boards
from .test_service import CALENDAR, Season, counted_up_to, process, season

__all__ = ["season"]

SEED: Final = 20261130
STORE_AWAY: Final = "written, but the answer is lost"
IN_THE_MIDDLE: Final = "anywhere"


def moments(number: int) -> Iterator[tuple[str, float]]:
    """How each process dies, and how many seconds after the last one was started."""
    chance = Random(SEED)
    for turn in range(number):
        how = STORE_AWAY if turn % 2 else IN_THE_MIDDLE
        yield how, chance.uniform(0.0, 0.4)


async def end_matches(season: Season, chance: Random, enough: asyncio.Event) -> None:
    while not enough.is_set():
        await season.end_any(chance)
        await asyncio.sleep(0.005)


async def die(how: str, after_s: float, proxy: Proxy, running: asyncio.subprocess.Process) -> None:
    """Kill the process; in between the store may have done what nobody is told any more."""
    await asyncio.sleep(after_s)
    if how == STORE_AWAY:
        proxy.answers.stall()
        await asyncio.sleep(0.1)  # long enough for a write to be sent, too short for a time limit
    running.send_signal(signal.SIGKILL)
    await running.wait()
    proxy.cut()
    proxy.resume()


@pytest.mark.parametrize("kills", [6, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.timeout(600)
async def test_sc_01_results_are_counted_once_although_scoring_dies_before_it_hears_of_its_writes(
    season: Season, redis: Redis, redis_url: str, kills: int
) -> None:
    enough = asyncio.Event()
    async with proxy_before_store(redis_url) as proxy:
        season.common["redis"] = RedisSettings(url=proxy.url)
        ending = asyncio.create_task(end_matches(season, Random(SEED), enough))
        for how, after_s in moments(kills):
            async with process(season, until=b'"serving"') as running:
                await die(how, after_s, proxy, running)
        enough.set()
        await ending
        async with process(season):
            await season.counted(redis)
    print(f"{len(season.entries)} entries, {kills} kills")
    assert len(season.entries) > 100


async def test_sc_01_asking_for_results_all_at_once_counts_nothing(
    season: Season, redis: Redis
) -> None:
    """Hundreds of readers beside the counting."""
    chance = Random(SEED)
    async with season.serving():
        await season.counted(redis)
        for _ in range(20):
            await season.end_any(chance)
            asking = [ask(season, f"p{player}") for player in range(12) for _ in range(3)]
            await asyncio.gather(*asking)
        await season.counted(redis)
        last = await counted_up_to(redis)
        await asyncio.gather(*(ask(season, f"p{player}") for player in range(12)))
        assert await counted_up_to(redis) == last
    assert await redis.get(LIVE)
    assert await stored_boards(redis) == expected(season.entries, CALENDAR)


async def ask(season: Season, player: str) -> Any:
    return await season.stub(player).GetStats(pb.GetStatsRequest(game="cribbage"))
