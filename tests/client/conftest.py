"""A running server with an empty log for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from client.house import House, house_at
from client.middleman import Middleman, middleman_before
from spielwerk.client import MatchClient, Spielwerk
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


@pytest.fixture
async def between(house: House) -> AsyncIterator[tuple[Middleman, Spielwerk]]:
    """A middleman, and a player who is connected to it."""
    async with (
        middleman_before(house) as (middleman, address),
        Spielwerk.connect(address, token=house.token("ada")) as ada,
    ):
        yield middleman, ada


@pytest.fixture
async def match(house: House, between: tuple[Middleman, Spielwerk]) -> MatchClient:
    """The player's match against a bot."""
    return between[1].match(await house.open_match("ada", "bot:beginner"))
