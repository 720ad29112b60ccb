"""A private room as a value, and what may be done with it, wherever rooms are kept."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from spielwerk.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from spielwerk_matchmaking.launch import Launch, named
from spielwerk_matchmaking.sittings import FREE, Sitting, check_seat, sittings_from

_CODE_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
CODE_LENGTH: Final = 12
CODE_BYTES: Final = 8
"""60 of these 64 bits make a code: guessing is hopeless, and a code does not come twice."""
_READ_AS: Final = str.maketrans("OIL", "011", "- ")


class RoomState(StrEnum):
    """Where a room stands."""

    OPEN = "open"
    STARTING = "starting"
    STARTED = "started"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Room:
    """A table that its members fill; `members` are its people in the order they came.

    `room_id` names it in signals and logs, where its code must not be seen. `match_id` is only
    promised before the room has started.
    """

    code: str
    room_id: str
    host: str
    members: tuple[str, ...]
    game: str
    options: str
    seats: tuple[Sitting, ...]
    watch: str
    auto_start: bool
    state: RoomState = RoomState.OPEN
    match_id: str = ""
    problem: str = ""

    @classmethod
    def from_json(cls, text: str) -> Room:
        """As it was stored."""
        stored = json.loads(text)
        return cls(
            **{
                **stored,
                "members": tuple(stored["members"]),
                "seats": sittings_from(stored["seats"]),
                "state": RoomState(stored["state"]),
            }
        )

    def to_json(self) -> str:
        """As it is stored: equal rooms give equal texts."""
        return json.dumps(
            {
                "code": self.code,
                "room_id": self.room_id,
                "host": self.host,
                "members": self.members,
                "game": self.game,
                "options": self.options,
                "seats": [sitting.to_json() for sitting in self.seats],
                "watch": self.watch,
                "auto_start": self.auto_start,
                "state": self.state.value,
                "match_id": self.match_id,
                "problem": self.problem,
            }
        )

    @property
    def full(self) -> bool:
        """Whether somebody sits at every seat."""
        return not any(sitting.free for sitting in self.seats)

    @property
    def existing_match(self) -> str:
        """The match as players are told of it: once it exists, "" until then."""
        return self.match_id if self.state is RoomState.STARTED else ""

    def seat_of(self, player: str) -> int | None:
        """The player's seat, if it has one."""
        for seat, sitting in enumerate(self.seats):
            if sitting.player == player:
                return seat
        return None

    def launch(self) -> Launch:
        """The match of a room that starts."""
        return Launch(
            match_id=self.match_id,
            game=self.game,
            options=self.options,
            seats=self.seats,
            watch=self.watch,
            origin="room",
            room=self.code,
        )


def join(room: Room, player: str, seat: int | None) -> Room:
    """Take a seat; a member keeps the one it has. FailedPrecondition (room_full, seat_taken)."""
    if room.seat_of(player) is not None:
        return room
    _check_open(room)
    if room.full:
        raise FailedPrecondition("room_full")
    if seat is None:
        seat = next(s for s, sitting in enumerate(room.seats) if sitting.free)
    _check_free(room, seat)
    seated = _with_seat(room, seat, Sitting(player=player))
    return replace(seated, members=(*room.members, player))


def leave(room: Room, player: str) -> Room:
    """Give the seat up; the longest member becomes host, a room without people is closed."""
    if room.seat_of(player) is None:
        return room
    _check_open(room)
    return _without(room, player)


def move(room: Room, caller: str, player: str, seat: int) -> Room:
    """Move to a free seat; only the host moves others."""
    if caller not in (player, room.host):
        raise PermissionDenied("not_the_host")
    old = room.seat_of(player)
    if old is None:
        raise FailedPrecondition("not_in_room")
    if old == seat:
        return room
    _check_open(room)
    _check_free(room, seat)
    return _with_seat(_with_seat(room, old, FREE), seat, Sitting(player=player))


