"""Events of a match as messages: the platform's own, and its game's inside the platform's oneof."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from sys import intern
from typing import Any

from spielwerk.api.types.v1 import result_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.codec.games import game_codec
from spielwerk.codec.mapping import Codec, codec, union_codec
from spielwerk.errors import InvalidArgument
from spielwerk.games.game import AnyGame, Result
from spielwerk.match.model import (
    Aborted,
    Bot,
    ClockShifted,
    Ended,
    Human,
    Joined,
    Opened,
    Origin,
    WatchPolicy,
)

_WATCH = {
    policy: match_pb2.WatchPolicy.Value(f"WATCH_POLICY_{policy.name}") for policy in WatchPolicy
}
_WATCH_OF: dict[int, WatchPolicy] = {number: policy for policy, number in _WATCH.items()}
_ORIGIN = {origin: match_pb2.Origin.Value(f"ORIGIN_{origin.name}") for origin in Origin}
_ORIGIN_OF: dict[int, Origin] = {number: origin for origin, number in _ORIGIN.items()}


def fill_events(game: AnyGame, events: Iterable[Any], target: Any) -> None:
    """Add the events to a repeated MatchEvent."""
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


def fill_opened(game: AnyGame, opened: Opened, message: match_pb2.Opened) -> None:
    """Write the first event of a match."""
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
        game=intern(message.game),  # thousands of matches share it
        rules_version=intern(message.rules_version),
        options=game_codec(game).read_options(message.options),
        occupants=read_occupants(message.occupants),
        watch=read_watch(message.watch),
        rated=message.rated,
        commitment=message.commitment,
        bot_commitment=message.bot_commitment,
        seating_ms=message.seating_ms,
        origin=read_origin(message.origin),
    )


def fill_ended(ended: Ended, message: match_pb2.Ended) -> None:
    """Write the last event of a match."""
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
    Opened: lambda game, event, message: fill_opened(game, event, message.opened),
    Ended: lambda game, event, message: fill_ended(event, message.ended),  # noqa: ARG005 - as above
    Joined: _fill_small("joined"),
    ClockShifted: _fill_small("clock_shifted"),
    Aborted: _fill_small("aborted"),
}


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
