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
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.client import Device
from spielwerk.client.match import MatchClient
from spielwerk.log.connect import Connection
from spielwerk.log.settings import NatsSettings
from spielwerk.rpc.channel import open_channel

SERVING: Final = health_pb2.HealthCheckResponse.SERVING
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
        while time.monotonic() - began < away_s:
            assert await answer_to_move(installed, device, match) == "UNAVAILABLE"
            assert not await served(installed)
            await asyncio.sleep(1)
        await server.start()
        back = await until(lambda: served(installed), within_s=BACK_S)
        print(f"unready after {unready:.1f} s, back after {back:.1f} s of {away_s}")
        view = await match.view()
        assert view.ended is None  # nobody was told that it had ended
        while (await match.view()).version < view.version + 4:
            await move(match)


async def answer_to_move(installed: Whole, device: Device, match: MatchClient) -> str:
    """The status of one call, repeated by nobody."""
    request = pb.ResignRequest(match_id=match.match_id, command_id="gone")
    token = installed.keys.issue(device.player_id, "player", 60)
    async with open_channel(installed.address, lambda: token) as channel:
        try:
            await MatchServiceStub(channel).Resign(request, timeout=60)
        except grpc.aio.AioRpcError as failed:
            return failed.code().name
    return "OK"


async def served(installed: Whole) -> bool:
    async with grpc.aio.insecure_channel(installed.address) as channel:
        answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    return bool(answer.status == SERVING)


async def refused(installed: Whole) -> bool:
    return not await served(installed)
