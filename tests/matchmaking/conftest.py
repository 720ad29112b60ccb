"""Matchmakers on a real Redis and a real log; matches are created by the test's own table."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from matchmaking.installation import Installation
from matchmaking.instances import Maker
from matchmaking.table import LogMatches
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings
from spielwerk_local.brokers import Brokers


@pytest.fixture
def matches(log: JetStreamLog) -> LogMatches:
    return LogMatches(log)


@pytest.fixture
async def maker(redis_url: str, log: JetStreamLog, matches: LogMatches) -> AsyncIterator[Maker]:
    async with AsyncExitStack() as stack:
        yield Maker(redis_url, log, matches, stack)


@pytest.fixture
async def installation(
    brokers: Brokers, redis_url: str, stream_settings: LogSettings
) -> AsyncIterator[Installation]:
    """Rules and one instance of matchmaking."""
    async with AsyncExitStack() as stack:
        running = Installation(brokers.nats_url, redis_url, stream_settings, stack)
        stack.push_async_callback(running.stop_matchmaking)
        await running.start_rules(seating_ms=1_000)
        await running.start_matchmaking()
        yield running
