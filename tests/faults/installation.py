"""A whole installation of replicated processes, with a proxy on every way between two of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from faults.processes import SERVING, Service, peak_kb
from faults.proxy import Proxy, proxy_before, proxy_to, proxy_to_socket
from faults.servers import NatsServer, RedisServer
from faults.ways import CALLERS, LINKS, NAMES, REPLICAS, WITH_STORE, kind_of
from ports import reserved_ports
from spielwerk.client.connection import Endpoints
from spielwerk.settings import AuthSettings
from spielwerk_accounts import keys as signing
from spielwerk_accounts.settings import KeySettings

OUTAGE_S: Final = 2.0
"""Nobody's time has run in a longer one."""
_YEAR_S: Final = 365 * 86_400.0
_START_S: Final = 90.0
_POLL_S: Final = 0.1


@dataclass
class Installation:
    """Broker, store and services; `links` are the proxies, by names like `rules-0>nats`."""

    folder: Path
    nats: NatsServer
    redis: RedisServer
    keys: signing.SigningKeys
    services: dict[str, Service] = field(default_factory=dict)
    links: dict[str, Proxy] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    metrics_ports: dict[str, int] = field(default_factory=dict)
    peaks_kb: dict[str, int] = field(default_factory=dict)

    @property
    def endpoints(self) -> Endpoints:
        """Where clients find what: every replica, through a proxy."""
        ways = {kind: self._way("client", kind) for kind in CALLERS}
        return Endpoints(ways["rules"], ways["accounts"], ways["matchmaking"], ways["scoring"])

    def of_kind(self, kind: str) -> list[Service]:
        """The replicas of a service."""
        return [service for service in self.services.values() if service.kind == kind]

    async def until_serving(self) -> None:
        """Wait until all processes say that they are ready; TimeoutError names the others."""
        unready: dict[str, str] = dict.fromkeys(self.services, "not asked")
        try:
            async with asyncio.timeout(_START_S):
                while unready:
                    await asyncio.sleep(_POLL_S)
                    told = [await self.services[name].health() for name in unready]
                    states = zip(list(unready), told, strict=True)
                    unready = {name: state for name, state in states if state != SERVING}
        except TimeoutError:
            raise TimeoutError(f"not ready: {unready}") from None

    def measure(self) -> None:
        """Note how much memory each process has had at most."""
        pids = {"nats": self.nats.child.pid, "redis": self.redis.child.pid}
        pids |= {name: pid for name, s in self.services.items() if (pid := s.pid) is not None}
        for name, pid in pids.items():
            self.peaks_kb[name] = max(self.peaks_kb.get(name, 0), peak_kb(pid))

    async def gauges(self, *names: str) -> dict[str, float]:
        """Metrics that are not zero, by `process name{labels}`."""
        pages = await asyncio.gather(
            *(asyncio.to_thread(_page, port) for port in self.metrics_ports.values())
        )
        return {
            f"{process} {sample.name}{sample.labels or ''}": sample.value
            for process, page in zip(self.metrics_ports, pages, strict=True)
            for metric in text_string_to_metric_families(page)
            for sample in metric.samples
            if sample.name in names and sample.value
        }

    def environment(self, name: str, port: int) -> dict[str, str]:
        """The settings of one process."""
        kind = kind_of(name)
        self.tokens[name] = self.keys.issue(name, f"service:{kind}", _YEAR_S)
        found = {
            "SPIELWERK_NATS__URL": self.links[f"{name}>nats"].url,
            "SPIELWERK_LOG__MARKER_FILE": str(self.folder / "stream.json"),
            "SPIELWERK_RPC__LISTEN": f"127.0.0.1:{port}",
            "SPIELWERK_RPC__GRACE_S": "3",
            "SPIELWERK_AUTH__JWKS": self.keys.jwks(),
            "SPIELWERK_AUTH__TOKEN": self.tokens[name],
            "SPIELWERK_KEYS__DATA": str(self.folder / "accounts"),
            "SPIELWERK_TELEMETRY__METRICS_PORT": str(self.metrics_ports[name]),
            **_LIMITS,
        }
        if kind in WITH_STORE:
            found["SPIELWERK_REDIS__URL"] = f"redis://{self.links[f'{name}>redis'].url}/0"
        if kind in CALLERS["rules"]:
            found["SPIELWERK_API_TARGET"] = self._way(kind, "rules")
        return found

    def _way(self, caller: str, kind: str) -> str:
        """All replicas as one target of a caller, which takes another one if one is gone."""
        ways = [f"{caller}>{kind}-{number}" for number in range(REPLICAS[kind])]
        return "ipv4:" + ",".join(self.links[way].url for way in ways)


@asynccontextmanager
async def installed(folder: Path) -> AsyncIterator[Installation]:
    """An installation of which everything is ready; all its processes are gone after the block."""
    async with AsyncExitStack() as stack:
        ports = stack.enter_context(reserved_ports(1 + 2 * len(NAMES)))
        nats, redis = NatsServer(folder, ports.pop()), RedisServer(folder)
        await nats.start()
        stack.callback(nats.kill)
        await redis.start()
        stack.callback(redis.kill)
        keys = signing.load(KeySettings(data=folder / "accounts"), AuthSettings(), "development")
        made = Installation(folder, nats, redis, keys)
        listening = dict(zip(NAMES, ports[::2], strict=True))
        made.metrics_ports.update(zip(NAMES, ports[1::2], strict=True))
        await _link(made, listening, stack)
        for name, port in listening.items():
            made.services[name] = Service(
                name, made.environment(name, port), folder / f"{name}.log"
            )
        for service in made.services.values():
            await service.start()
            stack.push_async_callback(service.kill)
        await made.until_serving()
        yield made


async def _link(made: Installation, ports: dict[str, int], stack: AsyncExitStack) -> None:
    """A proxy on each way."""
    for link in LINKS:
        target = link.partition(">")[2]
        if target == "nats":
            proxy = proxy_before(made.nats.url)
        elif target == "redis":
            proxy = proxy_to_socket(str(made.redis.socket))
        else:
            proxy = proxy_to(ports[target])
        made.links[link] = await stack.enter_async_context(proxy)


def _page(port: int) -> str:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        return str(answer.read().decode())


def _rate(name: str) -> dict[str, str]:
    setting = f"SPIELWERK_MATCHMAKING__{name}_RATE"
    return {f"{setting}__BURST": "100000", f"{setting}__INTERVAL_MS": "1"}


# All clients come from one address and do in minutes what people do in days; logs that tell
# everything must not tell secrets either.
_LIMITS: Final = {
    "SPIELWERK_TELEMETRY__LEVEL": "debug",
    "SPIELWERK_RPC__CALLS_PER_S": "0",
    "SPIELWERK_RPC__COMMANDS_PER_S": "0",
    "SPIELWERK_RPC__STREAMS_PER_CALLER": "0",
    "SPIELWERK_RULES__SEATING_MS": "8000",
    "SPIELWERK_RULES__BEAT_S": "0.5",
    "SPIELWERK_RULES__OUTAGE_S": str(OUTAGE_S),
    "SPIELWERK_MATCHMAKING__PRACTICES_PER_PLAYER": "1000",
    "SPIELWERK_MATCHMAKING__RATED": "any",  # quick house rules
    **_rate("ENQUEUE"),
    **_rate("ROOM"),
    **_rate("PRACTICE"),
    **_rate("GUESS"),
    **_rate("ADDRESS"),
}
