"""The timer beside the real rules service: every overdue turn ends once, whatever is killed."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from faults.servers import nats_server
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import subject
from spielwerk.match.model import GRACE_MS
from spielwerk.settings import RedisSettings
from spielwerk.store import open_redis
from spielwerk_accounts import keys as signing

from .conftest import Table, metric, until_metric

LATE_MS = GRACE_MS + 60_000
"""Not how late it may be, but how slow the machine: a deadline that is lost never fires."""
"""Tests share the machine with others: what must hold on a busy one, too."""


async def test_a_seat_that_stays_empty_is_given_up_at_its_deadline(table: Table) -> None:
    async with table.timer() as host:
        matches = await table.matches([300, 600, 900])
        lateness = await table.lateness_ms(matches)
        assert all(GRACE_MS <= ms <= LATE_MS for ms in lateness), lateness
        await until_metric(host, "deadlines_open", 0)
        assert metric(host, "deadlines_overdue") == 0
        assert metric(host, "deadlines_fired_total", outcome="expired") == 3


async def test_tm_03_several_instances_end_each_turn_once(table: Table) -> None:
    chance = Random(1)
    async with AsyncExitStack() as stack:
        hosts = [await stack.enter_async_context(table.timer()) for _ in range(3)]
        matches = await table.matches(chance.randint(300, 1_500) for _ in range(150))
        lateness = await table.lateness_ms(matches)
        for host in hosts:
            await until_metric(host, "deadlines_open", 0)
    assert all(GRACE_MS <= ms <= LATE_MS for ms in lateness), lateness
    assert [len(await table.records(match_id)) for match_id in matches] == [2] * 150


@pytest.mark.parametrize("store", ["kept", "wiped", "away"])
async def test_tm_01_a_killed_timer_fires_what_is_overdue_and_keeps_the_future(
    table: Table, store: str
) -> None:
    chance = Random(2)
    async with table.process() as first:
        finished = await table.matches([100] * 20)
        await table.lateness_ms(finished)
        overdue = await table.matches(chance.randint(1_200, 1_500) for _ in range(60))
        future = await table.matches(chance.randint(7_000, 8_000) for _ in range(20))
        await table.until_kept(future[-1])
        first.send_signal(signal.SIGKILL)
        await first.wait()
    if store == "wiped":
        client = open_redis(table.common["redis"].url)
        await client.flushall()
        await client.aclose()
    if store == "away":
        table.common["redis"] = RedisSettings(url="redis://127.0.0.1:9/0")
    opened = (await table.records(overdue[-1]))[0]
    await table.until_log_time(opened.recorded_at_ms + 1_800)
    assert [len(await table.records(match_id)) for match_id in overdue] == [1] * 60
    restarted_ms = table.now_ms()
    async with table.process():
        await table.lateness_ms(overdue)
        for match_id in overdue:
            ended = (await table.records(match_id))[-1]
            assert ended.recorded_at_ms <= restarted_ms + 60_000
        lateness = await table.lateness_ms(future)
        assert all(GRACE_MS <= ms <= LATE_MS for ms in lateness), lateness


async def test_tm_03_a_paused_instance_that_wakes_up_late_does_no_harm(table: Table) -> None:
    async with table.process() as sleeper, table.timer():
        matches = await table.matches([800] * 40)
        sleeper.send_signal(signal.SIGSTOP)
        lateness = await table.lateness_ms(matches)
        assert all(GRACE_MS <= ms <= LATE_MS for ms in lateness), lateness
        later = await table.matches([1_200] * 10)
        sleeper.send_signal(signal.SIGCONT)
        await table.lateness_ms(later)
    assert [len(await table.records(m)) for m in (*matches, *later)] == [2] * 50


@pytest.mark.parametrize("number", [300, pytest.param(2_000, marks=pytest.mark.slow)])
async def test_many_deadlines_in_the_same_second_are_written_in_time(
    table: Table, number: int
) -> None:
    async with table.process():
        start_ms = table.now_ms()
        left_ms = 4_000 if number == 300 else 20_000
        matches = []
        for _ in range(0, number, 100):
            gone_ms = table.now_ms() - start_ms
            matches += await table.matches([left_ms - gone_ms] * 100)
        lateness = sorted(await table.lateness_ms(matches))
    assert len(lateness) == number
    assert lateness[0] >= GRACE_MS
    assert lateness[number * 99 // 100] <= LATE_MS


async def test_deadlines_wait_for_rules_to_come_back(table: Table) -> None:
    async with table.timer() as host:
        matches = await table.matches([2_500] * 20)
        await table.stop_rules()
        await until_metric(host, "deadlines_overdue", 40)  # two seats a match
        async with table.rules():
            await table.lateness_ms(matches)
            await until_metric(host, "deadlines_overdue", 0)
    assert metric(host, "deadlines_fired_total", outcome="unclear") > 0


async def test_a_foreign_message_does_not_disarm_a_deadline(table: Table, nats: Connection) -> None:
    async with table.timer():
        (match_id,) = await table.matches([600])
        await nats.nc.publish(subject(match_id, Kind.MOVE), b"foreign")
        await nats.nc.flush()
        async with asyncio.timeout(10):
            while len(await table.log.read(match_id)) < 3:
                await asyncio.sleep(0.02)
    last = (await table.log.read(match_id))[-1]
    assert last.subject == subject(match_id, Kind.END)


async def test_readiness_follows_the_broker_and_not_the_store(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(nats_server(tmp_path))
        settings = LogSettings(new_installation=True)
        nats = await stack.enter_async_context(connect(NatsSettings(url=server.url)))
        common = {"nats": NatsSettings(url=server.url), "log": settings}
        common |= {"redis": RedisSettings(url="redis://127.0.0.1:9/0")}
        table = Table(common, signing.generate(), JetStreamLog(nats, settings))
        await stack.enter_async_context(table.rules())
        host = await stack.enter_async_context(table.timer())
        await until_metric(host, "ready", 1, check="timer: deadlines")
        await until_metric(host, "ready", 1, check="timer: broker")
        server.kill()
        await until_metric(host, "ready", 0, check="timer: broker")
        await server.start()
        await until_metric(host, "ready", 1, check="timer: broker")


async def test_tm_01_deadlines_survive_a_restart_of_the_broker(
    tmp_path: Path, redis_url: str
) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(nats_server(tmp_path))
        settings = LogSettings(new_installation=True)
        nats = await stack.enter_async_context(connect(NatsSettings(url=server.url)))
        common = {"nats": NatsSettings(url=server.url), "log": settings}
        common |= {"redis": RedisSettings(url=redis_url)}
        table = Table(common, signing.generate(), JetStreamLog(nats, settings))
        await stack.enter_async_context(table.rules())
        await stack.enter_async_context(table.timer())
        overdue = await table.matches([700] * 20)
        future = await table.matches([6_000] * 20)
        server.kill()
        await table.until_log_time(table.now_ms() + 2_000)
        await server.start()
        restarted_ms = table.now_ms()
        await nats.until_connected()
        await table.lateness_ms(overdue)
        for match_id in overdue:
            ended = (await table.records(match_id))[-1]
            assert ended.recorded_at_ms <= restarted_ms + 60_000
        lateness = await table.lateness_ms(future)
        assert all(GRACE_MS <= ms <= LATE_MS for ms in lateness), lateness
