"""Puts the bots service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.background import running
from spielwerk.log.census import unfinished
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.rpc.tokens import service_token
from spielwerk.service import failing_with
from spielwerk_bots.deciding import deciders
from spielwerk_bots.following import Follower
from spielwerk_bots.player import Player
from spielwerk_bots.settings import Settings


@asynccontextmanager
async def serving(settings: Settings, host: Host) -> AsyncIterator[None]:
    """Bots play as long as the block lasts; no API but the host's health.

    It is ready while the broker answers and all open turns of bots are known.
    """
    bots = settings.bots
    async with (
        connect(settings.nats) as broker,
        failing_with(broker.dead, "broker lost for good"),
        open_channel(settings.api_target, service_token(settings.auth)) as channel,
        deciders(bots.processes, nice=bots.nice, limit_s=bots.decision_s) as pool,
    ):
        log = JetStreamLog(broker, settings.log)
        player = Player(MatchServiceStub(channel), pool, bots, host.metrics)
        census = partial(unfinished, broker, settings.log)
        follower = Follower(log, census, player, host.metrics)
        host.check("bots: broker", lambda: broker.connected)
        host.check("bots: open turns", follower.ready)
        players = [player.run() for _ in range(bots.turns_at_once)]
        async with running(follower.run(), *players):
            yield
