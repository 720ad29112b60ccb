"""The bots service beside a server under test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import spielwerk_bots.app
from client.house import House
from spielwerk.rpc.host import Host
from spielwerk_bots.settings import BotsSettings, Settings


@asynccontextmanager
async def bots_for(house: House, **settings: Any) -> AsyncIterator[Host]:
    """Bots that play on the server's matches; yields their host for metrics."""
    common = house.common | {
        "auth": house.service_auth("bots"),
        "api_target": house.address,
        "bots": BotsSettings(**settings),
    }
    complete = Settings(**common)
    host = Host(complete)
    async with spielwerk_bots.app.serving(complete, host):
        yield host


async def until_gone(*processes: int) -> None:
    """Wait until none of the processes runs."""
    async with asyncio.timeout(20):
        while any(runs(process) for process in processes):
            await asyncio.sleep(0.02)


def runs(pid: int) -> bool:
    """A process that nobody has waited for is dead as well."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
