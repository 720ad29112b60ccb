"""Records, updates and views of a match as messages; hashes are over the stored bytes, never over
these again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import is_
from typing import Any

from google.protobuf.message import DecodeError

from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.types.v1 import result_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.codec.games import game_codec
from spielwerk.codec.mapping import Codec, codec, union_codec
from spielwerk.errors import InvalidArgument, MatchDamaged
from spielwerk.games.game import AnyGame, Result, Seat
from spielwerk.match.fold import Registry, turns_list
from spielwerk.match.model import (
    Aborted,
    Bot,
    Cause,
    CauseKind,
    ClockShifted,
    Ended,
    Human,
    Joined,
    Match,
    Opened,
    OpenTurn,
    Origin,
    Phase,
    Record,
    Secrets,
    WatchPolicy,
)
from spielwerk.match.views import visible_events

_CAUSE = {kind: match_pb2.CauseKind.Value(f"CAUSE_KIND_{kind.name}") for kind in CauseKind}
_CAUSE_OF = {number: kind for kind, number in _CAUSE.items()}
_PHASE = {phase: match_pb2.Phase.Value(f"PHASE_{phase.name}") for phase in Phase}
_WATCH = {
    policy: match_pb2.WatchPolicy.Value(f"WATCH_POLICY_{policy.name}") for policy in WatchPolicy
}
_WATCH_OF: dict[int, WatchPolicy] = {number: policy for policy, number in _WATCH.items()}
_ORIGIN = {origin: match_pb2.Origin.Value(f"ORIGIN_{origin.name}") for origin in Origin}
_ORIGIN_OF: dict[int, Origin] = {number: origin for origin, number in _ORIGIN.items()}


def write_record(game: AnyGame, record: Record) -> bytes:
    """The bytes to store."""
    return record_message(game, record).SerializeToString()


def record_message(game: AnyGame, record: Record) -> record_pb2.Record:
    """The message to store."""
    message = record_pb2.Record()
    message.match_id = record.match_id
    message.version = record.version
    message.recorded_at_ms = record.recorded_at_ms
    message.previous_sha256 = record.previous_sha256
    message.state_sha256 = record.state_sha256
    _fill_cause(game, record.cause, message.cause)
    _fill_events(game, record.events, message.events)
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
        if game is None:
            opened = message.events[0].opened if message.events else match_pb2.Opened()
            game = find(opened.game, opened.rules_version)
        return _read(message, game), game
    except (DecodeError, InvalidArgument, ValueError, IndexError) as error:
        raise MatchDamaged(message.match_id, message.version, f"unreadable: {error}") from error


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
    seen = visible_events(game, options, record, viewer)
    if stored is not None and _all_seen(seen, record.events):
        message.events.extend(stored.events)
        message.turns.extend(stored.turns)
    else:
        _fill_events(game, seen, message.events)
        fill_turns(record.turns, message.turns)


def _all_seen(seen: Sequence[Any], events: Sequence[Any]) -> bool:
    """Whether nothing is left out or redacted: then the very same objects are shown."""
    return len(seen) == len(events) and all(map(is_, seen, events))


def fill_view(match: Match, viewer: Seat | None, message: match_pb2.MatchView) -> None:
    """The match as the viewer may see it."""
    message.match_id = match.match_id
    message.version = match.version
    message.recorded_at_ms = match.recorded_at_ms
    message.phase = _PHASE[match.phase]
    _fill_opened(match.game, match.opened, message.opened)
    if viewer is not None:
        message.seat = viewer
    fill_turns(turns_list(match), message.turns)
    if match.state is not None:
        game_codec(match.game).fill_view(match.game.view(match.state, viewer), message.table)
    if match.ended is not None:
        _fill_ended(match.ended, message.ended)
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


def read_occupants(messages: Iterable[match_pb2.Occupant]) -> tuple[Human | Bot, ...]:
    """Seats as asked for in a request or stored; InvalidArgument for an empty one."""
    return tuple(_occupant_codec().read(message) for message in messages)


def read_watch(number: int) -> WatchPolicy:
    """The policy; InvalidArgument if unspecified."""
    if number not in _WATCH_OF:
        raise InvalidArgument("bad_request", "watch is missing", field="watch")
    return _WATCH_OF[number]


def read_origin(number: int) -> Origin | None:
    """How the match came about; None if unspecified."""
    return _ORIGIN_OF.get(number)


def bot_message(bot: Bot) -> match_pb2.Bot:
    """A bot as the catalogue and the match's header show it."""
    message = match_pb2.Bot()
    codec(Bot, match_pb2.Bot.DESCRIPTOR).fill(bot, message)
    return message


def _read(message: record_pb2.Record, game: AnyGame) -> Record:
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
    return Cause(
        kind=_CAUSE_OF[message.kind],
        seat=message.seat if message.HasField("seat") else None,
        command_id=message.command_id,
        command=game_codec(game).read_command(message.command)
        if message.HasField("command")
        else None,
    )


