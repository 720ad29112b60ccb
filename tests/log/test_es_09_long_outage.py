"""ES-09: no outage is long enough for a process to give up quietly."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from faults.servers import NatsServer
from log.whole import Whole, move, until
from spielwerk.client import Spielwerk
from spielwerk.client.retrying import Patience
from spielwerk.errors import Unavailable
from spielwerk.log.connect import Connection
from spielwerk.log.settings import NatsSettings

SERVING: Final = health_pb2.HealthCheckResponse.SERVING
IMPATIENT: Final = Patience(total_s=6, longest_pause_s=0.5)
UNREADY_S, BACK_S = 10.0, 15.0


async def test_es_09_the_connection_has_no_budget_of_tries() -> None:
    options = Connection(NatsSettings())._options()
    assert options["max_reconnect_attempts"] == -1
    assert options["reconnect_time_wait"] <= 1
    assert options["ping_interval"] * (options["max_outstanding_pings"] + 1) < UNREADY_S


@pytest.mark.parametrize(
    "away_s", [20, pytest.param(300, marks=pytest.mark.slow)], ids=["seconds", "minutes"]
)
@pytest.mark.timeout(600)
async def test_es_09_an_outage_of_the_broker_is_told_and_ends_by_itself(
    installed: Whole, server: NatsServer, away_s: int
) -> None:
    """300 s are longer than the client library's own budget of 60 tries."""
    async with installed.client() as ada:
        device = await ada.create_guest("Ada")
        match = ada.match((await ada.matchmaking.practice("cribbage")).match_id)
        await match.join()
        await until(lambda: served(installed))
        server.kill()
        began = time.monotonic()
        unready = await until(lambda: refused(installed), within_s=UNREADY_S)
        async with Spielwerk.connect(installed.address, calls=IMPATIENT) as hasty:
            hasty.accounts.become(device)
            while time.monotonic() - began < away_s:
                with pytest.raises(Unavailable):
                    await hasty.match(match.match_id).resign()
                assert not await served(installed)
                await asyncio.sleep(1)
        await server.start()
        back = await until(lambda: served(installed), within_s=BACK_S)
        print(f"unready after {unready:.1f} s, back after {back:.1f} s of {away_s}")
        view = await match.view()
        assert view.ended is None  # nobody was told that it had ended
        while (await match.view()).version < view.version + 4:
            await move(match)


async def served(installed: Whole) -> bool:
    async with grpc.aio.insecure_channel(installed.address) as channel:
        answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    return bool(answer.status == SERVING)


async def refused(installed: Whole) -> bool:
    return not await served(installed)
