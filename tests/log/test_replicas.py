"""Side streams and buckets that were made with one replica get three when the operator says so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from faults.cluster import REPLICAS, running_cluster, until_takes_streams
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection, connect
from spielwerk.log.health_stream import HealthStream
from spielwerk_accounts.buckets import open_bucket
from spielwerk_rules.audit_trail import open_trail

Open = Callable[[Connection, int], Awaitable[Any]]


async def open_health(connection: Connection, replicas: int) -> None:
    await HealthStream(connection, replicas).open()


async def open_profiles(connection: Connection, replicas: int) -> None:
    await open_bucket(connection, "PROFILES", replicas)


@pytest.fixture
async def clustered(tmp_path: Path) -> AsyncIterator[Connection]:
    async with running_cluster(tmp_path) as cluster, connect(cluster.settings) as connection:
        await until_takes_streams(connection)
        yield connection


async def configuration(connection: Connection, name: str) -> dict[str, Any]:
    info = await ask(connection, f"STREAM.INFO.{name}", None, timeout=5, again_s=0.5)
    return dict(info["config"])


async def test_a_raised_number_of_replicas_reaches_what_is_there(clustered: Connection) -> None:
    opening: dict[str, Open] = {
        "HEALTH": open_health,
        "AUDIT": open_trail,
        "KV_PROFILES": open_profiles,
    }
    for name, opened in opening.items():
        await opened(clustered, 1)
        before = await configuration(clustered, name)
        await opened(clustered, REPLICAS)
        assert await configuration(clustered, name) == before | {"num_replicas": REPLICAS}


async def test_accounts_serves_where_a_bucket_cannot_be_replicated(nats: Connection) -> None:
    """A single broker refuses three replicas."""
    await (await open_bucket(nats, "KEPT", 1)).create("one", {"x": 1})
    kept = await (await open_bucket(nats, "KEPT", REPLICAS)).get("one")
    assert kept is not None
    assert kept.value == {"x": 1}
