"""Thinking happens in processes of its own: calls are answered while experts think."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from bots.running import bots_for
from bots.test_service import ended, played, until
from client.house import House
from spielwerk.client import MatchClient
from spielwerk.rpc.host import Host

CALLS: Final = 300
DECISIONS: Final = 20
ROUNDS: Final = 3
LARGEST_RATIO: Final = 8.0
"""An expert's decision in the event loop would hold up calls by its whole length, tens of times
the time of a call; what is left here is the sharing of the machine's cores."""


async def p99(match: MatchClient, enough: Callable[[], bool] = lambda: True) -> float:
    """The 99th percentile of unary calls, in seconds; of as many as it takes until `enough`."""
    times: list[float] = []
    while len(times) < CALLS or not enough():
        began = time.perf_counter()
        await match.view()
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) * 99 // 100]


@asynccontextmanager
async def three_experts_think(house: House, host: Host) -> AsyncIterator[None]:
    """Three matches of experts are under way as long as the block lasts."""
    before = played(host)

    async def without_pause() -> None:
        while True:
            await ended(house, await house.open_match("bot:expert", "bot:expert", target=121))

    tables = [asyncio.create_task(without_pause()) for _ in range(3)]
    try:
        await until(lambda: played(host) > before)
        yield
    finally:
        for table in tables:
            table.cancel()
        await asyncio.gather(*tables, return_exceptions=True)


async def test_calls_are_quick_while_three_experts_think(house: House) -> None:
    idle, busy = [], []
    async with bots_for(house) as host, house.client("ada") as ada:
        match = ada.match(await house.open_match("ada", "ben"))
        await match.view()
        for _ in range(ROUNDS):
            idle.append(await p99(match))
            async with three_experts_think(house, host):
                until_played = played(host) + DECISIONS
                busy.append(await p99(match, lambda n=until_played: played(host) >= n))  # type: ignore[misc]
    ratio = min(busy) / min(idle)
    print(f"p99 idle {min(idle) * 1e3:.2f} ms, busy {min(busy) * 1e3:.2f} ms, ratio {ratio:.1f}")
    assert ratio <= LARGEST_RATIO
