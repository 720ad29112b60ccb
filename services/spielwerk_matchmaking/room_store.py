"""Rooms in Redis: looked at by code and guarded against guessing, changed by compare and swap."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielwerk.clock import Clock
from spielwerk.errors import PermissionDenied, ResourceExhausted
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.rooms import Room, RoomState, read_code, reopened
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store

_NO_CODE = "-"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who names a code, and from which network address."""

    player: str
    address: str


@dataclass(frozen=True, slots=True)
class Found:
    """A room as it is stored, and who of its members gave a sign of life lately."""

    raw: str
    room: Room
    present: frozenset[str]


class RoomStore:
    """Reads and replaces rooms; knows no rules."""

    def __init__(self, store: Store, clock: Clock, settings: MatchmakingSettings) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings

    async def look(self, visitor: Visitor, text: str, *, newcomer: bool) -> Found:
        """The room behind a code, for its members, and for a newcomer if it is open.

        Raises PermissionDenied (no_such_room) in all other cases, and ResourceExhausted
        (too_many_guesses) to those who were wrong too often.
        """
        code = read_code(text) or _NO_CODE
        guess, address = self._settings.guess_rate, self._settings.address_rate
        now = self._clock.now_ms()
        answer = await self._store.run(
            "room_look",
            (
                keys.room(code),
                keys.seen(code),
                keys.rate("guess", visitor.player),
                keys.rate("address", visitor.address),
            ),
            (
                now,
                visitor.player,
                self._settings.room_idle_ms,
                "1" if newcomer else "",
                guess.interval_ms,
                guess.burst,
                address.interval_ms,
                address.burst,
            ),
        )
        if answer[0] == "slow":
            raise ResourceExhausted("too_many_guesses", retry_after=float(answer[1]) / 1000)
        if answer[0] == "none":
            raise PermissionDenied("no_such_room")
        seen = dict(zip(answer[2][::2], map(float, answer[2][1::2]), strict=True))
        return Found(answer[1], Room.from_json(answer[1]), self._present(seen, now))

    async def peek(self, code: str) -> Room | None:
        """The room, for those who are known to be its members or create its match."""
        raw = await self._store.whole(self._store.redis.get(keys.room(code)))
        return Room.from_json(raw) if raw else None

    async def swap(self, found: Found, after: Room, lease_end: int) -> str:
        """Put `after` in its place: "ok", "changed" (look again) or "too_many_rooms"."""
        before = found.room
        inside = _inside(after)
        came = sorted(inside - _inside(before))
        left = sorted(_inside(before) - inside)
        starts = after.state is RoomState.STARTING and before.state is not RoomState.STARTING
        kept = after.state is RoomState.STARTED
        word = await self._store.run(
            "room_swap",
            (
                keys.room(before.code),
                keys.seen(before.code),
                keys.LAUNCHES,
                keys.LEASES,
                *(keys.rooms_of(player) for player in (*came, *left)),
            ),
            (
                found.raw,
                "" if after.state is RoomState.CLOSED else after.to_json(),
                self._settings.room_kept_ms if kept else self._settings.room_idle_ms,
                before.code,
                before.room_id,
                after.match_id if starts else "",
                after.launch().to_json() if starts else "",
                lease_end,
                len(came),
                self._settings.rooms_per_player,
            ),
        )
        return str(word)

    async def started(self, code: str, match_id: str) -> None:
        """The promised match exists."""
        await self._settle(code, match_id, None)

    async def reopened(self, code: str, match_id: str, problem: str) -> None:
        """The promised match can never exist."""
        await self._settle(code, match_id, problem)

    async def open_rooms(self, player: str) -> list[Room]:
        """The rooms in which the player sits; codes of rooms that are gone are dropped."""
        redis = self._store.redis
        codes = sorted(await self._store.whole(redis.smembers(keys.rooms_of(player))))
        if not codes:
            return []
        raws = await self._store.whole(redis.mget([keys.room(code) for code in codes]))
        rooms = [Room.from_json(raw) for raw in raws if raw]
        there = {room.code for room in rooms if room.seat_of(player) is not None}
        gone = [code for code in codes if code not in there]
        if gone:
            await self._store.whole(redis.srem(keys.rooms_of(player), *gone))
        return [room for room in rooms if room.code in there]

    async def _settle(self, code: str, match_id: str, problem: str | None) -> None:
        while True:
            raw = await self._store.whole(self._store.redis.get(keys.room(code)))
            room = Room.from_json(raw) if raw else None
            if room is None or (room.match_id, room.state) != (match_id, RoomState.STARTING):
                return
            after = replace(room, state=RoomState.STARTED)
            if problem is not None:
                after = reopened(room, problem)
            if await self.swap(Found(raw, room, frozenset()), after, 0) == "ok":
                return

    def _present(self, seen: dict[str, float], now: int) -> frozenset[str]:
        limit = now - self._settings.absent_ms
        return frozenset(player for player, at in seen.items() if at >= limit)


def _inside(room: Room) -> set[str]:
    """Who counts the room among its open ones."""
    waiting = room.state in (RoomState.OPEN, RoomState.STARTING)
    return set(room.members) if waiting else set()
