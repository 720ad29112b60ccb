"""A TCP proxy before a gRPC server that swallows answers or cuts connections on demand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Wire:
    """Forwards everything; while `mute` is set the server's bytes are thrown away."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = host, int(port)
        self.address = ""
        self.mute = False
        self.connections = 0
        self._open: set[asyncio.Task[None]] = set()

    def cut(self) -> None:
        """Break all connections and speak again on new ones."""
        self.mute = False
        for task in self._open:
            task.cancel()

    async def handle(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self.connections += 1
        server, requests = await asyncio.open_connection(*self._target)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_pumped(client, requests))
                group.create_task(self._answers(server, answers))
        except* (ConnectionError, EOFError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            requests.transport.abort()
            answers.transport.abort()

    async def _answers(self, server: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while data := await server.read(65536):
            if not self.mute:
                client.write(data)
                await client.drain()
        raise EOFError


async def _pumped(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)
        await target.drain()
    raise EOFError


@asynccontextmanager
async def wire_to(target: str) -> AsyncIterator[Wire]:
    """A proxy on a free port."""
    wire = Wire(target)
    server = await asyncio.start_server(wire.handle, "127.0.0.1", 0)
    wire.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield wire
    finally:
        server.close()
        wire.cut()
        await server.wait_closed()
