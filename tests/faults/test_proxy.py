"""The proxies do what faults ask of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from faults.proxy import Proxy, is_clock_answer, is_clock_question, proxy_before, proxy_to
from spielwerk.log.broker_clock import BrokerClock
from spielwerk.log.connect import connect
from spielwerk.settings import LogSettings, NatsSettings
from spielwerk_local.brokers import Brokers

HELD_S = 0.3
NOTHING_S = 0.2
"""So long nothing comes where nothing can come."""


@pytest.fixture
async def echo() -> AsyncIterator[tuple[Proxy, list[bytes]]]:
    """A proxy before a server that notes what it gets, and sends it back."""
    got: list[bytes] = []
    answering: set[asyncio.Task[None] | None] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.add(asyncio.current_task())
        with suppress(ConnectionError):
            while data := await reader.read(100):
                got.append(data)
                writer.write(data)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        async with proxy_to(server.sockets[0].getsockname()[1]) as proxy:
            yield proxy, got
        await asyncio.wait([task for task in answering if task is not None])


class Caller:
    """A connection through the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self._reader = reader

    def say(self, data: bytes) -> None:
        self.writer.write(data)

    async def heard(self, seconds: float = 5.0) -> bytes | None:
        """What comes next, b"" at the end; None: nothing in time."""
        try:
            async with asyncio.timeout(seconds):
                return await self._reader.read(100)
        except TimeoutError:
            return None
        except ConnectionError:
            return b""


Echo = tuple[Proxy, list[bytes]]
Call = Callable[[], Awaitable[Caller]]


@pytest.fixture
async def call(echo: Echo) -> AsyncIterator[Call]:
    """Connects."""
    callers: list[Caller] = []

    async def connected() -> Caller:
        callers.append(Caller(*await asyncio.open_connection("127.0.0.1", echo[0].port)))
        return callers[-1]

    yield connected
    for caller in callers:
        caller.writer.close()
        with suppress(ConnectionError):
            await caller.writer.wait_closed()


async def test_everything_passes(call: Call) -> None:
    caller = await call()
    caller.say(b"hello")
    assert await caller.heard() == b"hello"


async def test_a_cut_ends_connections_and_refuses_new_ones_until_it_is_healed(
    echo: Echo, call: Call
) -> None:
    proxy, _ = echo
    caller = await call()
    caller.say(b"hello")
    await caller.heard()

    proxy.refusing = True
    proxy.cut()
    assert await caller.heard() == b""
    assert await (await call()).heard() == b""

    proxy.resume()
    again = await call()
    again.say(b"again")
    assert await again.heard() == b"again"


async def test_a_stall_holds_everything_back_and_loses_nothing(echo: Echo, call: Call) -> None:
    proxy, got = echo
    caller = await call()
    proxy.stall()
    caller.say(b"hello")
    assert await caller.heard(NOTHING_S) is None
    assert got == []

    proxy.resume()
    assert await caller.heard() == b"hello"


async def test_a_stall_one_way_lets_requests_through_and_no_answers(echo: Echo, call: Call) -> None:
    proxy, got = echo
    caller = await call()
    proxy.answers.stall()
    caller.say(b"hello")
    assert await caller.heard(NOTHING_S) is None
    assert got == [b"hello"]

    proxy.resume()
    assert await caller.heard() == b"hello"


async def test_a_delay_is_there_both_ways(echo: Echo, call: Call) -> None:
    proxy, _ = echo
    caller = await call()
    proxy.requests.delay_s = proxy.answers.delay_s = HELD_S / 2
    began = time.monotonic()
    caller.say(b"hello")
    assert await caller.heard() == b"hello"
    assert time.monotonic() - began >= HELD_S


@pytest.mark.parametrize("fast", [True, False], ids=["fast", "slow"])
async def test_held_clock_messages_make_a_clock_wrong_within_what_it_says_of_itself(
    fast: bool, brokers: Brokers, stream_settings: LogSettings
) -> None:
    async with (
        proxy_before(brokers.nats_url) as proxy,
        connect(NatsSettings(url=proxy.url)) as connection,
    ):
        clock = BrokerClock(connection, stream_settings)
        if fast:
            proxy.requests.hold_s = lambda m: HELD_S if is_clock_question(m) else 0.0
        else:
            proxy.answers.hold_s = lambda m: HELD_S if is_clock_answer(m) else 0.0
        await clock.measure()
    # The broker runs on this machine, so its time is ours.
    wrong_ms = clock.now_ms() - time.time() * 1000
    assert (wrong_ms > 0) == fast
    assert HELD_S / 4 * 1000 < abs(wrong_ms) <= clock.uncertainty_ms + 1


async def test_no_connection_outlives_its_proxy(brokers: Brokers) -> None:
    """Neither one that was only just taken nor one that holds back what it was given."""
    for said in (b"", b"PING\r\n") * 20:
        async with proxy_before(brokers.nats_url) as proxy:
            proxy.requests.stall()
            proxy.answers.stall()
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(said)
        with suppress(ConnectionError):
            async with asyncio.timeout(5):
                assert await reader.read() == b""
        writer.close()
