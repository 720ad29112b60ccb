"""Puts the rules service together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Final

from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.audit_pb2_grpc import add_AuditServiceServicer_to_server
from spielwerk.api.v1.match_pb2_grpc import add_MatchServiceServicer_to_server
from spielwerk.background import running
from spielwerk.games import registry
from spielwerk.log.broker_clock import BrokerClock, running_clock
from spielwerk.log.connect import Connection, connect
from spielwerk.log.guard import guard_stream
from spielwerk.log.health import Outages
from spielwerk.log.health_stream import HealthStream
from spielwerk.log.measured import measure_clock, measure_connection
from spielwerk.log.sharded import ShardedLog
from spielwerk.log.stream import watch_filling
from spielwerk.log.streams import open_streams
from spielwerk.rpc.host import Host
from spielwerk.service import failing_with
from spielwerk.telemetry.logs import get_logger
from spielwerk_rules.audit import Audit
from spielwerk_rules.audit_listing import Listing
from spielwerk_rules.audit_servicer import AuditServicer
from spielwerk_rules.audit_trail import AuditTrail, open_trail
from spielwerk_rules.commands import Commands
from spielwerk_rules.feeds import Feeds
from spielwerk_rules.heartbeat import Heartbeat
from spielwerk_rules.judging import Judging
from spielwerk_rules.matches import Matches
from spielwerk_rules.servicer import About, MatchServicer
from spielwerk_rules.settings import Settings
from spielwerk_rules.watching import Watching

MOST_UNCERTAIN_MS: Final = 250.0
"""A clock that may be further off could expire a turn before its deadline."""

_log = get_logger(__name__)


@asynccontextmanager
async def serving(settings: Settings, host: Host) -> AsyncIterator[None]:
    """Matches on this host as long as the block lasts; the host starts inside."""
    async with connect(settings.nats) as broker, failing_with(broker.dead, "broker lost for good"):
        measure_connection(broker, host.metrics)
        known = await open_streams(broker, settings.log)
        names = [stream.name for stream in known]
        _log.info("event log", streams=names, durability=settings.rules.durability)
        log = ShardedLog(broker, settings.log)
        guarded = zip(settings.log.parts, known, strict=True)
        async with (
            running(*(guard_stream(broker, part, stream) for part, stream in guarded)),
            running_clock(broker, settings.log) as clock,
            running(_filling(broker, settings, host)),
            _beating(broker, clock, log, settings, host) as heartbeat,
        ):
            measure_clock(clock, host.metrics)
            rules = settings.rules
            matches = Matches(
                log,
                registry.version,
                host.metrics,
                capacity=rules.cached_matches,
                command_s=rules.command_s,
            )
            feeds = Feeds(matches, log, keep_alive_s=rules.keep_alive_s, queue=rules.watch_queue)
            watching = Watching(
                matches,
                feeds,
                clock,
                keep_alive_s=rules.keep_alive_s,
                draining=host.draining,
                metrics=host.metrics,
            )
            judging = Judging(matches, heartbeat, rules.outage_ms)
            commands = Commands(matches, judging, clock, host.metrics)
            servicer = MatchServicer(
                commands, matches, watching, clock, rules, host.limits, _about(settings)
            )
            host.add(add_MatchServiceServicer_to_server, servicer, "spielwerk.api.v1.MatchService")
            await open_trail(broker, settings.log.replicas)
            audit = Audit(log, registry.version, AuditTrail(broker, clock))
            auditing = AuditServicer(audit, Listing(log, audit.heavy))
            host.add(add_AuditServiceServicer_to_server, auditing, "spielwerk.api.v1.AuditService")
            try:
                yield
            finally:
                await feeds.close()


@asynccontextmanager
async def _beating(
    broker: Connection, clock: BrokerClock, log: ShardedLog, settings: Settings, host: Host
) -> AsyncIterator[Heartbeat]:
    """Signs of life as long as matches can be served, and readiness accordingly."""
    rules = settings.rules

    def clock_good() -> bool:
        return clock.uncertainty_ms < MOST_UNCERTAIN_MS

    def serves() -> bool:
        # `log.writable` stays false for a while after the log has come back.
        return broker.connected and clock_good() and not host.draining.is_set()

    stream, outages = HealthStream(broker, settings.log.replicas), Outages(rules.outage_ms)
    heartbeat = Heartbeat(stream, outages, serves, log.answers, host.metrics, beat_s=rules.beat_s)
    await heartbeat.start()
    host.check("rules: broker", lambda: broker.connected)
    host.check("rules: log", lambda: log.writable)
    host.check("rules: clock", clock_good)
    host.check("rules: heartbeat", lambda: clock.now_ms() - outages.newest_ms <= rules.outage_ms)
    async with running(heartbeat.run()):
        yield heartbeat


def _about(settings: Settings) -> About:
    return About(
        version=version("spielwerk"),
        durability=match_pb2.Durability.Value(f"DURABILITY_{settings.rules.durability.upper()}"),
        max_request_bytes=settings.rpc.max_request_bytes,
    )


async def _filling(broker: Connection, settings: Settings, host: Host) -> None:
    """Report how full the log is, as a metric and from 80 % on in the logs."""

    def report(used: int, filling: float) -> None:
        host.metrics.log_bytes.set(used)
        host.metrics.log_fill.set(filling)

    await watch_filling(broker, settings.log, report)
