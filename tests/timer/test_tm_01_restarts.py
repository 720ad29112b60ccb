"""TM-01: a deadline outlives the timer, and the broker: it fires once, late rather than never."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Final

import pytest

from faults.servers import NatsServer, nats_server
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.match.model import GRACE_MS
from spielwerk.settings import RedisSettings
from spielwerk_accounts import keys as signing

from .conftest import Table, metric, until_metric

LATE_MS: Final = 30_000
"""The documented bound is 5 s; the machine may be busy with other tests."""
INSTANCES: Final = 3

Own = tuple[Table, NatsServer, Connection]


@pytest.fixture
async def own(tmp_path: Path, redis_url: str) -> AsyncIterator[Own]:
    """Rules on a broker of the test's own."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(nats_server(tmp_path))
        settings = LogSettings(new_installation=True)
        nats = await stack.enter_async_context(connect(NatsSettings(url=server.url)))
        common = {
            "nats": NatsSettings(url=server.url),
            "log": settings,
            "redis": RedisSettings(url=redis_url),
        }
        table = Table(common, signing.generate(), JetStreamLog(nats, settings))
        await stack.enter_async_context(table.rules())
        yield table, server, nats


@pytest.mark.parametrize("number", [150, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("broker", ["stays", "restarts"])
async def test_tm_01_every_deadline_fires_once_after_all_timers_and_the_broker_were_killed(
    own: Own, broker: str, number: int
) -> None:
    table, server, nats = own
    chance = Random(number)
    span_ms = (5_000, 12_000) if number == 150 else (5_000, 60_000)
    async with AsyncExitStack() as stack:
        timers = [await stack.enter_async_context(table.process()) for _ in range(INSTANCES)]
        matches = await table.matches(chance.randint(*span_ms) for _ in range(number))
        for timer in timers:
            timer.send_signal(signal.SIGKILL)
        if broker == "restarts":
            server.kill()
    killed_ms = table.now_ms()
    deadlines = {}
    if broker == "restarts":
        await server.start()
        await nats.until_connected()
    for match_id in matches:
        records = await table.records(match_id)
        deadlines[match_id] = records[0].turns[0].deadline_ms
        assert len(records) == 1 or records[1].recorded_at_ms <= killed_ms
    half = sorted(deadlines.values())[number // 2]
    await table.until_log_time(half + GRACE_MS)

    restarted_ms = table.now_ms()
    async with table.process(), table.timer() as host:
        lateness = await table.lateness_ms(matches)
        await until_metric(host, "deadlines_overdue", 0)
        await until_metric(host, "deadlines_open", 0)
        assert metric(host, "deadlines_fired_total", outcome="expired") <= number
    overdue = sum(at_ms + GRACE_MS < restarted_ms for at_ms in deadlines.values())
    print(f"{overdue} of {number} overdue at the restart; {max(lateness)} ms late at most")
    assert number > overdue >= number // 2
    assert min(lateness) >= GRACE_MS
    for match_id, at_ms in deadlines.items():
        _, ended = await table.records(match_id)
        assert ended.recorded_at_ms <= max(at_ms, restarted_ms) + LATE_MS
