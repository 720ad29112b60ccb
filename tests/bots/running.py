"""The bots service beside a server under test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
