"""A client process that opens many watches and leaves as it is told, and a line that falls silent.

As a program: `leaving.py ADDRESS MATCH_ID TOKEN NUMBER`; it says `open`, then reads how to leave.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub


@asynccontextmanager
async def watching_process(
    address: str, match_id: str, token: str, number: int
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process whose watches have all had their first message; it is gone after the block."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__)),
        address,
        match_id,
        token,
        str(number),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert await asyncio.wait_for(process.stdout.readline(), 60) == b"open\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@dataclass
class Line:
    """A TCP line; once silent it swallows what comes, and closes nothing."""

    target: str
    address: str = ""
    silent: bool = False
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """Of the line itself: those that pass bytes on, and those that wait for them."""
    halves: set[asyncio.Task[None]] = field(default_factory=set)

    async def handle(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        host, _, port = self.target.rpartition(":")
        server, requests = await asyncio.open_connection(host, int(port))
        halves = {
            asyncio.create_task(self._pass_on(client, requests)),
            asyncio.create_task(self._pass_on(server, answers)),
        }
        here = asyncio.current_task()
        assert here is not None
        self.halves |= halves
        self.tasks |= {here, *halves}
        try:
            await asyncio.wait(halves)
        finally:
            requests.close()
            answers.close()
            self.halves -= halves
            self.tasks -= {here, *halves}

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                if not self.silent:
                    sink.write(data)
                    await sink.drain()
            if not self.silent:
                sink.close()


@asynccontextmanager
async def line_to(target: str) -> AsyncIterator[Line]:
    """A line from a free port to a server."""
    line = Line(target)
    server = await asyncio.start_server(line.handle, "127.0.0.1", 0)
    line.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        for half in line.halves:
            half.cancel()
        await asyncio.gather(*line.tasks, return_exceptions=True)


async def main(address: str, match_id: str, token: str, number: int) -> None:
    channel = grpc.aio.insecure_channel(address)
    stub = MatchServiceStub(channel)
    metadata = [("authorization", f"Bearer {token}")]
    request = pb.WatchRequest(match_id=match_id)
    calls = [stub.Watch(request, metadata=metadata) for _ in range(number)]
    await asyncio.gather(*(call.read() for call in calls))
    print("open", flush=True)
    if await asyncio.to_thread(sys.stdin.readline) == "cancel\n":
        for call in calls:
            call.cancel()
        await asyncio.to_thread(sys.stdin.readline)
    await channel.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
