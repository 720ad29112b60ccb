"""Puts the scoring service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from spielwerk.api.v1.ranking_pb2_grpc import add_RankingServiceServicer_to_server
from spielwerk.background import running
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.connect import connect
from spielwerk.log.measured import measure_clock, measure_connection, measured_tails
from spielwerk.log.streams import until_streams
from spielwerk.rpc.host import Host
from spielwerk.service import failing_with
from spielwerk.store import open_redis
from spielwerk_scoring.boards import Boards
from spielwerk_scoring.calendar import installed
from spielwerk_scoring.deletions import Deletions
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
        aclosing(open_redis(settings.redis.url, tls=settings.redis.tls)) as redis,
    ):
        measure_connection(broker, host.metrics)
        await until_streams(broker, settings.log)
        async with running_clock(broker, settings.log) as clock:
            measure_clock(clock, host.metrics)
            tails = measured_tails(broker, settings.log, host.metrics, "scoring")
            readers = [Reader(tail, host.metrics, tag) for tag, tail in tails.items()]
            deletions = Deletions(broker, Store(redis), calendar.rankings)
            projections = [
                Projection(
                    reader,
                    Store(redis),
                    calendar,
                    host.metrics,
                    chunk=settings.scoring.chunk,
                    readers=readers,
                    deletions=deletions,
                )
                for reader in readers
            ]
            servicer = RankingServicer(Boards(redis, calendar, clock), calendar.zone)
            host.add(add_RankingServiceServicer_to_server, servicer, SERVICE)
            host.check("scoring: broker", lambda: broker.connected)
            host.check("scoring: rankings", lambda: all(one.ready() for one in projections))
            async with running(deletions.run(), *(one.run() for one in projections)):
                yield
