"""The services as processes of their own that can be killed with -9 and started again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ports import free_ports
from spielwerk.client.connection import Endpoints
from spielwerk.settings import AuthSettings
from spielwerk_accounts import keys as signing
from spielwerk_accounts.settings import KeySettings

SERVICES: Final = ("accounts", "rules", "matchmaking", "timer", "scoring", "bots")
_YEAR_S: Final = 365 * 86_400.0


@dataclass
class Service:
    """One process; its settings are in its environment."""

    name: str
    environment: dict[str, str]
    output: Path
    process: asyncio.subprocess.Process | None = None
    kills: int = 0

    async def start(self) -> None:
        with self.output.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                f"spielwerk_{self.name}",
                env=os.environ | self.environment,
                stdout=log,
                stderr=log,
            )

    async def kill(self) -> None:
        """As by a crash."""
        await self._end(signal.SIGKILL)
        self.kills += 1

    async def stop(self) -> None:
        """As by an operator."""
        await self._end(signal.SIGTERM)

    def serves(self) -> bool:
        """Whether somebody listens at its address."""
        host, _, port = self.environment["SPIELWERK_RPC__LISTEN"].rpartition(":")
        with socket.socket() as probe:
            return probe.connect_ex((host, int(port))) == 0

    def failures(self) -> list[str]:
        """Its log lines about exceptions that nobody expected."""
        lines = self.output.read_text().splitlines()
        return [line for line in lines if '"internal error"' in line or "Traceback" in line]

    async def _end(self, number: int) -> None:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(number)
        await self.process.wait()


@dataclass
class Installation:
    """All services on one broker and one store."""

    folder: Path
    nats_url: str
    redis_url: str
    keys: signing.SigningKeys
    services: dict[str, Service] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, nats_url: str, redis_url: str) -> Installation:
        """Not yet started."""
        keys = signing.load(KeySettings(data=folder / "accounts"), AuthSettings(), "development")
        made = cls(folder, nats_url, redis_url, keys)
        for name, port in zip(SERVICES, free_ports(len(SERVICES)), strict=True):
            made.ports[name] = port
        for name in SERVICES:
            made.services[name] = Service(name, made.environment(name), folder / f"{name}.log")
        return made

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
        """Host and port of a service; the same after each start."""
        return f"127.0.0.1:{self.ports[name]}"

    def environment(self, name: str) -> dict[str, str]:
        """The settings of one service."""
        return {
            "SPIELWERK_NATS__URL": self.nats_url,
            "SPIELWERK_REDIS__URL": self.redis_url,
            "SPIELWERK_LOG__MARKER_FILE": str(self.folder / "stream.json"),
            "SPIELWERK_RPC__LISTEN": self.address(name),
            "SPIELWERK_API_TARGET": self.address("rules"),
            "SPIELWERK_AUTH__JWKS": self.keys.jwks(),
            "SPIELWERK_AUTH__TOKEN": self.keys.issue(name, f"service:{name}", _YEAR_S),
            "SPIELWERK_KEYS__DATA": str(self.folder / "accounts"),
        }

    async def start(self) -> None:
        """Rules first: it makes the stream."""
        await asyncio.gather(*(service.start() for service in self.services.values()))

    async def stop(self) -> None:
        await asyncio.gather(*(service.stop() for service in self.services.values()))
