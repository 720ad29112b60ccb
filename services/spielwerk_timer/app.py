"""Puts the timer service together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.background import running
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.census import unfinished
from spielwerk.log.connect import connect
from spielwerk.log.measured import measure_clock, measure_connection, measured_tails
from spielwerk.log.streams import until_streams
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.rpc.tokens import service_token
from spielwerk.service import failing_with
from spielwerk.store import open_redis
from spielwerk_timer.checkpoint import Checkpoints
from spielwerk_timer.firing import Firing, measure
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
    timer = settings.timer.shared_by(settings.log.streams)
    async with (
        connect(settings.nats) as broker,
        failing_with(broker.dead, "broker lost for good"),
        open_channel(
            settings.api_target, service_token(settings.auth), settings.api_tls
        ) as channel,
        aclosing(open_redis(settings.redis.url, tls=settings.redis.tls)) as redis,
    ):
        measure_connection(broker, host.metrics)
        await until_streams(broker, settings.log)
        async with running_clock(broker, settings.log) as clock:
            measure_clock(clock, host.metrics)
            api = MatchServiceStub(channel)
            tails = measured_tails(broker, settings.log, host.metrics, "timer")
            streams = []
            for part in settings.log.parts:
                census = partial(unfinished, broker, part)
                checkpoints, deadlines = Checkpoints(redis, part.tag), Deadlines(timer.jitter_ms)
                follower = Follower(tails[part.tag], census, checkpoints, deadlines, host.metrics)
                firing = Firing(api, deadlines, clock, timer, host.metrics, known=follower.ready)
                streams.append(_Stream(deadlines, follower, firing))
            host.check("timer: broker", lambda: broker.connected)
            host.check("timer: clock", lambda: clock.uncertainty_ms < MOST_UNCERTAIN_MS)
            host.check("timer: deadlines", lambda: all(s.follower.ready() for s in streams))
            loops = [loop for stream in streams for loop in stream.loops(timer.checkpoint_s)]
            known = [stream.deadlines for stream in streams]
            async with running(*loops, measure(known, clock, host.metrics)):
                yield


@dataclass(frozen=True, slots=True)
class _Stream:
    """Everything that one stream of the log needs."""

    deadlines: Deadlines
    follower: Follower
    firing: Firing

    def loops(self, checkpoint_s: float) -> tuple[Coroutine[Any, Any, None], ...]:
        return self.follower.run(), self.follower.keep(checkpoint_s), self.firing.run()
