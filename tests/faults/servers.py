"""A nats-server of a test's own, to be killed, frozen and started again at the same address."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from spielwerk_local.brokers import start_nats
from spielwerk_local.child import Child


class NatsServer:
    """Keeps its data, address and password over restarts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = ""
        self._child: Child | None = None

    async def start(self) -> None:
        """Start, or start again."""
        port = int(self.url.rpartition(":")[2]) if self.url else -1
        self._child, self.url = await start_nats(self._folder, sync_always=False, port=port)

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


@asynccontextmanager
async def nats_server(folder: Path) -> AsyncIterator[NatsServer]:
    """A running server that is gone after the block."""
    server = NatsServer(folder)
    await server.start()
    try:
        yield server
    finally:
        server.kill()
