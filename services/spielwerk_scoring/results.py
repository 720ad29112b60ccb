"""Reads the last records of matches: what a match brings to whose rankings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from spielwerk.api.log.v1.record_pb2 import Record
from spielwerk.api.v1.match_pb2 import Ended
from spielwerk.log.headers import is_marked, trace_of
from spielwerk.log.port import Stored
from spielwerk.log.subjects import match_id_of
from spielwerk.rankings.totals import Entry


class Damaged(Exception):
    """A message under an `end` subject that is no last record of its match."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One finished match: its place in the stream, a digest of its bytes, and its entries.

    A match without result, an unrated one and one of bots alone bring no entries.
    """

    game: str
    sequence: int
    digest: str
    ended_at_ms: int
    entries: tuple[Entry, ...]
    match_id: str = field(default="", compare=False)
    trace: str = field(default="", compare=False)
    """Of the call that ended the match."""


def read_outcome(stored: Stored) -> Outcome:
    """The outcome in the last record of a match; raises Damaged."""
    if not is_marked(stored.headers):
        raise Damaged("not one of our records")
    record = _record(stored)
    if not record.events or record.events[-1].WhichOneof("event") != "ended":
        raise Damaged("does not end with the end of the match")
    ended = record.events[-1].ended
    entries = tuple(_entries(ended, record.recorded_at_ms)) if _counts(ended) else ()
    digest = digest_of(stored.data)
    return Outcome(
        ended.game,
        stored.sequence,
        digest,
        record.recorded_at_ms,
        entries,
        match_id=record.match_id,
        trace=trace_of(stored.headers),
    )


def digest_of(data: bytes) -> str:
    """What a checkpoint remembers of the record it ends with."""
    return hashlib.sha256(data).hexdigest()[:32]


def _record(stored: Stored) -> Record:
    try:
        record = Record.FromString(stored.data)
    except DecodeError as error:
        raise Damaged("not decodable") from error
    if record.match_id != match_id_of(stored.subject):
        raise Damaged("belongs to another match")
    return record


def _counts(ended: Ended) -> bool:
    return ended.rated and ended.HasField("result")


def _entries(ended: Ended, ended_at_ms: int) -> Iterator[Entry]:
    for standing in ended.result.standings:
        if standing.seat >= len(ended.occupants):
            raise Damaged(f"no seat {standing.seat}")
        player_id = ended.occupants[standing.seat].human.player_id
        if player_id and (standing.rank_games or standing.extras):
            yield Entry(
                game=ended.game,
                player_id=player_id,
                n_milli=standing.rank_n_milli,
                games=standing.rank_games,
                ended_at_ms=ended_at_ms,
                extras=dict(standing.extras),
            )
