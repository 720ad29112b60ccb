"""Puts the scoring service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from spielwerk.api.v1.ranking_pb2_grpc import add_RankingServiceServicer_to_server
from spielwerk.background import running
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.stream import until_there
from spielwerk.rpc.host import Host
from spielwerk.service import failing_with
from spielwerk.store import open_redis
from spielwerk_scoring.boards import Boards
from spielwerk_scoring.calendar import installed
from spielwerk_scoring.projection import Projection
from spielwerk_scoring.reading import Reader
from spielwerk_scoring.servicer import RankingServicer
from spielwerk_scoring.settings import Settings
from spielwerk_scoring.store import Store

SERVICE = "spielwerk.api.v1.RankingService"


@asynccontextmanager
async def serving(settings: Settings, host: Host) -> AsyncIterator[None]:
    """Rankings on this host as long as the block lasts; the host starts inside."""
    calendar = installed(settings.scoring.zone)
    async with (
        connect(settings.nats) as broker,
        failing_with(broker.dead, "broker lost for good"),
        aclosing(open_redis(settings.redis.url)) as redis,
    ):
        log = JetStreamLog(broker, settings.log)
        await until_there(log)
        async with running_clock(broker, settings.log) as clock:
            chunk = settings.scoring.chunk
            reader = Reader(log, host.metrics)
            projection = Projection(reader, Store(redis), calendar, host.metrics, chunk=chunk)
            servicer = RankingServicer(Boards(redis, calendar, clock), calendar.zone)
            host.add(add_RankingServiceServicer_to_server, servicer, SERVICE)
            host.check("scoring: broker", lambda: broker.connected)
            host.check("scoring: rankings", projection.ready)
            async with running(projection.run()):
                yield
