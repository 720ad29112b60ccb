"""Real brokers for every test that wants them: one pair a worker, empty for each test."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from hypothesis import settings
from redis import Redis

from containers import ContainerBrokers, container_brokers, daemon_trouble
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import ensure_stream
from spielwerk_local.brokers import Brokers, local_brokers


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--golden-record` writes the recorded matches of tests/games/golden anew; `--containers`
    takes broker and store from Docker images."""
    parser.addoption("--golden-record", action="store_true", help="write the golden matches anew")
    parser.addoption("--containers", action="store_true", help="broker and store in containers")


# How long an example takes says more of the machine than of the code.
settings.register_profile("spielwerk", deadline=None)
settings.load_profile("spielwerk")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def brokers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Brokers | ContainerBrokers]:
    """A broker and a store of this worker; they live as long as the worker."""
    if request.config.getoption("--containers"):
        if trouble := daemon_trouble():
            pytest.skip(trouble)
        with container_brokers() as contained:
            yield contained
        return
    folder = tmp_path_factory.mktemp("brokers")
    async with local_brokers(folder, sync_always=False, redis_persistence=False) as running:
        yield running


@pytest.fixture
async def nats(brokers: Brokers) -> AsyncIterator[Connection]:
    """A connection to the worker's broker, from which the streams of earlier tests are removed."""
    async with connect(NatsSettings(url=brokers.nats_url)) as connection:
        names = await ask(connection, "STREAM.NAMES", None, timeout=5)
        for name in names["streams"] or ():
            await ask(connection, f"STREAM.DELETE.{name}", None, timeout=5)
        yield connection


@pytest.fixture
async def stream_settings(nats: Connection) -> LogSettings:
    """A new, empty log on the worker's broker."""
    settings = LogSettings(stream=f"TEST-{uuid.uuid4().hex}")
    await ensure_stream(nats, settings, known=None, allow_new=True)
    return settings


@pytest.fixture
def log(nats: Connection, stream_settings: LogSettings) -> JetStreamLog:
    """A new, empty event log."""
    return JetStreamLog(nats, stream_settings)


@pytest.fixture
def redis_url(brokers: Brokers) -> str:
    """The worker's store, emptied."""
    with Redis.from_url(brokers.redis_url) as store:
        store.flushall()
    return brokers.redis_url
