"""The SDK at a server's limits: it comes back when it was asked to, or says when to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from client.house import House, house_at
from spielwerk.errors import ResourceExhausted
from spielwerk.log.settings import LogSettings
from spielwerk_local.brokers import Brokers

Open = Callable[..., Awaitable[House]]


@pytest.fixture
async def open_house(
    brokers: Brokers, stream_settings: LogSettings, redis_url: str, tmp_path: Path
) -> AsyncIterator[Open]:
    """A server with these settings of its port."""
    async with AsyncExitStack() as stack:

        async def opened(**port: Any) -> House:
            return await stack.enter_async_context(
                house_at(brokers.nats_url, stream_settings, redis_url, tmp_path, port=port)
            )

        yield opened


def refused(house: House, reason: str) -> float:
    assert house.host is not None
    return house.host.metrics.value("spielwerk_rpc_limited_total", reason=reason)


async def test_calls_above_the_rate_come_back_as_asked_and_succeed(open_house: Open) -> None:
    house = await open_house(calls_per_s=20, calls_burst=3)
    async with house.client("ann") as ann:
        infos = await asyncio.gather(*(ann.server_info() for _ in range(12)))
    assert len(infos) == 12
    assert refused(house, "too_many_calls") > 0


async def test_a_wait_beyond_the_patience_is_told_at_once(open_house: Open) -> None:
    house = await open_house(calls_per_s=0.01, calls_burst=1)
    async with house.client("ann") as ann:
        await ann.server_info()
        async with asyncio.timeout(10):
            with pytest.raises(ResourceExhausted) as told:
                await ann.server_info()
    assert told.value.reason == "too_many_calls"
    assert told.value.retry_after is not None
    assert 50 < told.value.retry_after <= 100
    assert refused(house, "too_many_calls") == 1


async def test_a_watch_beyond_the_limit_opens_once_another_one_is_closed(
    open_house: Open,
) -> None:
    house = await open_house(streams_per_caller=1)
    match_id = await house.open_match("ann", "bob")
    async with house.client("ann") as ann:
        match = ann.match(match_id)
        async with match.watch() as first, match.watch() as second:
            await anext(first)
            waiting = asyncio.ensure_future(anext(second))
            async with asyncio.timeout(20):
                while not refused(house, "too_many_streams"):
                    await asyncio.sleep(0.01)
            assert not waiting.done()
            await first.aclose()
            assert await asyncio.wait_for(waiting, 20)
