"""What a process measures of its broker: connection, clock, and how far its readers are behind."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import cast

from spielwerk.log.broker_clock import BrokerClock
from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Batch, Kind, StreamIdentity, Tail
from spielwerk.log.settings import LogSettings
from spielwerk.telemetry.metrics import Metrics


def measure_connection(connection: Connection, metrics: Metrics) -> None:
    """Tell whether the broker is reachable, as of the moment somebody asks, and each return."""
    metrics.connected.set_function(lambda: connection.connected)
    connection.on_return(metrics.reconnects.inc)


def measure_clock(clock: BrokerClock, metrics: Metrics) -> None:
    """Tell how far this machine's clock is off, and how well that is known, when somebody asks."""
    metrics.clock_offset.set_function(lambda: clock.now_ms() / 1000 - time.time())
    metrics.clock_uncertainty.set_function(lambda: clock.uncertainty_ms / 1000)


def measured_tails(
    connection: Connection, settings: LogSettings, metrics: Metrics, consumer: str
) -> dict[str, Tail]:
    """The tail of each stream by its tag, which is part of the consumer's name in the metric."""
    return {
        part.tag: MeasuredTail(JetStreamLog(connection, part), metrics, f"{consumer}{part.tag}")
        for part in settings.parts
    }


class MeasuredTail:
    """A tail that tells how many records its reader has not handled yet.

    A batch counts as handled once the next one is asked for.
    """

    def __init__(self, tail: Tail, metrics: Metrics, consumer: str) -> None:
        self._tail = tail
        self._lag = metrics.consumer_lag.labels(consumer)

    async def identity(self) -> StreamIdentity:
        """See Tail."""
        return await self._tail.identity()

    async def follow(
        self, kinds: Sequence[Kind], *, after: int, headers_only: bool
    ) -> AsyncIterator[Batch]:
        """See Tail."""
        following = self._tail.follow(kinds, after=after, headers_only=headers_only)
        async with aclosing(cast(AsyncGenerator[Batch, None], following)) as batches:
            async for batch in batches:
                self._lag.set(len(batch.messages) + batch.waiting)
                yield batch
                self._lag.set(batch.waiting)
