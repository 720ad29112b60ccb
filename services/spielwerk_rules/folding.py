"""Stored messages to records and matches: what is not ours is skipped, what is damaged freezes its
match."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import structlog

from spielwerk.codec.match import read_record
from spielwerk.errors import MatchDamaged, SpielwerkError
from spielwerk.games.game import AnyGame
from spielwerk.log.headers import read_headers
from spielwerk.log.port import Stored
from spielwerk.match.fold import Registry, fold
from spielwerk.match.model import Match, Record
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.cache import Entry

_log = structlog.get_logger()


class Folder:
    """Reads messages of the log for one process."""

    def __init__(self, find: Registry, metrics: Metrics) -> None:
        self._find = find
        self._metrics = metrics

    def fold(self, entry: Entry, stored: Sequence[Stored]) -> None:
        """Bring the entry up to these messages; raises what freezes its match."""
        self._metrics.records_read.inc(len(stored))
        for message in stored:
            record = self.read(message, entry.match.game if entry.match else None)
            if record is not None:
                entry.match = self._folded(entry, record, message)
            entry.sequence = message.sequence

    def _folded(self, entry: Entry, record: Record, message: Stored) -> Match:
        sha256 = hashlib.sha256(message.data).digest()
        try:
            return fold(entry.match, record, sha256, message.sequence, self._find)
        except SpielwerkError:
            raise
        except Exception as error:  # whatever it is: this match is frozen, the others go on
            why = error.why if isinstance(error, MatchDamaged) else f"folding failed: {error!r}"
            entry.damaged = MatchDamaged(entry.match_id, record.version, why)
            self._metrics.matches_frozen.inc()
            _log.error("match_frozen", match_id=entry.match_id, version=record.version, why=why)
            raise entry.damaged from error

    def read(self, message: Stored, game: AnyGame | None) -> Record | None:
        """The record; None for a foreign message: without our header, unreadable, or of another
        match."""
        match_id = message.subject.split(".")[-2]
        if read_headers(message.headers) is not None:
            try:
                record, _ = read_record(message.data, game, self._find)
            except MatchDamaged:
                record = None
            if record is not None and record.match_id == match_id:
                return record
        self._metrics.foreign_messages.inc()
        _log.warning("foreign_message", match_id=match_id, sequence=message.sequence)
        return None
