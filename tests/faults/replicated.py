"""The services as processes on a cluster of brokers: all that is kept is kept three times."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from faults.cluster import REPLICAS, Cluster, running_cluster, until_takes_streams
from faults.processes import Service
from ports import free_ports
from spielwerk.client.connection import Endpoints
from spielwerk.log.connect import Connection, connect
from spielwerk.settings import AuthSettings
from spielwerk_accounts import keys as signing
from spielwerk_accounts.settings import KeySettings
from spielwerk_local.brokers import start_redis

SERVICES: Final = ("accounts", "rules", "matchmaking", "timer", "scoring", "bots")
_YEAR_S: Final = 365 * 86_400.0
_POLL_S: Final = 0.1


@dataclass
class Replicated:
    """A cluster, a connection of the test's own, and the services."""

    folder: Path
    cluster: Cluster
    broker: Connection
    keys: signing.SigningKeys
    services: dict[str, Service] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)

    @property
    def endpoints(self) -> Endpoints:
        """Where clients find what."""
        return Endpoints(
            matches=self.address("rules"),
            accounts=self.address("accounts"),
            matchmaking=self.address("matchmaking"),
            rankings=self.address("scoring"),
        )

    def address(self, name: str) -> str:
        """Host and port of a service."""
        return f"127.0.0.1:{self.ports[name]}"

    async def until_ready(self, name: str, *, ready: bool) -> None:
        """Wait until a service says so of itself."""
        while ((await self.services[name].health()) == "SERVING") is not ready:
            await asyncio.sleep(_POLL_S)

    def bugs(self) -> list[str]:
        """Log lines about exceptions that nobody expected."""
        lines = [line for service in self.services.values() for line in service.lines()]
        return [line for line in lines if '"internal error"' in line or "Traceback" in line]

    def environment(self, name: str) -> dict[str, str]:
        """The settings of one service."""
        return {
            "SPIELWERK_NATS__URL": self.cluster.url,
            "SPIELWERK_LOG__REPLICAS": str(REPLICAS),
            "SPIELWERK_REPLICAS": str(REPLICAS),
            "SPIELWERK_LOG__MARKER_FILE": str(self.folder / "stream.json"),
            "SPIELWERK_REDIS__URL": f"unix://{self.folder}/redis.sock?db=0",
            "SPIELWERK_RPC__LISTEN": self.address(name),
            "SPIELWERK_API_TARGET": self.address("rules"),
            "SPIELWERK_AUTH__JWKS": self.keys.jwks(),
            "SPIELWERK_AUTH__TOKEN": self.keys.issue(name, f"service:{name}", _YEAR_S),
            "SPIELWERK_KEYS__DATA": str(self.folder / "accounts"),
        }


@asynccontextmanager
async def replicated(folder: Path, *names: str) -> AsyncIterator[Replicated]:
    """These services, all if none is named, on a fresh cluster; ready on entry."""
    async with AsyncExitStack() as stack:
        cluster = await stack.enter_async_context(running_cluster(folder / "cluster"))
        broker = await stack.enter_async_context(connect(cluster.settings))
        await until_takes_streams(broker)
        redis = start_redis(folder, folder / "redis.sock")
        stack.push_async_callback(redis.stop)
        keys = signing.load(KeySettings(data=folder / "accounts"), AuthSettings(), "development")
        there = Replicated(folder, cluster, broker, keys)
        there.ports = dict(zip(SERVICES, free_ports(len(SERVICES)), strict=True))
        for name in names or SERVICES:
            service = Service(name, there.environment(name), folder / f"{name}.log")
            there.services[name] = service
            await service.start()
            stack.push_async_callback(service.stop)
        async with asyncio.timeout(60):
            for name in there.services:
                await there.until_ready(name, ready=True)
        yield there
