"""GR-02: watchers that leave in any way leave nothing behind in the server or the broker."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from urllib.request import urlopen

import pytest

from rules.conftest import ALICE, Rules
from rules.leaving import Line, line_to, watching_process
from spielwerk.log.connect import Connection
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import Brokers

WATCHES = 200
ROUNDS = 3
WATCH = "/spielwerk.api.v1.MatchService/Watch"


@dataclass
class House:
    """Rules whose connections are asked every second whether their client is still there."""

    rules: Rules
    brokers: Brokers
    match_id: str
    line: Line

    async def held(self) -> dict[str, float]:
        """What an open watch holds: streams, tasks, and subscriptions in the broker."""
        metrics = self.rules.hosts[0].metrics
        return {
            "streams": metrics.value("spielwerk_rpc_streams", method=WATCH),
            "watchers": metrics.value("spielwerk_watchers"),
            "tasks": len(asyncio.all_tasks() - self.line.tasks),
            "subscriptions": await asyncio.to_thread(subscriptions, self.brokers.monitor_url),
        }


@pytest.fixture
async def house(brokers: Brokers, nats: Connection) -> AsyncIterator[House]:
    assert nats.connected
    async with AsyncExitStack() as stack:
        port = {
            "keepalive_time_s": 1,
            "keepalive_timeout_s": 1,
            "max_streams_per_connection": 1_000,
            "streams_per_caller": 0,
            "calls_per_s": 0,
        }
        rules = Rules(brokers.nats_url, signing.generate(), stack, port=port)
        address = await rules.start()
        line = await stack.enter_async_context(line_to(address))
        yield House(rules, brokers, await rules.started_match(), line)


@pytest.mark.parametrize("way", ["close", "cancel", "kill", "silence"])
async def test_gr_02_watchers_that_leave_leave_nothing_behind(house: House, way: str) -> None:
    address = house.line.address if way == "silence" else house.rules.addresses[0]
    token = house.rules.keys.issue(ALICE, "player", 3600)
    before, objects = await house.held(), []
    for _ in range(ROUNDS):
        house.line.silent = False
        async with watching_process(address, house.match_id, token, WATCHES) as client:
            during = await house.held()
            assert during["streams"] == during["watchers"] == WATCHES
            assert during["subscriptions"] > before["subscriptions"]
            await leave(house, client, way)
            await back_to(house, before)
        objects.append(living())
    # The first round fills caches; each stream that stayed would be dozens of objects.
    assert objects[-1] - objects[0] < 5 * WATCHES


async def leave(house: House, client: asyncio.subprocess.Process, way: str) -> None:
    assert client.stdin is not None
    if way == "kill":
        client.kill()
    elif way == "silence":
        house.line.silent = True
    else:
        client.stdin.write(f"{way}\n".encode())


async def back_to(house: House, before: dict[str, float]) -> None:
    """Wait until no more is held than before; a minute is enough for a silent drop, too."""
    held = await house.held()
    loop = asyncio.get_running_loop()
    end = loop.time() + 60
    while any(held[name] > before[name] for name in before):
        assert loop.time() < end, f"still held: {held}, before: {before}"
        await asyncio.sleep(0.05)
        held = await house.held()


def living() -> int:
    gc.collect()
    return len(gc.get_objects())


def subscriptions(monitor_url: str) -> float:
    with urlopen(f"{monitor_url}/subsz") as answer:
        return float(json.load(answer)["num_subscriptions"])
