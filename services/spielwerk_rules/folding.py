"""Stored messages to records and matches: what is foreign is skipped, what is damaged freezes its
match, and what a later release wrote is left to a process that knows it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import structlog

from spielwerk.errors import MatchDamaged, SpielwerkError, Unavailable
from spielwerk.games.game import AnyGame
from spielwerk.log.port import Stored
from spielwerk.log.records import read_stored
from spielwerk.match.fold import Registry, fold
from spielwerk.match.model import Record
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.cache import Entry

_TOLD_AT_MOST: Final = 10_000

_log = structlog.get_logger()


class Folder:
    """Reads messages of the log for one process."""

    def __init__(self, find: Registry, metrics: Metrics) -> None:
        self._find = find
        self._metrics = metrics
        self._told: set[tuple[str, int]] = set()
        """Matches and sequences of unknown records: they are read again with every try."""

    def fold(self, entry: Entry, stored: Sequence[Stored]) -> None:
        """Bring the entry up to these messages; raises what freezes its match.

        At a record that this process does not know it raises Unavailable, and the entry stays
        before it: then nothing can be appended over it.
        """
        self._metrics.records_read.inc(len(stored))
        for message in stored:
            try:
                self._take(entry, message)
            except SpielwerkError:
                raise
            except Exception as error:  # whatever it is: this match is frozen, the others go on
                raise self._frozen(entry, error) from error
            entry.sequence = message.sequence

    def read(self, message: Stored, game: AnyGame | None) -> Record | None:
        """The record; None for a foreign message. Errors as of `read_stored`."""
        match_id = message.subject.split(".")[-2]
        try:
            found = read_stored(message, match_id, game, self._find)
        except Unavailable as unknown:
            self._tell_unknown(match_id, message.sequence, unknown)
            raise
        if found is not None:
            return found[0]
        self._metrics.foreign_messages.inc()
        _log.warning("foreign_message", match_id=match_id, sequence=message.sequence)
        return None

    def _take(self, entry: Entry, message: Stored) -> None:
        record = self.read(message, entry.match.game if entry.match else None)
        if record is not None:
            sha256 = hashlib.sha256(message.data).digest()
            entry.match = fold(entry.match, record, sha256, message.sequence, self._find)

    def _frozen(self, entry: Entry, error: Exception) -> MatchDamaged:
        due = entry.match.version + 1 if entry.match else 1
        version = error.version if isinstance(error, MatchDamaged) else due
        why = error.why if isinstance(error, MatchDamaged) else f"folding failed: {error!r}"
        entry.damaged = MatchDamaged(entry.match_id, version, why)
        self._metrics.matches_frozen.inc()
        _log.error("match_frozen", match_id=entry.match_id, version=version, why=why)
        return entry.damaged

    def _tell_unknown(self, match_id: str, sequence: int, unknown: Unavailable) -> None:
        if (match_id, sequence) in self._told:
            return
        if len(self._told) >= _TOLD_AT_MOST:
            self._told.clear()
        self._told.add((match_id, sequence))
        reason, why = unknown.reason, unknown.message
        _log.warning("unknown_record", match_id=match_id, sequence=sequence, reason=reason, why=why)
