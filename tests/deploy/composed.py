"""A whole installation under Docker Compose, of a test's own: its folder, ports and volumes."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deploy.secret_files import ROOT, make_secrets
from spielwerk.client.connection import Endpoints

IMAGE: Final = "spielwerk:dev"
SERVICES: Final = ("rules", "accounts", "matchmaking", "timer", "scoring", "bots")
ALL: Final = (*SERVICES, "nats", "redis")
_PUBLIC: Final = ("RULES", "ACCOUNTS", "MATCHMAKING", "SCORING")
_UP_S: Final = 180.0


def build_image() -> None:
    """From this checkout; what has not changed is taken from the daemon's cache."""
    command = ["docker", "build", "--network", "host", "--tag", IMAGE]
    subprocess.run([*command, "--file", ROOT / "deploy" / "Dockerfile", ROOT], check=True)


class Composed:
    """`docker compose` for a copy of the shipped files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.project = f"spielwerk-test-{os.getpid()}"
        self._folder = folder
        self._compose = _compose_program()
        (folder / "deploy").mkdir()
        for name in ("docker-compose.yml", "deploy/nats.conf", "deploy/redis.conf"):
            shutil.copy(ROOT / name, folder / name)
        shutil.copytree(ROOT / "deploy" / "compose", folder / "deploy" / "compose")
        make_secrets(folder / "secrets")
        self._first, *self._others = _free_ports(3 + len(_PUBLIC) - 1)

    def up(self, rules: int = 1) -> None:
        """Start what does not run, and wait until everything is healthy."""
        ports = f"{self._first}-{self._first + rules - 1}" if rules > 1 else str(self._first)
        self._run("up", "--detach", "--no-build", "--scale", f"rules={rules}", ports=ports)
        deadline = time.monotonic() + _UP_S
        while sick := [name for name, state in self.health().items() if state != "healthy"]:
            assert time.monotonic() < deadline, f"not healthy: {sick}\n{self.logs()}"
            time.sleep(0.5)
        assert len(self.health()) == len(ALL) + rules - 1

    def down(self, *options: str) -> None:
        """Remove the containers; volumes only with --volumes."""
        self._run("down", "--timeout", "20", *options)

    def kill(self, service: str) -> None:
        """As by a crash: kill -9."""
        subprocess.run(["docker", "kill", *self._ids(service)], check=True, capture_output=True)

    def start(self, service: str) -> None:
        """The same container again."""
        subprocess.run(["docker", "start", *self._ids(service)], check=True, capture_output=True)

    def inside(self, service: str, *command: str) -> str:
        """Run a command in a service's container; what it prints."""
        return self._run("exec", "-T", service, *command)

    def health(self) -> dict[str, str]:
        """Each container's own opinion."""
        inspected = subprocess.run(
            ["docker", "inspect", *self._ids()], check=True, capture_output=True, text=True
        )
        return {
            one["Name"]: one["State"]["Health"]["Status"] for one in json.loads(inspected.stdout)
        }

    def logs(self) -> str:
        """The last lines of all."""
        return self._run("logs", "--tail", "20")

    @property
    def endpoints(self) -> Endpoints:
        """The published ports."""
        accounts, matchmaking, scoring = self._others[:3]
        at = "127.0.0.1:{}".format
        return Endpoints(at(self._first), at(accounts), at(matchmaking), at(scoring))

    def _ids(self, *services: str) -> list[str]:
        return self._run("ps", "--all", "--quiet", *services).split()

    def _run(self, *arguments: str, ports: str | None = None) -> str:
        done = subprocess.run(
            [*self._compose, "--project-name", self.project, *arguments],
            cwd=self._folder,
            env=os.environ | self._environment(ports or str(self._first)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{arguments}: {done.stderr[-4000:]}"
        return done.stdout

    def _environment(self, rules_ports: str) -> Mapping[str, str]:
        others = zip(_PUBLIC[1:], self._others, strict=False)
        ports = {f"SPIELWERK_{name}_PORT": str(port) for name, port in others}
        return {"SPIELWERK_IMAGE": IMAGE, "SPIELWERK_RULES_PORTS": rules_ports, **ports}


def _compose_program() -> list[str]:
    """The plugin, or the program of its own where that is installed."""
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    return ["docker", "compose"] if plugin.returncode == 0 else ["docker-compose"]


def _free_ports(count: int) -> list[int]:
    """Ports of which the first three follow each other, for three instances of rules."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            first = int(probe.getsockname()[1])
        ports = range(first, first + count)
        if ports.stop < 65_536 and not any(_taken(port) for port in ports):
            return [ports[0], *ports[3:]]


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
