"""The log in JetStream when answers are lost, brokers die, and connections break."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import nats.errors
import pytest

from faults.proxy import Proxy, is_append_answer, proxy_before
from faults.servers import NatsServer, nats_server
from log.tails import following, sequences
from spielwerk.errors import Unavailable
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Conflict, Kind, OutcomeUnknown, Stored
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import LogForeign, ensure_stream
from spielwerk.log.subjects import new_match_id

A = new_match_id(1_790_000_000_000, b"0123456789")
B = new_match_id(1_790_000_000_001, b"9876543210")
SETTINGS = LogSettings(append_timeout_s=1.0, read_timeout_s=1.0)
QUICK = LogSettings(append_timeout_s=0.2)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with nats_server(tmp_path) as running:
        yield running


@pytest.fixture
async def proxy(server: NatsServer) -> AsyncIterator[Proxy]:
    async with proxy_before(server.url) as running:
        yield running


@pytest.fixture
async def connection(proxy: Proxy) -> AsyncIterator[Connection]:
    """A connection through the proxy to a server with a new log."""
    async with connect(NatsSettings(url=proxy.url)) as opened:
        await ensure_stream(opened, SETTINGS, known=None, allow_new=True)
        yield opened


@pytest.fixture
def own_log(connection: Connection) -> JetStreamLog:
    return JetStreamLog(connection, SETTINGS)


async def until(condition: Callable[[], bool], *, within_s: float = 15) -> float:
    """Wait for a condition; returns the seconds it took."""
    started = time.monotonic()
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.01)
    return time.monotonic() - started


async def retried(attempt: Callable[[], Awaitable[int]], *, within_s: float = 15) -> int:
    """The result as soon as the log is there again."""
    async with asyncio.timeout(within_s):
        while True:
            with suppress(Unavailable):
                return await attempt()
            await asyncio.sleep(0.05)


async def test_es_04_a_lost_answer_is_an_unknown_outcome_and_the_record_is_there(
    proxy: Proxy, connection: Connection
) -> None:
    log = JetStreamLog(connection, QUICK)
    first = await log.append(A, Kind.OPEN, b"1", {}, expected=0)
    proxy.answers.drop = is_append_answer

    with pytest.raises(OutcomeUnknown):
        await log.append(A, Kind.MOVE, b"2", {}, expected=first)

    last = await log.last(A)
    assert last is not None
    assert last.data == b"2"


async def test_a_log_without_answers_is_not_writable_until_it_answers_again(
    proxy: Proxy, connection: Connection
) -> None:
    log = JetStreamLog(connection, QUICK)
    assert log.writable
    proxy.answers.drop = is_append_answer
    for number in range(3):
        with pytest.raises(OutcomeUnknown):
            await log.append(A, Kind.MOVE, b"x", {}, expected=number)
    assert not log.writable

    proxy.answers.drop = lambda _message: False
    with pytest.raises(Conflict):
        await log.append(A, Kind.MOVE, b"x", {}, expected=0)
    assert log.writable


async def test_es_04_with_every_20th_answer_lost_each_record_is_stored_exactly_once(
    proxy: Proxy, connection: Connection
) -> None:
    log = JetStreamLog(connection, QUICK)
    answers = 0

    def every_20th(message: bytes) -> bool:
        nonlocal answers
        answers += is_append_answer(message)
        return is_append_answer(message) and answers % 20 == 0

    proxy.answers.drop = every_20th
    unknown = 0
    expected = 0
    for number in range(100):
        record = b"%d" % number
        try:
            expected = await log.append(A, Kind.MOVE, record, {}, expected=expected)
        except OutcomeUnknown:
            unknown += 1
            last = await log.last(A)
            assert last is not None
            assert last.data == record  # the proxy loses answers only
            expected = last.sequence

    assert unknown == 5
    assert [int(stored.data) for stored in await log.read(A)] == list(range(100))


async def test_a_connection_that_breaks_during_an_append_makes_its_outcome_unknown(
    proxy: Proxy, own_log: JetStreamLog
) -> None:
    first = await own_log.append(A, Kind.OPEN, b"1", {}, expected=0)
    proxy.stall()
    append = asyncio.create_task(own_log.append(A, Kind.MOVE, b"2", {}, expected=first))
    await asyncio.sleep(0)
    proxy.cut()

    with pytest.raises(OutcomeUnknown):
        await append


async def test_without_a_connection_an_append_is_refused_at_once_and_never_sent(
    server: NatsServer, own_log: JetStreamLog, connection: Connection
) -> None:
    first = await own_log.append(A, Kind.OPEN, b"1", {}, expected=0)
    server.kill()
    await until(lambda: not connection.connected)

    with pytest.raises(Unavailable) as refusal:
        await own_log.append(A, Kind.MOVE, b"never", {}, expected=first)
    assert refusal.value.reason == "log_unavailable"
    with pytest.raises(Unavailable):
        await own_log.read(A)
    with pytest.raises(Unavailable):
        await own_log.last(A)

    await server.start()
    await connection.until_connected()
    second = await retried(lambda: own_log.append(A, Kind.MOVE, b"2", {}, expected=first))
    assert [stored.sequence for stored in await own_log.read(A)] == [first, second]


async def test_a_missing_stream_refuses_appends_definitely(
    own_log: JetStreamLog, connection: Connection
) -> None:
    await ask(connection, f"STREAM.DELETE.{SETTINGS.stream}", None, timeout=5)

    with pytest.raises(Unavailable) as refusal:
        await own_log.append(A, Kind.OPEN, b"1", {}, expected=0)

    assert refusal.value.reason == "log_unavailable"


async def test_es_01_a_broker_that_dies_and_comes_back_keeps_every_acknowledged_record(
    server: NatsServer, own_log: JetStreamLog
) -> None:
    acknowledged: dict[str, list[int]] = {}
    stop = asyncio.Event()

    async def play(match_id: str) -> None:
        sequences_of_match = acknowledged.setdefault(match_id, [])
        expected = 0
        while not stop.is_set():
            try:
                expected = await own_log.append(match_id, Kind.MOVE, b"x", {}, expected=expected)
                sequences_of_match.append(expected)
            except (Unavailable, Conflict):
                with suppress(Unavailable):
                    last = await own_log.last(match_id)
                    expected = last.sequence if last else 0
                await asyncio.sleep(0.01)

    def total() -> int:
        return sum(map(len, acknowledged.values()))

    ids = [new_match_id(1_790_000_000_000 + n, b"0123456789") for n in range(20)]
    players = [asyncio.create_task(play(match_id)) for match_id in ids]
    for _ in range(3):
        before = total()
        await until(lambda before=before: total() > before + 500)  # type: ignore[misc]
        server.kill()
        await server.start()
    before = total()
    await until(lambda: total() > before + 500)
    stop.set()
    await asyncio.gather(*players)

    for match_id, sequences_of_match in acknowledged.items():
        stored = [message.sequence for message in await own_log.read(match_id)]
        assert set(sequences_of_match) <= set(stored)


@pytest.mark.parametrize("how", ["kill", "stop", "cut"])
async def test_es_08_a_tail_misses_and_repeats_nothing_over_a_restart(
    how: str, server: NatsServer, proxy: Proxy, connection: Connection, own_log: JetStreamLog
) -> None:
    async with following(own_log, [Kind.MOVE], after=0, headers_only=True) as tail:
        await anext(tail)
        first = await own_log.append(A, Kind.MOVE, b"1", {}, expected=0)
        assert await sequences(tail, 1) == [first]
        waiting = asyncio.create_task(sequences(tail, 2, within_s=15))

        if how == "cut":
            proxy.cut()
            await until(lambda: not connection.connected)
        elif how == "kill":
            server.kill()
            await server.start()
        else:
            await server.stop()
            await server.start()
        await connection.until_connected()
        second = await retried(lambda: own_log.append(A, Kind.MOVE, b"2", {}, expected=first))
        third = await retried(lambda: own_log.append(B, Kind.MOVE, b"1", {}, expected=0))

        assert await waiting == [second, third]


async def test_a_tail_goes_on_when_its_consumer_is_deleted(
    own_log: JetStreamLog, connection: Connection
) -> None:
    async with following(own_log, [Kind.MOVE], after=0, headers_only=True) as tail:
        await anext(tail)
        waiting = asyncio.create_task(sequences(tail, 1))
        await _consumers(connection, 1)
        (name,) = await _consumers(connection, 1)
        await ask(connection, f"CONSUMER.DELETE.{SETTINGS.stream}.{name}", None, timeout=5)

        sequence = await own_log.append(A, Kind.MOVE, b"1", {}, expected=0)

        assert await waiting == [sequence]


async def test_a_closed_tail_leaves_no_consumer_behind(
    own_log: JetStreamLog, connection: Connection
) -> None:
    async with following(own_log, [Kind.MOVE], after=0, headers_only=True) as tail:
        await anext(tail)

    assert await _consumers(connection, 0) == []


async def test_a_tail_notices_a_message_that_was_lost_on_its_way(
    proxy: Proxy, own_log: JetStreamLog
) -> None:
    expected = 0
    for _ in range(10):
        expected = await own_log.append(A, Kind.MOVE, b"x", {}, expected=expected)
    lost = 0

    def the_fifth_once(message: bytes) -> bool:
        nonlocal lost
        hit = lost == 0 and b".1.5.5." in message.partition(b"\r\n")[0]
        lost += hit
        return hit

    proxy.answers.drop = the_fifth_once
    async with following(own_log, [Kind.MOVE], after=0, headers_only=True) as tail:
        assert await sequences(tail, 10) == list(range(1, 11))
    assert lost == 1


async def test_es_03_a_tail_whose_log_was_replaced_fails_instead_of_standing_still(
    own_log: JetStreamLog, connection: Connection
) -> None:
    for number in range(3):
        await own_log.append(A, Kind.MOVE, b"x", {}, expected=number)
    async with following(own_log, [Kind.MOVE], after=0, headers_only=True) as tail:
        await sequences(tail, 3)
        waiting = asyncio.create_task(sequences(tail, 1, within_s=15))
        await _consumers(connection, 1)
        await ask(connection, f"STREAM.DELETE.{SETTINGS.stream}", None, timeout=5)
        await retried(lambda: _new_stream(connection))  # the old one's files may still be there

        with pytest.raises(LogForeign, match="lost"):
            await waiting


async def test_es_03_a_tail_from_beyond_the_end_of_the_log_fails(own_log: JetStreamLog) -> None:
    await own_log.append(A, Kind.MOVE, b"x", {}, expected=0)
    async with following(own_log, [Kind.MOVE], after=100, headers_only=True) as tail:
        with pytest.raises(LogForeign, match="100"):
            await anext(tail)


async def test_a_live_feed_ends_with_an_error_when_the_connection_was_lost(
    proxy: Proxy, own_log: JetStreamLog
) -> None:
    async with own_log.live(A) as feed:
        await own_log.append(A, Kind.OPEN, b"1", {}, expected=0)
        assert (await anext(feed)).data == b"1"
        proxy.cut()
        with pytest.raises(Unavailable, match="compare"):
            await anext(feed)


async def test_a_live_feed_that_is_not_read_ends_with_an_error_after_what_it_kept(
    own_log: JetStreamLog,
) -> None:
    async with own_log.live(A) as feed:
        expected = 0
        for _ in range(1500):
            expected = await own_log.append(A, Kind.MOVE, b"x", {}, expected=expected)

        received: list[Stored] = []
        with pytest.raises(Unavailable, match="compare"):
            await _collect(feed, received)

    assert received == (await own_log.read(A))[: len(received)]
    assert 1000 <= len(received) < 1500


async def test_a_silent_broker_is_noticed_within_ten_seconds_and_found_again(
    proxy: Proxy, connection: Connection, own_log: JetStreamLog
) -> None:
    first = await own_log.append(A, Kind.OPEN, b"1", {}, expected=0)
    proxy.stall()
    assert await until(lambda: not connection.connected) < 10

    proxy.resume()
    assert await until(lambda: connection.connected) < 10
    await retried(lambda: own_log.append(A, Kind.MOVE, b"2", {}, expected=first))


@pytest.mark.slow
async def test_es_09_a_broker_that_was_away_for_minutes_is_found_again_without_help(
    server: NatsServer, connection: Connection, own_log: JetStreamLog
) -> None:
    async with following(own_log, [Kind.OPEN], after=0, headers_only=True) as tail:
        await anext(tail)
        waiting = asyncio.create_task(sequences(tail, 1, within_s=200))
        server.kill()
        # The client library's own budget ends after 60 tries, two seconds apart.
        await asyncio.sleep(130)
        await server.start()

        assert await until(lambda: connection.connected) < 15
        first = await retried(lambda: own_log.append(A, Kind.OPEN, b"1", {}, expected=0))
        assert await waiting == [first]


async def test_closing_without_a_broker_takes_no_longer_than_a_few_seconds(
    server: NatsServer, proxy: Proxy
) -> None:
    async with connect(NatsSettings(url=proxy.url)) as opened:
        server.kill()
        await until(lambda: not opened.connected)
        started = time.monotonic()
    assert time.monotonic() - started < 5


async def test_a_process_that_finds_no_broker_says_so() -> None:
    with pytest.raises(Unavailable, match=r"no broker at nats://127\.0\.0\.1:1$"):
        async with connect(NatsSettings(url="nats://me:secret@127.0.0.1:1", start_timeout_s=0.5)):
            pass


async def _new_stream(connection: Connection) -> int:
    return (await ensure_stream(connection, SETTINGS, known=None, allow_new=True)).last_sequence


async def _collect(feed: AsyncIterator[Stored], into: list[Stored]) -> None:
    async for stored in feed:
        into.append(stored)


async def _consumers(connection: Connection, number: int) -> list[str]:
    """The names of the stream's consumers, once there are so many."""
    async with asyncio.timeout(10):
        while True:
            verb = f"CONSUMER.NAMES.{SETTINGS.stream}"
            names = (await ask(connection, verb, {}, timeout=5))["consumers"] or []
            if len(names) == number:
                return list(names)
            await asyncio.sleep(0.01)


async def test_a_late_answer_to_a_flush_that_was_given_up_makes_nobody_deaf(
    connection: Connection, proxy: Proxy
) -> None:
    heard: list[bytes] = []
    lost: list[bool] = []
    connection.on_loss(lambda: lost.append(True))

    async def take(message: Any) -> None:
        heard.append(message.data)

    await connection.nc.subscribe("news", cb=take)
    await connection.nc.flush()
    proxy.answers.stall()
    with pytest.raises(nats.errors.FlushTimeoutError):
        await connection.nc.flush(1)
    proxy.resume()
    await connection.nc.flush()
    await connection.nc.publish("news", b"heard")
    await until(lambda: heard == [b"heard"])
    assert not lost
