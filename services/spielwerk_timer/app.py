"""Puts the timer service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Final

from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.background import running
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.census import unfinished
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.stream import until_there
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.rpc.tokens import service_token
from spielwerk.service import failing_with
from spielwerk.store import open_redis
from spielwerk_timer.checkpoint import Checkpoints
from spielwerk_timer.firing import Firing
from spielwerk_timer.following import Follower
from spielwerk_timer.heap import Deadlines
from spielwerk_timer.settings import Settings

MOST_UNCERTAIN_MS: Final = 250.0
"""A clock that may be further off fires too late, or too early and in vain."""


@asynccontextmanager
async def serving(settings: Settings, host: Host) -> AsyncIterator[None]:
    """Deadlines are fired as long as the block lasts; no API but the host's health.

    It is ready while the broker answers and all open deadlines are known, with or without Redis.
    """
    async with (
        connect(settings.nats) as broker,
        failing_with(broker.dead, "broker lost for good"),
        open_channel(settings.api_target, service_token(settings.auth)) as channel,
        aclosing(open_redis(settings.redis.url)) as redis,
    ):
        log = JetStreamLog(broker, settings.log)
        await until_there(log)
        async with running_clock(broker, settings.log) as clock:
            timer, metrics = settings.timer, host.metrics
            deadlines, api = Deadlines(timer.jitter_ms), MatchServiceStub(channel)
            census = partial(unfinished, broker, settings.log)
            follower = Follower(log, census, Checkpoints(redis), deadlines, metrics)
            firing = Firing(api, deadlines, clock, timer, metrics, known=follower.ready)
            host.check("timer: broker", lambda: broker.connected)
            host.check("timer: clock", lambda: clock.uncertainty_ms < MOST_UNCERTAIN_MS)
            host.check("timer: deadlines", follower.ready)
            keeping = follower.keep(timer.checkpoint_s)
            async with running(follower.run(), keeping, firing.run(), firing.measure()):
                yield
