"""What is measured of the broker is what is there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from faults.servers import nats_server
from log.tails import following
from log.test_faults import until
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.measured import MeasuredTail, measure_clock, measure_connection
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.telemetry.metrics import Metrics

COUNT = 1000


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


async def test_a_loss_and_a_return_of_the_broker_are_seen(tmp_path: Path, metrics: Metrics) -> None:
    def connected() -> bool:
        return metrics.value("spielwerk_nats_connected") == 1

    async with nats_server(tmp_path) as server, connect(NatsSettings(url=server.url)) as broker:
        measure_connection(broker, metrics)
        assert connected()
        server.kill()
        await until(lambda: not connected())
        assert metrics.value("spielwerk_nats_reconnects_total") == 0
        await server.start()
        await until(connected)
        await until(lambda: metrics.value("spielwerk_nats_reconnects_total") == 1)


async def test_the_clocks_of_one_machine_differ_by_no_more_than_is_uncertain(
    nats: Connection, stream_settings: LogSettings, metrics: Metrics
) -> None:
    async with running_clock(nats, stream_settings) as clock:
        measure_clock(clock, metrics)
        uncertainty = metrics.value("spielwerk_clock_uncertainty_seconds")
        assert 0 < uncertainty < 2
        assert abs(metrics.value("spielwerk_clock_offset_seconds")) < uncertainty + 0.01


async def test_a_reader_is_behind_by_what_it_did_not_handle(
    log: JetStreamLog, metrics: Metrics
) -> None:
    def behind() -> float:
        return metrics.value("spielwerk_consumer_lag_records", consumer="timer")

    # More than fits into one batch.
    ids = [new_match_id(number, bytes(10)) for number in range(COUNT + 1)]
    stored = (log.append(one, Kind.OPEN, bytes(4096), {}, expected=0) for one in ids[:-1])
    await asyncio.gather(*stored)
    measured = MeasuredTail(log, metrics, "timer")
    async with following(measured, tuple(Kind), after=0, headers_only=False) as tail:
        seen = len((await anext(tail)).messages)
        assert behind() == COUNT
        while seen < COUNT:
            seen += len((await anext(tail)).messages)
        waiting = asyncio.ensure_future(anext(tail))
        await until(lambda: behind() == 0)
        await log.append(ids[-1], Kind.OPEN, b"", {}, expected=0)
        assert len((await waiting).messages) == 1
        assert behind() == 1
    assert await measured.identity() == await log.identity()
