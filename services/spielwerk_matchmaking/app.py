"""Puts the matchmaking service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Final

from spielwerk.api.v1.matchmaking_pb2_grpc import add_MatchmakingServiceServicer_to_server
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.connect import connect
from spielwerk.log.measured import measure_clock, measure_connection, measured_tails
from spielwerk.log.streams import until_streams
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.rpc.tokens import service_token
from spielwerk.service import failing_with
from spielwerk_matchmaking.parts import running
from spielwerk_matchmaking.rules import RulesMatches
from spielwerk_matchmaking.servicer import MatchmakingServicer
from spielwerk_matchmaking.settings import Settings
from spielwerk_matchmaking.store import Store

SERVICE: Final = "spielwerk.api.v1.MatchmakingService"
_MOST_UNCERTAIN_MS: Final = 1_000.0


@asynccontextmanager
async def serving(settings: Settings, host: Host) -> AsyncIterator[None]:
    """Matchmaking on this host as long as the block lasts; the host starts inside."""
    limits = settings.matchmaking
    async with (
        connect(settings.nats) as broker,
        failing_with(broker.dead, "broker lost for good"),
        open_channel(
            settings.api_target, service_token(settings.auth), settings.api_tls
        ) as channel,
        aclosing(Store(settings.redis.url, settings.redis.tls)) as store,
    ):
        measure_connection(broker, host.metrics)
        await until_streams(broker, settings.log)
        tails = measured_tails(broker, settings.log, host.metrics, "matchmaking")
        matches = RulesMatches(channel, limits.create_ms)
        async with (
            running_clock(broker, settings.log) as clock,
            running(store, tails, matches, clock, limits, host.metrics) as parts,
        ):
            measure_clock(clock, host.metrics)
            servicer = MatchmakingServicer(parts.use)
            host.add(add_MatchmakingServiceServicer_to_server, servicer, SERVICE)
            host.check("matchmaking: broker", lambda: broker.connected)
            host.check("matchmaking: store", lambda: store.reachable)
            host.check("matchmaking: log read to its end", lambda: parts.follower.ready)
            host.check("matchmaking: clock", lambda: clock.uncertainty_ms < _MOST_UNCERTAIN_MS)
            yield
