"""A TCP proxy between two processes that delays, stalls, cuts or loses what they say, on demand.

It passes bytes on as they are. Before a broker it also reads the protocol, and so can lose or hold
back single messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final
from urllib.parse import urlsplit

Drop = Callable[[bytes], bool]
Hold = Callable[[bytes], float]
Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
CHUNK: Final = 65_536
_WITH_PAYLOAD: Final = (b"MSG ", b"HMSG ", b"PUB ", b"HPUB ")


class Flow:
    """One direction of all connections.

    `drop` and `hold_s` are asked for each message, protocol line and payload, of a broker's
    protocol: whether it is lost, and for how many seconds others may overtake it.
    """

    def __init__(self) -> None:
        self.delay_s = 0.0
        self.drop: Drop = lambda _message: False
        self.hold_s: Hold = lambda _message: 0.0
        self._flowing = asyncio.Event()
        self._flowing.set()

    def stall(self) -> None:
        """Hold everything back, like a dead peer."""
        self._flowing.clear()

    def heal(self) -> None:
        """Let everything pass again, at once."""
        self.delay_s = 0.0
        self.drop = lambda _message: False
        self.hold_s = lambda _message: 0.0
        self._flowing.set()

    async def passed(self) -> None:
        """When the next bytes may go on."""
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        await self._flowing.wait()


class Proxy:
    """Forwards everything until it is told otherwise; `requests` go to the server."""

    def __init__(self, connect: Connect, *, messages: bool) -> None:
        self.url = ""
        self.port = 0
        self.requests, self.answers = Flow(), Flow()
        self.refusing = False
        """Whether new connections are ended at once."""
        self._connect = connect
        self._pump = _messages if messages else _bytes
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def stall(self) -> None:
        """Hold everything back, in both directions."""
        self.requests.stall()
        self.answers.stall()

    def resume(self) -> None:
        """Undo everything."""
        self.refusing = False
        self.requests.heal()
        self.answers.heal()

    def cut(self) -> None:
        """Break all connections; new ones are accepted unless `refusing`."""
        for task in self._connections:
            task.cancel()

    def accept(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        """Take a new connection."""
        task = asyncio.create_task(self._joined(client, answers))
        self._connections[task] = answers
        # Also runs for a task that was cancelled before it began.
        task.add_done_callback(lambda task: self._connections.pop(task).close())

    async def end(self) -> None:
        """Break all connections for good, with what they hold back; nothing of them is left."""
        self.refusing = True
        while left := dict(self._connections):
            for task, answers in left.items():
                answers.transport.abort()
                task.cancel()
            await asyncio.wait(left)
        await asyncio.sleep(0)  # transports tell of their end in the loop's next round

    async def _joined(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        if self.refusing:
            return
        try:
            server, requests = await self._connect()
        except OSError:  # the server is down: so are we
            return
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(client, requests, self.requests))
                group.create_task(self._pump(server, answers, self.answers))
        except* (ConnectionError, asyncio.IncompleteReadError, EOFError):
            pass
        finally:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # cut
                requests.transport.abort()
            requests.close()


@asynccontextmanager
async def proxy_before(url: str) -> AsyncIterator[Proxy]:
    """A proxy before a broker; its `url` has the credentials of the broker's."""
    target = urlsplit(url)
    connect = partial(asyncio.open_connection, target.hostname, target.port)
    async with _listening(connect, messages=True) as proxy:
        proxy.url = f"{target.scheme}://{credentials(url)}{proxy.url}"
        yield proxy


@asynccontextmanager
async def proxy_before_store(url: str) -> AsyncIterator[Proxy]:
    """A proxy before a store; its `url` has the credentials of the store's."""
    async with _listening(way_to_store(url), messages=False) as proxy:
        proxy.url = f"redis://{credentials(url)}{proxy.url}/0"
        yield proxy


def way_to_store(url: str) -> Connect:
    """Connects to a store: ours listens on a Unix socket, a container's at a port."""
    target = urlsplit(url)
    if target.scheme == "unix":
        return partial(asyncio.open_unix_connection, target.path)
    return partial(asyncio.open_connection, target.hostname, target.port)


def credentials(url: str) -> str:
    """What stands before the host, with the `@`; empty if nothing does."""
    return "".join(urlsplit(url).netloc.rpartition("@")[:2])


@asynccontextmanager
async def proxy_to(port: int) -> AsyncIterator[Proxy]:
    """A proxy before any server of this machine; its `url` is host and port."""
    async with _listening(
        partial(asyncio.open_connection, "127.0.0.1", port), messages=False
    ) as proxy:
        yield proxy


@asynccontextmanager
async def proxy_to_socket(path: str) -> AsyncIterator[Proxy]:
    """A proxy before a server that listens on a Unix socket; its `url` is host and port."""
    async with _listening(partial(asyncio.open_unix_connection, path), messages=False) as proxy:
        yield proxy


def is_append_answer(message: bytes) -> bool:
    """Whether a message from the broker acknowledges (or refuses) an append."""
    return message.startswith(b"MSG _INBOX") and b'"seq":' in message and b'"type"' not in message


def is_clock_question(message: bytes) -> bool:
    """Whether a message to the broker asks for the stream's state, and so for the time."""
    return message.startswith((b"PUB $JS.API.STREAM.INFO.", b"HPUB $JS.API.STREAM.INFO."))


def is_clock_answer(message: bytes) -> bool:
    """Whether a message from the broker tells the stream's state, and so the time."""
    return (
        message.startswith((b"MSG _INBOX", b"HMSG _INBOX")) and b"stream_info_response" in message
    )


@asynccontextmanager
async def _listening(connect: Connect, *, messages: bool) -> AsyncIterator[Proxy]:
    proxy = Proxy(connect, messages=messages)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    proxy.url = f"127.0.0.1:{proxy.port}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.resume()
        await proxy.end()
        await server.wait_closed()


async def _bytes(source: asyncio.StreamReader, sink: asyncio.StreamWriter, flow: Flow) -> None:
    while data := await source.read(CHUNK):
        await flow.passed()
        sink.write(data)
        await sink.drain()
    raise EOFError


async def _messages(source: asyncio.StreamReader, sink: asyncio.StreamWriter, flow: Flow) -> None:
    loop = asyncio.get_running_loop()
    while message := await source.readline():
        if message.startswith(_WITH_PAYLOAD):
            message += await source.readexactly(int(message.split()[-1]) + 2)
            if flow.drop(message):
                continue
        await flow.passed()
        if hold_s := flow.hold_s(message):
            loop.call_later(hold_s, _write, sink, message)
            continue
        sink.write(message)
        await sink.drain()
    raise EOFError


def _write(sink: asyncio.StreamWriter, message: bytes) -> None:
    if not sink.is_closing():
        sink.write(message)
