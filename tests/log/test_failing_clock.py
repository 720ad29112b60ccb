"""A clock that nobody measures any more ends its process instead of getting worse in silence."""

from __future__ import annotations

import asyncio

import pytest

from spielwerk.errors import Unavailable
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.connect import Connection
from spielwerk.log.settings import LogSettings


async def test_an_unexpected_error_of_a_measurement_ends_the_block(
    nats: Connection, stream_settings: LogSettings
) -> None:
    async def broken() -> None:
        raise ValueError("no time at all")

    async def kept() -> None:
        async with running_clock(nats, stream_settings, period_s=0.01) as clock:
            clock.measure = broken  # type: ignore[method-assign]
            await asyncio.Event().wait()

    keeping = asyncio.create_task(kept())
    ended, _ = await asyncio.wait({keeping}, timeout=10)
    assert ended  # by itself
    with pytest.raises(ValueError, match="no time at all"):
        await keeping


async def test_a_silent_broker_does_not(nats: Connection, stream_settings: LogSettings) -> None:
    asked = asyncio.Semaphore(0)

    async def silent() -> None:
        asked.release()
        raise Unavailable("log_unavailable")

    async with running_clock(nats, stream_settings, period_s=0.01) as clock:
        clock.measure = silent  # type: ignore[method-assign]
        for _ in range(3):
            await asked.acquire()
