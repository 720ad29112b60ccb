"""The bots service: what it connects to and what runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Tail
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.rpc.tokens import service_token
from spielwerk.service import failing_with
from spielwerk.telemetry.metrics import Metrics
from spielwerk_bots.checkpoint import Checkpoints, checkpoints
from spielwerk_bots.deciding import deciders
from spielwerk_bots.following import Follower
from spielwerk_bots.player import Player
from spielwerk_bots.settings import BotsSettings, Settings


@asynccontextmanager
async def serving(settings: Settings, host: Host) -> AsyncIterator[None]:
    """Play bots while inside; the host tells whether the log is followed."""
    async with (
        connect(settings.nats) as broker,
        failing_with(broker.dead, "broker lost for good"),
        open_channel(settings.api_target, service_token(settings.auth)) as channel,
        checkpoints(settings.redis.url) as kept,
    ):
        log = JetStreamLog(broker, settings.log)
        stub = MatchServiceStub(channel)
        async with playing(log, stub, kept, settings.bots, host.metrics) as follower:
            host.check("bots: broker", lambda: broker.connected)
            host.check("bots: open turns", lambda: follower.ready)
            yield


@asynccontextmanager
async def playing(
    tail: Tail, api: MatchServiceStub, kept: Checkpoints, settings: BotsSettings, metrics: Metrics
) -> AsyncIterator[Follower]:
    """Follow the log and play; a bug in one of the loops ends the block."""
    async with deciders(
        settings.processes, nice=settings.nice, limit_s=settings.decision_s
    ) as pool:
        player = Player(api, pool, settings, metrics)
        follower = Follower(tail, player, kept, metrics)
        loops = [follower.run(), follower.keep(settings.checkpoint_s)]
        loops += [player.run() for _ in range(settings.turns_at_once)]
        async with _running(*loops):
            yield follower


@asynccontextmanager
async def _running(*loops: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run the loops beside the block; the end of one of them by an error ends the block."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(loop) for loop in loops]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
