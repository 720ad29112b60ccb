"""What is measured: brokers, rules processes of their own, and the bench's own connection."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.rpc.channel import AuthorizedChannel, open_channel
from spielwerk.settings import LogSettings, NatsSettings
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import Brokers, local_brokers
from spielwerk_local.child import Child

PLAYERS = ("p0", "p1")
_START_S = 30.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """A running process as /proc shows it."""

    pid: int

    def cpu_s(self) -> float:
        """Seconds on a processor so far, all threads."""
        after_name = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / _TICKS

    def rss_mb(self) -> float:
        """Resident memory in megabytes (10^6 bytes)."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        (line,) = (text for text in status.splitlines() if text.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024 / 1e6


@dataclass(frozen=True, slots=True)
class RulesProcess:
    """A rules process and where it listens."""

    address: str
    process: Process


@dataclass
class House:
    """One installation: its brokers, its keys, its log."""

    brokers: Brokers
    keys: signing.SigningKeys
    log: JetStreamLog
    folder: Path
    started: int = field(default=0)

    @property
    def broker(self) -> Process:
        return Process(self.brokers.nats_process.pid)

    @asynccontextmanager
    async def rules(self, cached: int = 10_000) -> AsyncIterator[RulesProcess]:
        """`python -m spielwerk_rules`, as an operator starts it."""
        self.started += 1
        output = self.folder / f"rules-{self.started}.log"
        with environment(
            SPIELWERK_NATS__URL=self.brokers.nats_url,
            SPIELWERK_LOG__NEW_INSTALLATION="true",
            SPIELWERK_RPC__LISTEN="127.0.0.1:0",
            # Two players make all the load.
            SPIELWERK_RPC__CALLS_PER_S="0",
            SPIELWERK_RPC__COMMANDS_PER_S="0",
            SPIELWERK_AUTH__JWKS=self.keys.jwks(),
            SPIELWERK_RULES__CACHED_MATCHES=str(cached),
        ):
            child = Child(
                [sys.executable, "-m", "spielwerk_rules"],
                output=output,
                pid_file=output.with_suffix(".pid"),
            )
        try:
            await child.until(lambda: bool(_address_in(output)), _START_S)
            yield RulesProcess(_address_in(output), Process(child.pid))
        finally:
            await child.stop()

    def channel(self, rules: RulesProcess, subject: str, role: str = "player") -> AuthorizedChannel:
        """A connection of somebody to a rules process."""
        token = self.keys.issue(subject, role, 3600)
        return open_channel(rules.address, lambda: token)


@asynccontextmanager
async def house(*, sync_always: bool) -> AsyncIterator[House]:
    """Fresh brokers and an empty log."""
    with tempfile.TemporaryDirectory(prefix="spielwerk-bench-") as name:
        folder = Path(name)
        async with AsyncExitStack() as stack:
            brokers = await stack.enter_async_context(
                local_brokers(folder, sync_always=sync_always, redis_persistence=False)
            )
            connection = await stack.enter_async_context(
                connect(NatsSettings(url=brokers.nats_url))
            )
            log = JetStreamLog(connection, LogSettings())
            yield House(brokers, signing.generate(), log, folder)


def _address_in(output: Path) -> str:
    """Where the process says that it serves; empty until then."""
    for line in output.read_text().splitlines():
        if '"serving"' in line:
            return str(json.loads(line)["address"])
    return ""


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """These variables for processes started inside."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