def set_bot(room: Room, caller: str, seat: int, bot: Sitting) -> Room:
    """Put a bot on a seat, or take it off (FREE); host only, and never on a person's seat."""
    if caller != room.host:
        raise PermissionDenied("not_the_host")
    check_seat(seat, len(room.seats))
    if room.seats[seat] == bot:
        return room
    _check_open(room)
    if room.seats[seat].player:
        raise FailedPrecondition("seat_taken", seat=str(seat))
    return _with_seat(room, seat, bot)


def start(room: Room, caller: str, present: Collection[str], match_id: str) -> Room:
    """Promise the match; a room that has started stays as it is."""
    if caller != room.host:
        raise PermissionDenied("not_the_host")
    if room.state is not RoomState.OPEN:
        return room
    if not room.full:
        raise FailedPrecondition("seats_free")
    absent = [player for player in room.members if player not in present]
    if absent:
        raise FailedPrecondition("player_absent", player_id=absent[0])
    return replace(room, state=RoomState.STARTING, match_id=match_id, problem="")


def started_by_itself(room: Room, present: Collection[str], match_id: str) -> Room:
    """The room started, if it is to start by itself and everybody is there."""
    ready = room.auto_start and room.full and set(room.members) <= set(present)
    if not ready or room.problem or room.state is not RoomState.OPEN:
        return room
    return start(room, room.host, present, match_id)


def without_absent(room: Room, present: Collection[str]) -> Room:
    """The room without members that are gone; the host keeps its seat."""
    if room.state is RoomState.OPEN:
        for player in room.members:
            if player != room.host and player not in present:
                room = _without(room, player)
    return room


def reopened(room: Room, problem: str) -> Room:
    """The match could not be made: the members may change something."""
    return replace(room, state=RoomState.OPEN, match_id="", problem=problem)


def new_code(random: bytes) -> str:
    """A code from `CODE_BYTES` random bytes."""
    number = int.from_bytes(random[:CODE_BYTES], "big")
    return "".join(_CODE_ALPHABET[number >> (5 * i) & 31] for i in range(CODE_LENGTH))


def read_code(text: str) -> str:
    """What a person typed as a code; "" for what is none: it is answered like a wrong one."""
    code = text[:64].upper().translate(_READ_AS)
    well_formed = len(code) == CODE_LENGTH and all(char in _CODE_ALPHABET for char in code)
    return code if well_formed else ""


def shown_code(code: str) -> str:
    """As it is shown: 7K2P-M9QX-4TND."""
    return "-".join(code[i : i + 4] for i in range(0, len(code), 4))


def seat_for_host(seats: Iterable[Sitting], wish: int | None) -> int:
    """The host's seat at a new table; InvalidArgument (bad_seat) if it is no free one."""
    table = list(seats)
    free = [seat for seat, sitting in enumerate(table) if sitting.free]
    if wish is not None and wish not in free:
        raise InvalidArgument("bad_seat", "the seat does not exist or is a bot's", seat=str(wish))
    if not free:
        raise InvalidArgument("bad_seat", "no seat is left for the player")
    return free[0] if wish is None else wish


def _without(room: Room, player: str) -> Room:
    seat = room.seat_of(player)
    members = tuple(member for member in room.members if member != player)
    left = room if seat is None else _with_seat(room, seat, FREE)
    if not members:
        return replace(left, members=(), state=RoomState.CLOSED)
    host = members[0] if room.host == player else room.host
    return replace(left, members=members, host=host)


def _with_seat(room: Room, seat: int, sitting: Sitting) -> Room:
    seats = (*room.seats[:seat], sitting, *room.seats[seat + 1 :])
    return replace(room, seats=seats, problem="")


def _check_open(room: Room) -> None:
    if room.state is not RoomState.OPEN:
        raise FailedPrecondition("already_started", "watch the room", **named(room.existing_match))


def _check_free(room: Room, seat: int) -> None:
    check_seat(seat, len(room.seats))
    if not room.seats[seat].free:
        raise FailedPrecondition("seat_taken", seat=str(seat))
