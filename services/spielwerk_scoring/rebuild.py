"""Builds the rankings anew from the log: into a shadow, which then replaces the live ones.

Readers see the old boards until the new ones are complete. A rebuild may be interrupted anywhere
and begun again: its shadow is not read by anybody and is removed by the next one. Running services
go on from the checkpoint of the new generation.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from redis.asyncio import Redis

from spielwerk.errors import FailedPrecondition, Unavailable
from spielwerk.games.game import Ranking
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Tail
from spielwerk.log.settings import NatsSettings
from spielwerk.log.streams import check_number
from spielwerk.store import open_redis
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk_scoring.calendar import Calendar, installed
from spielwerk_scoring.deletions import Deletions
from spielwerk_scoring.folding import Applied, Folder, Moved
from spielwerk_scoring.keys import Generation
from spielwerk_scoring.reading import Reader
from spielwerk_scoring.results import Outcome
from spielwerk_scoring.settings import Settings
from spielwerk_scoring.shadows import Shadows
from spielwerk_scoring.store import Checkpoint, Store

LEASE_MS: Final = 10_000
"""After a crash the next rebuild begins this much later at the latest."""
_CHUNK: Final = 500

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild made: the generation that is live now, and how many matches it counted.

    `last_sequence` is the end of the log that was counted last, of several streams the last one's.
    """

    generation: Generation
    matches: int
    last_sequence: int

    def __str__(self) -> str:
        return f"rankings rebuilt from {self.matches} matches, up to record {self.last_sequence}"


async def rebuild(
    log: Tail, redis: Redis, zone: ZoneInfo, rankings: Mapping[str, Ranking], *, chunk: int = _CHUNK
) -> Rebuilt:
    """Build from the first record of a log in one stream to its present end, then swap.

    Raises FailedPrecondition (rebuild_running) beside another one, and Unavailable if it lost its
    place to another one, or the log or the store is missing.
    """
    builder = Builder((Reader(log, Metrics()),), Store(redis), Calendar(rankings, zone), chunk)
    return await builder.build()


async def main(nats_url: str | None = None, redis_url: str | None = None) -> Rebuilt:
    """Rebuild the rankings of an installation; addresses that are not given come from its settings.

    Errors as of `rebuild`.
    """
    settings = Settings()
    nats = NatsSettings(url=nats_url) if nats_url else settings.nats
    own = settings.redis
    store = open_redis(redis_url) if redis_url else open_redis(own.url, tls=own.tls)
    try:
        async with connect(nats) as broker:
            await check_number(broker, settings.log)
            logs = [(part.tag, JetStreamLog(broker, part)) for part in settings.log.parts]
            readers = [Reader(log, Metrics(), tag) for tag, log in logs]
            calendar = installed(settings.scoring.zone)
            deletions = Deletions(broker, Store(store), calendar.rankings)
            return await Builder(readers, Store(store), calendar, _CHUNK, deletions).build()
    finally:
        await store.aclose()


class Builder:
    """Makes one new generation; at most one at a time in an installation.

    Without `deletions` only those players are left out that the store has marked.
    """

    def __init__(
        self,
        readers: Sequence[Reader],
        store: Store,
        calendar: Calendar,
        chunk: int,
        deletions: Deletions | None = None,
    ) -> None:
        self._readers = readers
        self._store = store
        self._calendar = calendar
        self._chunk = chunk
        self._deletions = deletions
        self._shadows = Shadows(store.redis, secrets.token_hex(8))

    async def build(self) -> Rebuilt:
        """See `rebuild`."""
        async with self._lease():
            old = await self._store.live()
            await self._discard_shadows(old)
            marked = await self._deletions.mark_all() if self._deletions else None
            shadow = await self._begin()
            _log.info("rankings rebuild begins", generation=shadow.name)
            checkpoint, matches = await self._fill(shadow)
            if not await self._shadows.swap(shadow, old):
                raise Unavailable("rebuild_superseded", "another rebuild was faster")
            _log.info("rankings rebuilt", generation=shadow.name, matches=matches)
            if self._deletions and marked:
                await self._deletions.built(marked)
            if old is not None:  # a lease lost by now leaves it to the next rebuild
                await self._shadows.discard(old)
        return Rebuilt(shadow, matches, checkpoint.sequence)

    async def _begin(self) -> Generation:
        streams = {reader.tag: await reader.log.identity() for reader in self._readers}
        for stream in streams.values():
            if stream.first_sequence > 1:
                first = stream.first_sequence
                _log.warning("the log does not begin at 1", first_sequence=first)
        shadow = await self._shadows.begin(streams, self._calendar.zone.key)
        if shadow is None:
            raise Unavailable("rebuild_superseded", "another rebuild has begun")
        return shadow

    async def _fill(self, shadow: Generation) -> tuple[Checkpoint, int]:
        """Apply everything that the log holds; returns where that ended and how many matches."""
        matches = 0
        for reader in self._readers:
            checkpoint, counted = await self._fill_from(reader, shadow)
            matches += counted
        return checkpoint, matches

    async def _fill_from(self, reader: Reader, shadow: Generation) -> tuple[Checkpoint, int]:
        folder = Folder(self._store, self._calendar, shadow, reader.tag)
        matches = last = 0
        async with aclosing(reader.follow(0, self._chunk)) as parts:
            async for ends in parts:
                await self._keep_lease()
                applied = await _applied(folder, ends.outcomes, last)
                matches += len(applied.fresh)
                last = applied.checkpoint.sequence
                if ends.caught_up:
                    break
        return applied.checkpoint, matches

    async def _discard_shadows(self, live: Generation | None) -> None:
        """What interrupted rebuilds left, and what was live before the present one."""
        for generation in await self._store.generations():
            if generation != live:
                await self._keep_lease()
                if not await self._shadows.discard(generation):
                    raise Unavailable("rebuild_superseded", "another rebuild has begun")

    async def _keep_lease(self) -> None:
        """Whoever stood still for so long that the lease ran out may be one of two by now."""
        if not await self._shadows.keep_lease(LEASE_MS):
            raise Unavailable("rebuild_superseded", "this rebuild stood still for too long")

    @asynccontextmanager
    async def _lease(self) -> AsyncIterator[None]:
        if not await self._shadows.take_lease(LEASE_MS):
            raise FailedPrecondition("rebuild_running", "the rankings are being rebuilt already")
        try:
            yield
        finally:
            await self._shadows.keep_lease(0)


async def _applied(folder: Folder, outcomes: tuple[Outcome, ...], after: int) -> Applied:
    try:
        return await folder.apply(outcomes, after=after)
    except Moved:
        raise Unavailable("rebuild_superseded", "another rebuild has begun") from None
