"""Puts the rules service together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Final

from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.audit_pb2_grpc import add_AuditServiceServicer_to_server
from spielwerk.api.v1.match_pb2_grpc import add_MatchServiceServicer_to_server
from spielwerk.games import registry
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.known_stream import open_stream
from spielwerk.log.stream import watch_filling
from spielwerk.rpc.host import Host
from spielwerk.service import failing_with
from spielwerk_rules.audit import Audit
from spielwerk_rules.audit_listing import Listing
from spielwerk_rules.audit_servicer import AuditServicer
from spielwerk_rules.audit_trail import AuditTrail, open_trail
from spielwerk_rules.commands import Commands
from spielwerk_rules.feeds import Feeds
from spielwerk_rules.matches import Matches
from spielwerk_rules.servicer import About, MatchServicer
from spielwerk_rules.settings import Settings
from spielwerk_rules.watching import Watching

MOST_UNCERTAIN_MS: Final = 250.0
"""A clock that may be further off could expire a turn before its deadline."""


@asynccontextmanager
async def serving(settings: Settings, host: Host) -> AsyncIterator[None]:
    """Matches on this host as long as the block lasts; the host starts inside."""
    async with connect(settings.nats) as broker, failing_with(broker.dead, "broker lost for good"):
        await open_stream(broker, settings.log)
        async with running_clock(broker, settings.log) as clock, _filling(broker, settings, host):
            log = JetStreamLog(broker, settings.log)
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
            commands = Commands(matches, clock, host.metrics)
            servicer = MatchServicer(commands, matches, watching, clock, rules, _about(settings))
            host.add(add_MatchServiceServicer_to_server, servicer, "spielwerk.api.v1.MatchService")
            await open_trail(broker, settings.log.replicas)
            audit = Audit(log, registry.version, AuditTrail(broker, clock))
            auditing = AuditServicer(audit, Listing(log))
            host.add(add_AuditServiceServicer_to_server, auditing, "spielwerk.api.v1.AuditService")
            host.check("rules: broker", lambda: broker.connected)
            host.check("rules: log", lambda: log.writable)
            host.check("rules: clock", lambda: clock.uncertainty_ms < MOST_UNCERTAIN_MS)
            try:
                yield
            finally:
                await feeds.close()


def _about(settings: Settings) -> About:
    return About(
        version=version("spielwerk"),
        durability=match_pb2.Durability.Value(f"DURABILITY_{settings.rules.durability.upper()}"),
        max_request_bytes=settings.rpc.max_request_bytes,
    )


@asynccontextmanager
async def _filling(broker: Connection, settings: Settings, host: Host) -> AsyncIterator[None]:
    """Report how full the log is, as a metric and from 80 % on in the logs."""
    task = asyncio.create_task(watch_filling(broker, settings.log, host.metrics.log_fill.set))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
