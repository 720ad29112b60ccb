"""Checks a match as it is stored: bytes, headers, subjects and order, besides what its records
say.

A message that rules would skip (see `read_stored`) is foreign: it is counted, and what it may have
displaced is missed at its place. A record that cannot be read is a mismatch, as it stops rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from spielwerk.api.log.v1 import record_pb2
from spielwerk.codec.match import write_record
from spielwerk.errors import MatchDamaged, SpielwerkError
from spielwerk.games.game import AnyGame
from spielwerk.log.headers import read_headers
from spielwerk.log.port import Stored
from spielwerk.log.records import read_stored
from spielwerk.log.routing import headers_of, kind_of_record
from spielwerk.log.subjects import subject
from spielwerk.match.fold import Registry
from spielwerk.match.model import Match, Record
from spielwerk.match.verify import Mismatch, Verifier


@dataclass(frozen=True, slots=True)
class Verified:
    """A match that was recomputed without a difference, and the stream sequences of the foreign
    messages between its records."""

    match: Match
    records: int
    foreign: tuple[int, ...] = ()


class StoredVerifier:
    """Feed it the messages of one match in order, then ask for the end; holds one state at a
    time."""

    def __init__(self, match_id: str, find: Registry) -> None:
        self._match_id = match_id
        self._find = find
        self._verifier = Verifier(find)
        self._game: AnyGame | None = None
        self._sequence = 0
        self._foreign: list[int] = []

    @property
    def match(self) -> Match | None:
        """The match so far."""
        return self._verifier.match

    @property
    def due(self) -> int:
        """The version that must come next."""
        return self.match.version + 1 if self.match else 1

    def feed(self, message: Stored) -> Record | None:
        """Check one more message; None for a foreign one. Raises Mismatch."""
        if message.sequence <= self._sequence:
            raise Mismatch(self.due, f"sequence {message.sequence} follows {self._sequence}")
        self._sequence = message.sequence
        record = self._record(message)
        if record is None:
            self._foreign.append(message.sequence)
            return None
        self._verifier.feed(record, hashlib.sha256(message.data).digest())
        self._check_stored(message, record)
        return record

    def so_far(self) -> Verified | None:
        """What was checked, of a match that may go on; None without any record."""
        if self.match is None:
            return None
        return Verified(self.match, self.match.version, tuple(self._foreign))

    def close(self) -> Verified:
        """The finished match; Mismatch if it is empty or its end is missing."""
        match = self._verifier.close()
        return Verified(match, match.version, tuple(self._foreign))

    def _record(self, message: Stored) -> Record | None:
        try:
            found = read_stored(message, self._match_id, self._game, self._find)
        except MatchDamaged as damaged:
            raise Mismatch(self.due, damaged.why) from damaged
        except SpielwerkError as unknown:
            raise self._not_known(message, unknown) from unknown
        if found is None:
            return None
        record, self._game = found
        return record

    def _not_known(self, message: Stored, unknown: SpielwerkError) -> Mismatch:
        version = record_pb2.Record.FromString(message.data).version
        if version != self.due:
            return Mismatch(self.due, f"missing; record {version} stands in its place")
        if unknown.reason == "rules_version_unknown":
            return Mismatch(self.due, "its rules are not known here (rules_version_unknown)")
        return Mismatch(self.due, f"{unknown.message} ({unknown.reason})")

    def _check_stored(self, message: Stored, record: Record) -> None:
        match, game = self.match, self._game
        assert match is not None, "a record was fed"
        assert game is not None, "a record was read"
        if write_record(game, record) != message.data:
            raise Mismatch(record.version, "its bytes are not the canonical form of what they say")
        if message.subject != subject(self._match_id, kind_of_record(record)):
            raise Mismatch(record.version, f"it is stored as {message.subject}")
        if read_headers(message.headers) != headers_of(match, record, message.data):
            raise Mismatch(record.version, "its headers do not say what its bytes say")


def verify_stored(match_id: str, messages: Iterable[Stored], find: Registry) -> Verified:
    """Recompute a finished match; raises Mismatch at the first record that does not follow."""
    verifier = StoredVerifier(match_id, find)
    for message in messages:
        verifier.feed(message)
    return verifier.close()
