"""A running server with an empty log for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from client.house import House, house_at
from spielwerk.log.settings import LogSettings
from spielwerk_local.brokers import Brokers


@pytest.fixture
async def house(
    brokers: Brokers, stream_settings: LogSettings, redis_url: str, tmp_path: Path
) -> AsyncIterator[House]:
    async with house_at(brokers.nats_url, stream_settings, redis_url, tmp_path) as running:
        yield running


@pytest.fixture
async def installed(
    brokers: Brokers, stream_settings: LogSettings, redis_url: str, tmp_path: Path
) -> AsyncIterator[House]:
    """With matchmaking, bots and scoring."""
    async with house_at(
        brokers.nats_url, stream_settings, redis_url, tmp_path, everything=True
    ) as running:
        yield running
