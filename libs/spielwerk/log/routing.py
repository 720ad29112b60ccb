"""What a record is stored under and with: kind and headers, both follow from the record."""

from __future__ import annotations

import hashlib

from spielwerk.log.headers import OpenTurn, RecordHeaders
from spielwerk.log.port import Kind
from spielwerk.match.fold import is_end
from spielwerk.match.model import Match, Record


def kind_of_record(record: Record) -> Kind:
    """The last token of the record's subject."""
    if is_end(record):
        return Kind.END
    return Kind.OPEN if record.version == 1 else Kind.MOVE


def headers_of(match: Match, record: Record, data: bytes, trace: str = "") -> RecordHeaders:
    """The headers of a record of the match whose stored bytes are `data`."""
    turns = tuple(
        [OpenTurn(t.seat, t.key, t.deadline_ms, match.is_bot(t.seat)) for t in record.turns]
    )
    sha256 = hashlib.sha256(data).hexdigest() if is_end(record) else ""
    game, version, at_ms = match.opened.game, record.version, record.recorded_at_ms
    return RecordHeaders(game, version, at_ms, turns, sha256, trace)
