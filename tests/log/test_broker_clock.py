"""One clock: the broker's, whatever the local one says."""

from __future__ import annotations

import time

import pytest

from spielwerk.errors import Unavailable
from spielwerk.log.broker_clock import BrokerClock, running_clock
from spielwerk.log.connect import Connection
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import stream_identity


class Monotonic:
    """The local clock, moved by hand on top of the real one."""

    def __init__(self, ahead_s: float) -> None:
        self.ahead_s = ahead_s

    def __call__(self) -> float:
        return time.monotonic() + self.ahead_s


async def test_the_clock_is_the_brokers_whatever_the_local_one_counts_from(
    nats: Connection, stream_settings: LogSettings
) -> None:
    clock = BrokerClock(nats, stream_settings, Monotonic(-12_345.0))
    await clock.measure()

    # The broker runs on this machine: its time is the wall clock's.
    assert abs(clock.now_ms() - time.time() * 1000) < clock.uncertainty_ms + 5


async def test_the_uncertainty_is_half_a_round_trip_and_grows_with_age(
    nats: Connection, stream_settings: LogSettings
) -> None:
    local = Monotonic(0.0)
    clock = BrokerClock(nats, stream_settings, local)
    assert clock.uncertainty_ms == float("inf")

    await clock.measure()
    fresh = clock.uncertainty_ms
    local.ahead_s += 100.0

    assert 0 < fresh < 1000
    assert clock.uncertainty_ms - fresh == pytest.approx(50, abs=1)


async def test_a_new_measurement_follows_a_local_clock_that_has_stood_still(
    nats: Connection, stream_settings: LogSettings
) -> None:
    local = Monotonic(0.0)
    clock = BrokerClock(nats, stream_settings, local)
    await clock.measure()
    local.ahead_s -= 60.0
    assert clock.now_ms() < time.time() * 1000 - 50_000

    await clock.measure()

    assert abs(clock.now_ms() - time.time() * 1000) < clock.uncertainty_ms + 5


async def test_a_running_clock_is_measured_again_by_itself(
    nats: Connection, stream_settings: LogSettings
) -> None:
    async with running_clock(nats, stream_settings, period_s=0.05) as clock:
        measured = 0
        measure = clock.measure

        async def counted() -> None:
            nonlocal measured
            await measure()
            measured += 1

        clock.measure = counted  # type: ignore[method-assign]
        while measured < 3:
            await stream_identity(nats, stream_settings)


async def test_a_clock_without_a_log_does_not_start(nats: Connection) -> None:
    with pytest.raises(Unavailable, match="stream not found"):
        async with running_clock(nats, LogSettings(stream="NOWHERE")):
            pass
