"""Broker and store in containers instead of our own processes: `pytest --containers`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from testcontainers.community.redis import RedisContainer
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

NATS_IMAGE: Final = "nats:2.15-alpine"
REDIS_IMAGE: Final = "redis:7-alpine"
"""Those of docker-compose.yml."""
_NATS_PORT: Final = 4222


@dataclass(frozen=True, slots=True)
class ContainerBrokers:
    """The addresses of both, as `spielwerk_local.brokers.Brokers` tells them."""

    nats_url: str
    redis_url: str


def daemon_trouble() -> str | None:
    """Why there is no Docker daemon to work with; None if one answers."""
    if shutil.which("docker") is None:
        return "no Docker daemon answers: the program `docker` is missing"
    asked = subprocess.run(["docker", "info"], capture_output=True, text=True, check=False)
    return None if asked.returncode == 0 else f"no Docker daemon answers: {asked.stderr.strip()}"


@contextmanager
def container_brokers() -> Iterator[ContainerBrokers]:
    """Both are up; they are gone after the block."""
    # Its reaper is one more image to fetch; the block removes what it made.
    testcontainers_config.ryuk_disabled = True
    broker = DockerContainer(NATS_IMAGE).with_command("-js").with_exposed_ports(_NATS_PORT)
    broker.waiting_for(LogMessageWaitStrategy("Server is ready"))
    store = RedisContainer(REDIS_IMAGE, password="of-a-test")
    with broker, store:
        at = address(broker, _NATS_PORT), address(store, store.port)
        yield ContainerBrokers(f"nats://{at[0]}", f"redis://:{store.password}@{at[1]}/0")


def address(container: DockerContainer, port: int) -> str:
    """Where a port of the container is reached from here."""
    return f"{container.get_container_host_ip()}:{container.get_exposed_port(port)}"
