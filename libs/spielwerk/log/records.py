"""What a message under the subject of a match is: a record of the match, or foreign.

A foreign message is skipped. A record of the match counts whether it is understood or not: who
skipped it would append over what was acknowledged.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError

from spielwerk.api.log.v1 import record_pb2
from spielwerk.codec.match import record_in
from spielwerk.errors import MatchDamaged
from spielwerk.games.game import AnyGame
from spielwerk.log.headers import is_marked, read_headers
from spielwerk.log.port import Stored
from spielwerk.match.fold import Registry
from spielwerk.match.model import Record


def read_stored(
    message: Stored, match_id: str, game: AnyGame | None, find: Registry
) -> tuple[Record, AnyGame] | None:
    """The record in a message and its game; None for a foreign message. `game` None for a first
    record.

    Raises Unavailable for what another release may understand (record_unknown,
    rules_version_unknown), and MatchDamaged for what none has written.
    """
    found = _message_of(message, match_id)
    if found is None:
        return None
    if game is None and found.version != 1:
        why = f"missing; record {found.version} stands in its place"
        raise MatchDamaged(match_id, 1, why)
    return record_in(found, game, find)


def _message_of(message: Stored, match_id: str) -> record_pb2.Record | None:
    """The match's own record, understood or not; None for a foreign message.

    One without bytes is foreign: who may only read can have the broker send the headers of any
    record, and nothing but them, to the subject of a match in another stream.
    """
    if not is_marked(message.headers) or not message.data:
        return None
    try:
        record = record_pb2.Record.FromString(message.data)
    except DecodeError as error:
        record, why = record_pb2.Record(), f"unreadable: {error}"
    else:
        why = "unreadable: it names no match"
    if record.match_id:
        return record if record.match_id == match_id else None
    headers = read_headers(message.headers)
    if headers is None:  # neither headers nor bytes are a record's
        return None
    raise MatchDamaged(match_id, headers.version, why)
