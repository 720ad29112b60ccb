"""A broker whose data are on a small volume of its own that a test can fill to the last byte."""

from __future__ import annotations

import asyncio
import socket
import sysconfig
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from ports import free_ports
from spielwerk_local.health import until_unhealthy

_SHIPPED: Final = Path(__file__).parents[2] / "deploy" / "nats.conf"
_START_S: Final = 30.0
_CHUNK: Final = 4096


class SmallVolume:
    """A memory file system that only the broker sees, and a process that keeps it mounted.

    It takes no rights of root: both live in a user name space of their own.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        self._folder = folder
        self._megabytes = megabytes
        self._port, self._monitor = free_ports(2)
        self.url = f"nats://127.0.0.1:{self._port}"
        self.failures: list[str] = []
        """Why it was started again by `supervise`."""
        self._holder: asyncio.subprocess.Process | None = None
        self._server: asyncio.subprocess.Process | None = None

    async def mount(self) -> None:
        self._folder.mkdir()
        mount = f"mount -t tmpfs -o size={self._megabytes}m tmpfs {self._folder}"
        self._holder = await asyncio.create_subprocess_exec(
            *("unshare", "-rm", "sh", "-c", f"{mount} && echo mounted && exec sleep 3600"),
            stdout=asyncio.subprocess.PIPE,
        )
        assert self._holder.stdout is not None
        assert await self._holder.stdout.readline() == b"mounted\n"

    async def start(self) -> None:
        """Start the broker, or start it again, as it is shipped."""
        assert self._holder is not None
        program = Path(sysconfig.get_path("scripts")) / "nats-server"
        enter = ("nsenter", "-t", str(self._holder.pid), "-U", "-m", "--preserve-credentials")
        with (self._folder.parent / "nats.log").open("ab") as log:
            self._server = await asyncio.create_subprocess_exec(
                *(*enter, str(program), "-c", str(_SHIPPED), "-sd", str(self._folder)),
                *("-a", "127.0.0.1", "-p", str(self._port), "-m", str(self._monitor)),
                stdout=log,
                stderr=log,
            )
        async with asyncio.timeout(_START_S):
            while not self._listens():
                assert self._server.returncode is None
                await asyncio.sleep(0.02)

    async def kill(self) -> None:
        """As by a crash."""
        assert self._server is not None
        self._server.kill()
        await self._server.wait()

    async def supervise(self) -> None:
        """Endless: start the broker again whenever it calls itself unable to write."""
        while True:
            why = await until_unhealthy(f"http://127.0.0.1:{self._monitor}", period_s=0.5)
            self.failures.append(why)
            await self.kill()
            await self.start()

    def fill(self) -> None:
        """Take what is free, to the last byte."""
        with self._ballast.open("ab", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(bytes(_CHUNK))
            except OSError:
                pass

    def free(self) -> None:
        """Give it back."""
        self._ballast.unlink()

    async def unmount(self) -> None:
        for process in (self._server, self._holder):
            if process is not None and process.returncode is None:
                process.kill()
                await process.wait()

    @property
    def _ballast(self) -> Path:
        assert self._holder is not None
        return Path(f"/proc/{self._holder.pid}/root{self._folder}/ballast")

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


@asynccontextmanager
async def small_volume(folder: Path, megabytes: int) -> AsyncIterator[SmallVolume]:
    """A running broker on a volume of this size."""
    volume = SmallVolume(folder, megabytes)
    try:
        await volume.mount()
        await volume.start()
        yield volume
    finally:
        await volume.unmount()
