"""Decided records into the log, whatever becomes of the broker's answers."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass

from spielwerk.api.log.v1 import record_pb2
from spielwerk.codec.match import record_message
from spielwerk.errors import ResourceExhausted
from spielwerk.log.port import Conflict, MatchLog, OutcomeUnknown
from spielwerk.log.routing import headers_of, kind_of_record
from spielwerk.match.decide import Decided
from spielwerk.match.fold import finish
from spielwerk.match.model import Match, Record
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import trace_id
from spielwerk_rules.cache import Entry

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Appended:
    """A record of this process that is now in the log, as it stands there, and the match after
    it."""

    match: Match
    record: Record
    message: record_pb2.Record


class Recorder:
    """Appends records on the condition that nobody else came first.

    After `command_s` without a clear answer the outcome is open (OutcomeUnknown). A full log
    (ResourceExhausted) has refused a record only if no earlier try can have stored it.
    """

    def __init__(self, log: MatchLog, metrics: Metrics, *, command_s: float) -> None:
        self._log = log
        self._metrics = metrics
        self._command_s = command_s
        # Looking a child up costs as much as counting.
        self._stored_appends = metrics.appends.labels("stored")

    async def append(self, entry: Entry, decided: Decided) -> Appended | None:
        """Store the record and bring the entry up to it; None after a conflict with another's."""
        record, game = decided.record, decided.after.game
        message = record_message(game, record)
        data = message.SerializeToString(deterministic=True)
        headers = headers_of(decided.after, record, data, trace_id()).write()
        begin = time.perf_counter()
        try:
            sequence = await self._log.append(
                entry.match_id, kind_of_record(record), data, headers, expected=entry.sequence
            )
        except (OutcomeUnknown, Conflict, ResourceExhausted) as error:
            found = await self._stored(entry, record, data, headers, error, begin)
            if found is None:
                return None
            sequence = found
        self._metrics.append_seconds.observe(time.perf_counter() - begin)
        after = finish(decided.after, record, hashlib.sha256(data).digest(), sequence)
        entry.match, entry.sequence = after, sequence
        self._count(after)
        return Appended(after, record, message)

    async def _stored(
        self,
        entry: Entry,
        record: Record,
        data: bytes,
        headers: Mapping[str, str],
        error: OutcomeUnknown | Conflict | ResourceExhausted,
        begin: float,
    ) -> int | None:
        """The record's sequence after all; None after a conflict with somebody else's."""
        unclear: OutcomeUnknown | None = None
        while isinstance(error, OutcomeUnknown):
            unclear = error
            if time.perf_counter() - begin >= self._command_s:
                raise unclear
            # The same bytes at the same place are stored now, or conflict with themselves.
            self._metrics.appends.labels("unclear").inc()
            await asyncio.sleep(random.uniform(0.01, 0.05))
            try:
                return await self._log.append(
                    entry.match_id, kind_of_record(record), data, headers, expected=entry.sequence
                )
            except (OutcomeUnknown, Conflict, ResourceExhausted) as again:
                error = again
        if isinstance(error, ResourceExhausted) and not await self._goes_on(entry):
            raise error if unclear is None else unclear from error
        sequence = await self._found(entry, data)
        if sequence:
            return sequence
        self._metrics.appends.labels("conflict").inc()
        await asyncio.sleep(random.uniform(0, 0.005))
        return None

    def _count(self, match: Match) -> None:
        self._stored_appends.inc()
        game = match.opened.game
        if match.version == 1:
            self._metrics.matches_opened.labels(game).inc()
            _log.info("match opened", match_id=match.match_id, game=game)
        if match.ended is not None:
            reason = match.ended.reason
            self._metrics.matches_ended.labels(game, reason).inc()
            _log.info("match ended", match_id=match.match_id, game=game, reason=reason)

    async def _goes_on(self, entry: Entry) -> bool:
        """Whether the log has more of the match: our own record, or one that ours conflicts with.

        A full broker may refuse before it looks at the condition of an append.
        """
        last = await self._log.last(entry.match_id)
        return last is not None and last.sequence > entry.sequence

    async def _found(self, entry: Entry, data: bytes) -> int:
        """Where our own bytes stand, if what conflicted was our own append whose answer was lost;
        else 0."""
        for stored in await self._log.read(entry.match_id, after=entry.sequence):
            if stored.data == data:
                last = await self._log.last(entry.match_id)
                return stored.sequence if last and last.sequence == stored.sequence else 0
        return 0
