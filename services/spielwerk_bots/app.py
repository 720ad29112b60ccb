"""Puts the bots service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.background import running
from spielwerk.log.census import unfinished
from spielwerk.log.connect import connect
from spielwerk.log.measured import measure_connection, measured_tails
from spielwerk.log.streams import until_streams
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
        open_channel(
            settings.api_target, service_token(settings.auth), settings.api_tls
        ) as channel,
        deciders(bots.processes, nice=bots.nice, limit_s=bots.decision_s) as pool,
    ):
        measure_connection(broker, host.metrics)
        await until_streams(broker, settings.log)
        tails = measured_tails(broker, settings.log, host.metrics, "bots")
        player = Player(MatchServiceStub(channel), pool, bots, host.metrics)
        followers = [
            Follower(
                tails[part.tag],
                partial(unfinished, broker, part),
                player,
                host.metrics,
                holds=part.holds,
            )
            for part in settings.log.parts
        ]
        host.check("bots: broker", lambda: broker.connected)
        host.check("bots: open turns", lambda: all(f.ready() for f in followers))
        players = [player.run() for _ in range(bots.turns_at_once)]
        async with running(*(follower.run() for follower in followers), *players):
            yield
