"""The values of matchmaking: tickets, rooms, rematches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum, StrEnum
from typing import Any, TypeAlias, get_type_hints

from spielwerk.api.v1 import games_pb2, match_pb2, matchmaking_pb2
from spielwerk.codec import game_codec
from spielwerk.codec.events import read_occupants, read_origin, read_watch
from spielwerk.errors import BadOptions
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, Seat
from spielwerk.match.model import Bot, Human, Origin, WatchPolicy

Wishes: TypeAlias = Any
"""House rules: the game's Options, or a mapping of some of them; what is left out takes the
defaults of queue, room or practice."""


class TicketState(StrEnum):
    """Where a ticket stands."""

    WAITING = "waiting"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in a queue; `match_id` and `seat` once matched, `reason` why it is over."""

    ticket_id: str
    state: TicketState
    game: str
    options: Any
    players: int
    enqueued_at_ms: int
    match_id: str | None
    seat: Seat | None
    reason: str


class RoomState(StrEnum):
    """Where a private room stands."""

    OPEN = "open"
    STARTING = "starting"
    STARTED = "started"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Room:
    """A private room; a seat is None while it is free. Whoever has the code can enter."""

    code: str
    state: RoomState
    host: str
    game: str
    options: Any
    seats: tuple[Human | Bot | None, ...]
    watch: WatchPolicy
    auto_start: bool
    match_id: str | None
    problem: str


class RematchState(StrEnum):
    """How a rematch stands."""

    NONE = "none"
    OFFERED = "offered"
    AGREED = "agreed"


@dataclass(frozen=True, slots=True)
class RematchOffer:
    """Who wants to play again, until when (ms), and the new match once all do."""

    state: RematchState
    player_ids: tuple[str, ...]
    expires_at_ms: int
    match_id: str | None


@dataclass(frozen=True, slots=True)
class Practice:
    """A match against bots and the caller's seat in it."""

    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """A match of the caller that has not ended."""

    match_id: str
    game: str
    seat: Seat
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Open:
    """Where a client that comes back goes on."""

    tickets: tuple[Ticket, ...]
    rooms: tuple[Room, ...]
    matches: tuple[RunningMatch, ...]


def fill_wishes(game: AnyGame, wishes: Wishes, message: games_pb2.GameOptions) -> None:
    """Write house rules into a request; BadOptions for an unknown or forbidden one."""
    if wishes is None:
        return
    named = dict(wishes) if isinstance(wishes, Mapping) else _all(wishes)
    hints = get_type_hints(game.options)
    for name in named.keys() - hints.keys():
        raise BadOptions(name, "there is no such option")
    chosen = {name: _typed(name, hints[name], value) for name, value in named.items()}
    game_codec(game).fill_options(game.options(**chosen), message)
    inner = getattr(message, game.key)
    for name in hints.keys() - chosen.keys():
        inner.ClearField(name)


def read_ticket(message: matchmaking_pb2.Ticket) -> Ticket:
    """A ticket."""
    return Ticket(
        ticket_id=message.ticket_id,
        state=TicketState(_word(matchmaking_pb2.TicketState, message.state)),
        game=message.game,
        options=_options(message.game, message.options),
        players=message.players,
        enqueued_at_ms=message.enqueued_at_ms,
        match_id=message.match_id or None,
        seat=message.seat if message.HasField("seat") else None,
        reason=message.reason,
    )


def read_room(message: matchmaking_pb2.Room) -> Room:
    """A room."""
    return Room(
        code=message.code,
        state=RoomState(_word(matchmaking_pb2.RoomState, message.state)),
        host=message.host,
        game=message.game,
        options=_options(message.game, message.options),
        seats=tuple(_seat(seat) for seat in message.seats),
        watch=read_watch(message.watch),
        auto_start=message.auto_start,
        match_id=message.match_id or None,
        problem=message.problem,
    )


def read_offer(message: matchmaking_pb2.RematchOffer) -> RematchOffer:
    """How a rematch stands."""
    state = RematchState(_word(matchmaking_pb2.RematchState, message.state))
    players = tuple(message.player_ids)
    return RematchOffer(state, players, message.expires_at_ms, message.match_id or None)


def read_open(message: matchmaking_pb2.ListOpenResponse) -> Open:
    """Everything of the caller's that goes on."""
    return Open(
        tickets=tuple(read_ticket(ticket) for ticket in message.tickets),
        rooms=tuple(read_room(room) for room in message.rooms),
        matches=tuple(
            RunningMatch(m.match_id, m.game, m.seat, read_origin(m.origin)) for m in message.matches
        ),
    )


def _all(options: Any) -> dict[str, Any]:
    return {field.name: getattr(options, field.name) for field in fields(options)}


def _typed(name: str, hint: Any, value: Any) -> Any:
    """Words for enums are welcome in a mapping."""
    if not (isinstance(hint, type) and issubclass(hint, Enum)):
        return value
    try:
        return hint(value)
    except ValueError:
        raise BadOptions(name, f"{value!r} is no choice") from None


def _options(game: str, message: games_pb2.GameOptions) -> Any:
    rules = registry.newest(game)
    return game_codec(rules).read_options(message)


def _seat(message: match_pb2.Occupant) -> Human | Bot | None:
    return read_occupants([message])[0] if message.WhichOneof("occupant") else None


def _word(enum: Any, number: int) -> str:
    """`TICKET_STATE_WAITING` is "waiting"."""
    name, prefix = enum.Name(number), enum.Name(0).removesuffix("UNSPECIFIED")
    return str(name).removeprefix(prefix).lower()
