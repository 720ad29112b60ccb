"""Running a service inside a test: its failures end it, cancellations drain it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from spielwerk.rpc.host import Host
from spielwerk.service import ServiceFailed, failing_with, serve
from spielwerk.settings import CommonSettings, RpcSettings

SETTINGS = CommonSettings(rpc=RpcSettings(listen="127.0.0.1:0", grace_s=1))


async def test_a_failure_in_the_background_ends_the_service() -> None:
    dead, tidied = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def serving(_settings: CommonSettings, _host: Host) -> AsyncIterator[None]:
        async with failing_with(dead, "the broker is lost"):
            try:
                yield
            finally:
                tidied.set()

    running = asyncio.create_task(serve(serving, SETTINGS))
    dead.set()
    with pytest.raises(ServiceFailed, match="the broker is lost"):
        await asyncio.wait_for(running, 5)
    assert tidied.is_set()


@pytest.mark.parametrize("evaluations", [1, 2], ids=["while it starts", "while it serves"])
async def test_a_cancelled_service_drains_before_it_tidies_up(
    evaluations: int, caplog: pytest.LogCaptureFixture
) -> None:
    evaluated, tidied = asyncio.Semaphore(0), []

    @asynccontextmanager
    async def serving(_settings: CommonSettings, host: Host) -> AsyncIterator[None]:
        def passes() -> bool:
            evaluated.release()
            return True

        host.check("asked before and after the start", passes)
        try:
            yield
        finally:
            tidied.append(host.draining.is_set())

    running = asyncio.create_task(serve(serving, SETTINGS))
    for _ in range(evaluations):
        await evaluated.acquire()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 5)
    assert tidied == [evaluations > 1]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_an_event_that_is_never_set_does_not_disturb() -> None:
    async with failing_with(asyncio.Event(), "never"):
        await asyncio.sleep(0)
    with pytest.raises(ValueError, match="own"):
        async with failing_with(asyncio.Event(), "never"):
            raise ValueError("own")
