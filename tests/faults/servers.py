"""A broker and a store of a test's own, to be killed, frozen and started again at the same
address."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from redis import Redis, RedisError

from spielwerk_local.brokers import start_nats, start_redis
from spielwerk_local.child import Child

_START_S: Final = 30.0


class _Server:
    """A process that a test may end in any way."""

    def __init__(self) -> None:
        self._child: Child | None = None

    def kill(self) -> None:
        """As by a crash: kill -9."""
        self.child.kill()

    async def stop(self) -> None:
        """As by an operator: SIGTERM."""
        await self.child.stop()

    def freeze(self) -> None:
        os.kill(self.child.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.child.pid, signal.SIGCONT)

    @property
    def child(self) -> Child:
        assert self._child is not None
        return self._child


class NatsServer(_Server):
    """Keeps its data, address and password over restarts."""

    def __init__(self, folder: Path, port: int = -1) -> None:
        """`port` -1 takes a free one, which somebody else may take while the server is down."""
        super().__init__()
        self._folder = folder
        self._port = port
        self.url = ""

    async def start(self) -> None:
        """Start, or start again."""
        port = int(self.url.rpartition(":")[2]) if self.url else self._port
        self._child, self.url = await start_nats(self._folder, sync_always=False, port=port)


class RedisServer(_Server):
    """Listens on a socket; keeps its data over restarts unless they are taken away."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.socket = folder / "redis.sock"

    async def start(self) -> None:
        """Start, or start again; it answers."""
        self._child = start_redis(self._folder, self.socket)
        await self._child.until(self._answers, _START_S)

    def lose(self) -> None:
        """As by the loss of its disk; while it is down."""
        shutil.rmtree(self._folder / "redis")

    def _answers(self) -> bool:
        with suppress(RedisError), Redis(unix_socket_path=str(self.socket)) as store:
            return bool(store.ping())
        return False


@asynccontextmanager
async def nats_server(folder: Path) -> AsyncIterator[NatsServer]:
    """A running server that is gone after the block."""
    server = NatsServer(folder)
    await server.start()
    try:
        yield server
    finally:
        server.kill()
