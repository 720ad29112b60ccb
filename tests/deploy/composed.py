"""A whole installation under Docker Compose, of a test's own: its folder, ports and volumes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from deploy.secret_files import ROOT, make_secrets
from spielwerk.client.connection import Endpoints

SERVICES: Final = ("rules", "accounts", "matchmaking", "timer", "scoring", "bots")
ALL: Final = (*SERVICES, "nats", "redis")
_COPIED: Final = (
    *("docker-compose.yml", ".dockerignore", "constraints.txt", "pyproject.toml", "README.md"),
    *("LICENSE", "deploy", "libs", "services"),
)
"""What the image is built from, and what the containers mount."""
_PUBLIC: Final = ("RULES", "ACCOUNTS", "MATCHMAKING", "SCORING")
PORTS: Final = 3 + len(_PUBLIC) - 1
_GROUP: Final = 10001
"""Of the image; it may write the volume `installation`."""
_UP_S: Final = 180.0


class Composed:
    """`docker compose` in `folder`, a copy of this checkout; `also` stands in its override file.

    The first three of the `PORTS` ports follow each other, for three instances of rules.
    """

    def __init__(
        self, folder: Path, ports: Sequence[int], also: Mapping[str, Any] | None = None
    ) -> None:
        self.project = f"spielwerk-test-{os.getpid()}"
        self._folder = folder
        self._compose = _compose_program()
        for name in _COPIED:
            _copy(ROOT / name, folder / name)
        make_secrets(folder / "secrets")
        with (folder / "secrets" / "installation.env").open("a") as installation:
            installation.write("SPIELWERK_MATCHMAKING__RATED=any\n")  # quick house rules
        self._containers = len(ALL)
        if also is not None:
            (folder / "docker-compose.override.yml").write_text(json.dumps(also))
            self._containers += len(also["services"])
        self._first, *self._others = ports[0], *ports[3:]

    def build(self) -> None:
        """The image; what has not changed is taken from the daemon's cache."""
        self._run("build")

    def up(self, rules: int = 1) -> None:
        """Start what does not run, and wait until everything is healthy."""
        ports = f"{self._first}-{self._first + rules - 1}" if rules > 1 else str(self._first)
        self._run("up", "--detach", "--scale", f"rules={rules}", ports=ports)
        deadline = time.monotonic() + _UP_S
        while sick := [name for name, state in self.health().items() if state != "healthy"]:
            assert time.monotonic() < deadline, f"not healthy: {sick}\n{self.logs()}"
            time.sleep(0.5)
        assert len(self.health()) == self._containers + rules - 1

    def down(self, *options: str) -> None:
        """Remove the containers; volumes only with --volumes."""
        self._run("down", "--timeout", "20", *options)

    def lose(self, volume: str) -> None:
        """Remove a volume that nobody uses."""
        subprocess.run(
            ["docker", "volume", "rm", f"{self.project}_{volume}"], check=True, capture_output=True
        )

    def kill(self, service: str) -> None:
        """As by a crash: kill -9."""
        subprocess.run(["docker", "kill", *self._ids(service)], check=True, capture_output=True)

    def start(self, service: str) -> None:
        """The same container again."""
        subprocess.run(["docker", "start", *self._ids(service)], check=True, capture_output=True)

    def inside(self, service: str, *command: str) -> str:
        """Run a command in a service's container; what it prints."""
        return self._run("exec", "-T", service, *command)

    def beside(self, service: str, *command: str, backup: Path | None = None) -> str:
        """Run a command in a container of its own, like the service's; what it prints.

        `backup` is there as /backup, and the command then runs as who runs the tests.
        """
        options = ["--rm", "-T"]
        if backup is not None:
            options += ["--user", f"{os.getuid()}:{_GROUP}", "--volume", f"{backup}:/backup"]
        return self._run("run", *options, service, *command)

    def health(self) -> dict[str, str]:
        """Each container's own opinion."""
        return {one["Name"]: one["State"]["Health"]["Status"] for one in self._inspected()}

    def restarts(self, service: str) -> int:
        """How often the restart policy started it again."""
        (one,) = self._inspected(service)
        return int(one["RestartCount"])

    def logs(self) -> str:
        """The last lines of all."""
        return self._run("logs", "--tail", "20")

    @property
    def endpoints(self) -> Endpoints:
        """The published ports."""
        accounts, matchmaking, scoring = self._others[:3]
        at = "127.0.0.1:{}".format
        return Endpoints(at(self._first), at(accounts), at(matchmaking), at(scoring))

    def _inspected(self, *services: str) -> Any:
        command = ["docker", "inspect", *self._ids(*services)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

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
        assert done.returncode == 0, f"{arguments}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
        return done.stdout

    def _environment(self, rules_ports: str) -> Mapping[str, str]:
        others = zip(_PUBLIC[1:], self._others, strict=False)
        ports = {f"SPIELWERK_{name}_PORT": str(port) for name, port in others}
        return {"SPIELWERK_BUILD_NETWORK": "host", "SPIELWERK_RULES_PORTS": rules_ports, **ports}


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _compose_program() -> list[str]:
    """The plugin, or the program of its own where that is installed."""
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    return ["docker", "compose"] if plugin.returncode == 0 else ["docker-compose"]
