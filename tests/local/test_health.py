"""A broker that cannot write any more is noticed by its own words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from spielwerk_local.brokers import Brokers
from spielwerk_local.health import until_unhealthy

HEALTHY = b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"status":"ok"}'
BODY = b'{"status":"unavailable","error":"write error: no space left on device"}'
FULL = b"HTTP/1.1 503 Unavailable\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


@asynccontextmanager
async def answering(answers: list[bytes]) -> AsyncIterator[str]:
    """A monitoring page with these answers, the last one for ever; an empty one hangs up."""
    left = list(answers)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_broker_that_calls_itself_unable_to_write_is_reported_with_its_reason() -> None:
    async with answering([HEALTHY, FULL]) as url, asyncio.timeout(10):
        assert await until_unhealthy(url, period_s=0.01) == "write error: no space left on device"


async def test_a_passing_failure_or_silence_is_not_reported() -> None:
    passing = [FULL, FULL, HEALTHY, FULL, FULL, b"", FULL, FULL, HEALTHY]
    async with answering(passing) as url:
        watching = asyncio.create_task(until_unhealthy(url, period_s=0.01))
        done, _ = await asyncio.wait({watching}, timeout=1)
        watching.cancel()
        await asyncio.wait({watching})
    assert not done


async def test_the_embedded_broker_calls_itself_healthy(brokers: Brokers) -> None:
    watching = asyncio.create_task(until_unhealthy(brokers.monitor_url, period_s=0.01))
    done, _ = await asyncio.wait({watching}, timeout=0.5)
    watching.cancel()
    await asyncio.wait({watching})
    assert brokers.monitor_url.startswith("http://127.0.0.1:")
    assert not done
