"""Records, updates and views of a match as messages; hashes are over the stored bytes, never over
these again."""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Any

from google.protobuf.message import DecodeError

from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.codec.events import fill_ended, fill_events, fill_opened, read_event
from spielwerk.codec.games import game_codec
from spielwerk.errors import InvalidArgument, MatchDamaged, Unavailable
from spielwerk.games.game import AnyGame, Seat
from spielwerk.match.fold import Registry, turns_list
from spielwerk.match.model import (
    Cause,
    CauseKind,
    Match,
    OpenTurn,
    Phase,
    Record,
    Secrets,
)
from spielwerk.match.views import visible_event, visible_events

_CAUSE = {kind: match_pb2.CauseKind.Value(f"CAUSE_KIND_{kind.name}") for kind in CauseKind}
_CAUSE_OF = {number: kind for kind, number in _CAUSE.items()}
_UNREADABLE = (InvalidArgument, ValueError, IndexError)
_PHASE = {phase: match_pb2.Phase.Value(f"PHASE_{phase.name}") for phase in Phase}


def write_record(game: AnyGame, record: Record) -> bytes:
    """The bytes to store: entries of maps are sorted, so that equal records have equal bytes."""
    return record_message(game, record).SerializeToString(deterministic=True)


def record_message(game: AnyGame, record: Record) -> record_pb2.Record:
    """The message to store."""
    message = record_pb2.Record()
    message.match_id = record.match_id
    message.version = record.version
    message.recorded_at_ms = record.recorded_at_ms
    message.previous_sha256 = record.previous_sha256
    message.state_sha256 = record.state_sha256
    _fill_cause(game, record.cause, message.cause)
    fill_events(game, record.events, message.events)
    fill_turns(record.turns, message.turns)
    if record.secrets is not None:
        message.secrets.seed = record.secrets.seed
        message.secrets.bot_seed = record.secrets.bot_seed
    return message


def read_record(data: bytes, game: AnyGame | None, find: Registry) -> tuple[Record, AnyGame]:
    """The stored record and its game; `game` None for a first record. MatchDamaged if it cannot be
    read."""
    message = record_pb2.Record()
    try:
        message.ParseFromString(data)
        return _read(message, game, find)
    except (DecodeError, *_UNREADABLE) as error:
        raise MatchDamaged(message.match_id, message.version, f"unreadable: {error}") from error


def record_in(
    message: record_pb2.Record, game: AnyGame | None, find: Registry
) -> tuple[Record, AnyGame]:
    """As `read_record`, but Unavailable (record_unknown) for contents that this release does not
    know: a later one may have written them."""
    try:
        return _read(message, game, find)
    except _UNREADABLE as error:
        why = f"record {message.version} cannot be read by this release: {error}"
        version = str(message.version)
        raise Unavailable(
            "record_unknown", why, match_id=message.match_id, version=version
        ) from error


def fill_update(
    game: AnyGame,
    options: Any,
    record: Record,
    viewer: Seat | None,
    message: match_pb2.MatchUpdate,
    *,
    stored: record_pb2.Record | None = None,
) -> None:
    """One version as the viewer may see it; of the record's own message, if that is at hand, what
    the viewer may see unchanged is copied: a third of the work."""
    message.match_id = record.match_id
    message.version = record.version
    message.recorded_at_ms = record.recorded_at_ms
    message.cause = _CAUSE[record.cause.kind]
    if record.cause.seat is not None:
        message.seat = record.cause.seat
    if stored is None:
        fill_events(game, visible_events(game, options, record, viewer), message.events)
        fill_turns(record.turns, message.turns)
        return
    seen = [visible_event(game, options, event, viewer) for event in record.events]
    if all(map(is_, seen, record.events)):
        message.events.extend(stored.events)
    else:
        _fill_partly(game, zip(seen, record.events, stored.events, strict=True), message.events)
    message.turns.extend(stored.turns)


def _fill_partly(
    game: AnyGame, events: Iterable[tuple[Any, Any, match_pb2.MatchEvent]], target: Any
) -> None:
    """Of (seen, event, its message): copy what is seen as it is, write what is redacted."""
    for seen, event, message in events:
        if seen is event:
            target.append(message)
        elif seen is not None:
            fill_events(game, (seen,), target)


def fill_view(match: Match, viewer: Seat | None, message: match_pb2.MatchView) -> None:
    """The match as the viewer may see it."""
    message.match_id = match.match_id
    message.version = match.version
    message.recorded_at_ms = match.recorded_at_ms
    message.phase = _PHASE[match.phase]
    fill_opened(match.game, match.opened, message.opened)
    if viewer is not None:
        message.seat = viewer
    fill_turns(turns_list(match), message.turns)
    if match.state is not None:
        game_codec(match.game).fill_view(match.game.view(match.state, viewer), message.table)
    if match.ended is not None:
        fill_ended(match.ended, message.ended)
    message.joined.extend(match.joined)


def fill_turns(turns: Iterable[OpenTurn], target: Any) -> None:
    """Open turns, in seat order."""
    for turn in turns:
        message = target.add()
        message.seat = turn.seat
        message.key = turn.key
        message.since_ms = turn.since_ms
        if turn.deadline_ms is not None:
            message.deadline_ms = turn.deadline_ms


def _read(
    message: record_pb2.Record, game: AnyGame | None, find: Registry
) -> tuple[Record, AnyGame]:
    if game is None:
        game = _game_of(message, find)
    return _record(message, game), game


def _game_of(message: record_pb2.Record, find: Registry) -> AnyGame:
    if not message.events or not message.events[0].HasField("opened"):
        raise InvalidArgument("bad_request", "it opens no match", field="events")
    opened = message.events[0].opened
    return find(opened.game, opened.rules_version)


def _record(message: record_pb2.Record, game: AnyGame) -> Record:
    return Record(
        match_id=message.match_id,
        version=message.version,
        recorded_at_ms=message.recorded_at_ms,
        cause=_read_cause(game, message.cause),
        events=tuple([read_event(game, event) for event in message.events]),
        turns=tuple([read_turn(turn) for turn in message.turns]),
        previous_sha256=message.previous_sha256,
        state_sha256=message.state_sha256,
        secrets=Secrets(message.secrets.seed, message.secrets.bot_seed)
        if message.HasField("secrets")
        else None,
    )


def read_turn(turn: match_pb2.Turn) -> OpenTurn:
    """An open turn."""
    deadline = turn.deadline_ms if turn.HasField("deadline_ms") else None
    return OpenTurn(turn.seat, turn.key, turn.since_ms, deadline)


def _fill_cause(game: AnyGame, cause: Cause, message: record_pb2.Cause) -> None:
    message.kind = _CAUSE[cause.kind]
    if cause.seat is not None:
        message.seat = cause.seat
    message.command_id = cause.command_id
    if cause.command is not None:
        game_codec(game).fill_command(cause.command, message.command)


def _read_cause(game: AnyGame, message: record_pb2.Cause) -> Cause:
    kind = _CAUSE_OF.get(message.kind)
    if kind is None:
        raise InvalidArgument("bad_request", "cause is missing", field="cause")
    return Cause(
        kind=kind,
        seat=message.seat if message.HasField("seat") else None,
        command_id=message.command_id,
        command=game_codec(game).read_command(message.command)
        if message.HasField("command")
        else None,
    )
