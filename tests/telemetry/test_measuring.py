"""A whole installation tells of its broker, its clock and its readers."""

from __future__ import annotations

import asyncio

import pytest

from client.conftest import installed
from client.house import House
from spielwerk.telemetry.metrics import Metrics

__all__ = ["installed"]


@pytest.fixture
def metrics(installed: House) -> Metrics:
    """Of rules, accounts, matchmaking, bots and scoring, which share a process here."""
    assert installed.host is not None
    return installed.host.metrics


async def test_every_reader_of_the_log_tells_how_far_it_is_behind(metrics: Metrics) -> None:
    async with asyncio.timeout(30):
        for consumer in ("bots", "matchmaking", "scoring"):
            name, labels = "spielwerk_consumer_lag_records", {"consumer": consumer}
            while metrics.registry.get_sample_value(name, labels) != 0:
                await asyncio.sleep(0.02)


async def test_the_broker_is_there_and_its_time_is_known(metrics: Metrics) -> None:
    assert metrics.value("spielwerk_nats_connected") == 1
    assert 0 < metrics.value("spielwerk_clock_uncertainty_seconds") < 2


async def test_the_size_of_the_log_is_told(installed: House, metrics: Metrics) -> None:
    await installed.open_match("ada", "ben")
    await installed.stop()
    await installed.start()
    assert installed.host is not None
    async with asyncio.timeout(30):
        while not installed.host.metrics.value("spielwerk_log_bytes"):
            await asyncio.sleep(0.02)
    assert metrics.value("spielwerk_nats_connected") == 0
