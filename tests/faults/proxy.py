"""A TCP proxy before a NATS server that loses answers, stalls, or cuts connections on demand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

Drop = Callable[[bytes], bool]


class Proxy:
    """Forwards everything until it is told otherwise.

    `drop` sees each message from the server, protocol line and payload, and answers whether it
    is lost; `stalled` holds all bytes back in both directions, like a dead peer.
    """

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self.url = ""
        self.drop: Drop = lambda _message: False
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._connections: set[asyncio.Task[None]] = set()

    def stall(self) -> None:
        """Hold everything back."""
        self._flowing.clear()

    def resume(self) -> None:
        """Let it flow again."""
        self._flowing.set()

    def cut(self) -> None:
        """Break all connections; new ones are accepted."""
        for task in self._connections:
            task.cancel()

    async def handle(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            host, port = self._target.hostname, self._target.port
            server, requests = await asyncio.open_connection(host, port)
        except OSError:  # the server is down: so are we
            answers.close()
            self._connections.discard(task)
            return
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._requests(client, requests))
                group.create_task(self._answers(server, answers))
        except* (ConnectionError, asyncio.IncompleteReadError, EOFError):
            pass
        except* asyncio.CancelledError:
            pass
        finally:
            self._connections.discard(task)
            requests.close()
            answers.close()

    async def _requests(self, client: asyncio.StreamReader, server: asyncio.StreamWriter) -> None:
        while data := await client.read(65536):
            await self._flowing.wait()
            server.write(data)
            await server.drain()
        raise EOFError

    async def _answers(self, server: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while line := await server.readline():
            message = line
            if line.startswith((b"MSG ", b"HMSG ")):
                message += await server.readexactly(int(line.split()[-1]) + 2)
                if self.drop(message):
                    continue
            await self._flowing.wait()
            client.write(message)
            await client.drain()
        raise EOFError


@asynccontextmanager
async def proxy_before(url: str) -> AsyncIterator[Proxy]:
    """A proxy on a free port; its `url` has the credentials of the server's."""
    proxy = Proxy(url)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    credentials = url.rpartition("@")[0]
    proxy.url = f"{credentials}@127.0.0.1:{port}" if credentials else f"nats://127.0.0.1:{port}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.resume()
        proxy.cut()
        await server.wait_closed()


def is_append_answer(message: bytes) -> bool:
    """Whether a message from the server acknowledges (or refuses) an append."""
    return message.startswith(b"MSG _INBOX") and b'"seq":' in message and b'"type"' not in message