def _fill_events(game: AnyGame, events: Iterable[Any], target: Any) -> None:
    fill_event = game_codec(game).fill_event
    for event in events:
        fill = _PLATFORM_FILLERS.get(type(event))
        if fill is None:
            fill_event(event, target.add().game)
        else:
            fill(game, event, target.add())


def read_event(game: AnyGame, message: match_pb2.MatchEvent) -> Any:
    """An event of the match or of its game; InvalidArgument for an empty one."""
    which = message.WhichOneof("event")
    if which == "game":
        return game_codec(game).read_event(message.game)
    if which is None:
        raise InvalidArgument("bad_request", "event is missing", field="event")
    return _PLATFORM_READERS[which](game, getattr(message, which))


def _fill_opened(game: AnyGame, opened: Opened, message: match_pb2.Opened) -> None:
    message.game = opened.game
    message.rules_version = opened.rules_version
    game_codec(game).fill_options(opened.options, message.options)
    _fill_occupants(opened.occupants, message.occupants)
    message.watch = _WATCH[opened.watch]
    message.rated = opened.rated
    message.commitment = opened.commitment
    message.bot_commitment = opened.bot_commitment
    message.seating_ms = opened.seating_ms
    if opened.origin is not None:
        message.origin = _ORIGIN[opened.origin]


def read_opened(game: AnyGame, message: match_pb2.Opened) -> Opened:
    """The first event of a match."""
    return Opened(
        game=message.game,
        rules_version=message.rules_version,
        options=game_codec(game).read_options(message.options),
        occupants=read_occupants(message.occupants),
        watch=read_watch(message.watch),
        rated=message.rated,
        commitment=message.commitment,
        bot_commitment=message.bot_commitment,
        seating_ms=message.seating_ms,
        origin=read_origin(message.origin),
    )


def _fill_ended(ended: Ended, message: match_pb2.Ended) -> None:
    if ended.result is not None:
        _result_codec().fill(ended.result, message.result)
    message.reason = ended.reason
    message.seed = ended.seed
    message.bot_seed = ended.bot_seed
    message.game = ended.game
    message.rules_version = ended.rules_version
    _fill_occupants(ended.occupants, message.occupants)
    message.rated = ended.rated
    if ended.origin is not None:
        message.origin = _ORIGIN[ended.origin]
    message.joined.extend(ended.joined)


def read_ended(message: match_pb2.Ended) -> Ended:
    """The last event of a match, self-contained."""
    return Ended(
        result=_result_codec().read(message.result) if message.HasField("result") else None,
        reason=message.reason,
        seed=message.seed,
        bot_seed=message.bot_seed,
        game=message.game,
        rules_version=message.rules_version,
        occupants=read_occupants(message.occupants),
        rated=message.rated,
        origin=read_origin(message.origin),
        joined=tuple(message.joined),
    )


def _fill_small(name: str) -> Callable[[AnyGame, Any, Any], None]:
    def fill(game: AnyGame, event: Any, message: match_pb2.MatchEvent) -> None:
        del game
        small = getattr(message, name)
        codec(type(event), small.DESCRIPTOR).fill(event, small)

    return fill


def _fill_occupants(occupants: Iterable[Human | Bot], target: Any) -> None:
    for occupant in occupants:
        _occupant_codec().fill(occupant, target.add())


@cache
def _occupant_codec() -> Codec:
    return union_codec((Human, Bot), match_pb2.Occupant.DESCRIPTOR)


@cache
def _result_codec() -> Codec:
    return codec(Result, result_pb2.Result.DESCRIPTOR)


def _read_small(cls: Any, message_type: Any) -> Callable[[AnyGame, Any], Any]:
    def read(game: AnyGame, message: Any) -> Any:
        del game
        return codec(cls, message_type.DESCRIPTOR).read(message)

    return read


_PLATFORM_READERS: dict[str, Callable[[AnyGame, Any], Any]] = {
    "opened": read_opened,
    "ended": lambda game, message: read_ended(message),  # noqa: ARG005 - one shape of reader
    "joined": _read_small(Joined, match_pb2.Joined),
    "clock_shifted": _read_small(ClockShifted, match_pb2.ClockShifted),
    "aborted": _read_small(Aborted, match_pb2.Aborted),
}
_PLATFORM_FILLERS: dict[type, Callable[[AnyGame, Any, match_pb2.MatchEvent], None]] = {
    Opened: lambda game, event, message: _fill_opened(game, event, message.opened),
    Ended: lambda game, event, message: _fill_ended(event, message.ended),  # noqa: ARG005 - as above
    Joined: _fill_small("joined"),
    ClockShifted: _fill_small("clock_shifted"),
    Aborted: _fill_small("aborted"),
}
