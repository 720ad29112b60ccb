"""Three nats-servers as one cluster: its leaders are found, killed with -9 and started again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import which
from sysconfig import get_path
from typing import Any, Final

from ports import free_ports
from spielwerk.errors import Unavailable
from spielwerk.log.api import ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.settings import NatsSettings
from spielwerk_local.child import Child

NAMES: Final = ("a", "b", "c")
REPLICAS: Final = len(NAMES)
_USER: Final = "spielwerk:secret"
_START_S: Final = 30.0
_POLL_S: Final = 0.05

# Disks are flushed seldom: these tests kill processes, no machines.
_CONFIGURATION: Final = """
server_name: {name}
listen: "127.0.0.1:{port}"
max_payload: 1MB
authorization {{ user: spielwerk, password: secret }}
jetstream {{ store_dir: "{folder}", sync_interval: 2m }}
cluster {{ name: test, listen: "127.0.0.1:{route}", routes: [{routes}] }}
"""


class Cluster:
    """The servers by name; each keeps its data and addresses over restarts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        ports = free_ports(2 * REPLICAS)
        self._ports = dict(zip(NAMES, ports[:REPLICAS], strict=True))
        self._routes = dict(zip(NAMES, ports[REPLICAS:], strict=True))
        self.children: dict[str, Child] = {}

    @property
    def url(self) -> str:
        """All servers, as in NatsSettings.url."""
        return ",".join(f"nats://{_USER}@127.0.0.1:{port}" for port in self._ports.values())

    @property
    def settings(self) -> NatsSettings:
        """For a connection that finds the servers that are left."""
        return NatsSettings(url=self.url)

    async def start(self, *names: str) -> None:
        """Start servers, or start them again; returns when each of them listens."""
        for name in names:
            folder = self._folder / name
            folder.mkdir(parents=True, exist_ok=True)
            configuration = folder / "nats.conf"
            configuration.write_text(self._configuration(name, folder))
            self.children[name] = Child(
                [_program(), "-c", str(configuration)],
                output=folder / "nats.log",
                pid_file=folder / "nats.pid",
            )
        for name in names:
            await self._until_listening(name)

    def kill(self, name: str) -> None:
        """As by a crash: kill -9."""
        self.children.pop(name).kill()

    def _configuration(self, name: str, folder: Path) -> str:
        others = (port for other, port in self._routes.items() if other != name)
        return _CONFIGURATION.format(
            name=name,
            port=self._ports[name],
            route=self._routes[name],
            routes=", ".join(f'"nats://127.0.0.1:{port}"' for port in others),
            folder=folder,
        )

    async def _until_listening(self, name: str) -> None:
        async with asyncio.timeout(_START_S):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self._ports[name])
                except OSError:
                    await asyncio.sleep(_POLL_S)
                else:
                    writer.close()
                    return


async def leader(connection: Connection, stream: str) -> str:
    """The server that leads a stream, as soon as one does."""
    while True:
        found = (await _cluster_of(connection, stream)).get("leader")
        if found:
            return str(found)
        await asyncio.sleep(_POLL_S)


async def until_in_step(connection: Connection, stream: str) -> None:
    """Wait until all replicas of a stream hold what its leader holds."""
    while True:
        state = await _cluster_of(connection, stream)
        others = state.get("replicas") or ()
        in_step = [r for r in others if r["current"] and not r.get("offline")]
        if state.get("leader") and len(in_step) == REPLICAS - 1:
            return
        await asyncio.sleep(_POLL_S)


async def until_takes_streams(connection: Connection) -> None:
    """Wait until the servers have found each other: a replicated stream can be made."""
    body = {"name": "PROBE", "subjects": ["probe"], "num_replicas": REPLICAS}
    while True:
        try:
            await ask(connection, "STREAM.CREATE.PROBE", body, timeout=2, again_s=0.5)
            await ask(connection, "STREAM.DELETE.PROBE", None, timeout=2)
        except (ApiError, Unavailable):
            await asyncio.sleep(_POLL_S)
        else:
            return


@asynccontextmanager
async def running_cluster(folder: Path) -> AsyncIterator[Cluster]:
    """All three servers; none of them is left after the block."""
    cluster = Cluster(folder)
    try:
        await cluster.start(*NAMES)
        yield cluster
    finally:
        for name in tuple(cluster.children):
            cluster.kill(name)


async def _cluster_of(connection: Connection, stream: str) -> dict[str, Any]:
    try:
        info = await ask(connection, f"STREAM.INFO.{stream}", None, timeout=1, again_s=0.2)
    except (ApiError, Unavailable):
        return {}
    state: dict[str, Any] = info.get("cluster") or {}
    return state


def _program() -> str:
    """The wheel puts the program beside the interpreter."""
    beside = Path(get_path("scripts")) / "nats-server"
    program = str(beside) if beside.exists() else which("nats-server")
    assert program is not None
    return program
