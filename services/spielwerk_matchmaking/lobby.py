"""What players do with private rooms."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from spielwerk.background import to_the_end
from spielwerk.clock import Clock
from spielwerk.errors import AlreadyExists, PermissionDenied, ResourceExhausted, Unavailable
from spielwerk.games import registry
from spielwerk.log.subjects import new_match_id
from spielwerk_matchmaking import keys, rooms
from spielwerk_matchmaking.choices import Choice, check_request_id, fingerprint
from spielwerk_matchmaking.launch import Launcher
from spielwerk_matchmaking.room_store import Found, RoomStore, Visitor
from spielwerk_matchmaking.rooms import Room, RoomState
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.sittings import FREE, Sitting, bot_sitting, bot_sittings
from spielwerk_matchmaking.store import Store
from spielwerk_matchmaking.watching import Watching

_TRIES: Final = 100
Change = Callable[[Found], Room]


@dataclass(frozen=True, slots=True)
class Table:
    """What a new room looks like; `bots` are strengths by seat."""

    choice: Choice
    seat: int | None
    bots: Mapping[int, str]
    watch: str
    auto_start: bool


class Lobby:
    """All rooms as the players of this process reach them."""

    def __init__(
        self,
        store: Store,
        room_store: RoomStore,
        launcher: Launcher,
        watching: Watching,
        clock: Clock,
        settings: MatchmakingSettings,
    ) -> None:
        self._store = store
        self._rooms = room_store
        self._launcher = launcher
        self._watching = watching
        self._clock = clock
        self._settings = settings

    async def create(self, visitor: Visitor, table: Table, request_id: str) -> Room:
        """A new room with the caller as host, or the one that this request got before."""
        check_request_id(request_id)
        room = self._new_room(visitor.player, table)
        await self._rooms.open_rooms(visitor.player)  # forgets those that are gone
        rate = self._settings.room_rate
        word, detail = await self._store.run(
            "room_open",
            (
                keys.room(room.code),
                keys.seen(room.code),
                keys.rooms_of(room.host),
                keys.request(room.host, request_id),
                keys.rate("room", room.host),
            ),
            (
                self._clock.now_ms(),
                room.host,
                room.code,
                room.to_json(),
                self._settings.room_idle_ms,
                _print_of(table),
                self._settings.request_ms,
                rate.interval_ms,
                rate.burst,
                self._settings.rooms_per_player,
            ),
        )
        match word:
            case "ok":
                return await self._started_if_ready(visitor, room)
            case "repeated":
                return await self._there(detail)
            case "request_id_reused":
                raise AlreadyExists("request_id_reused", "the id belongs to another request")
            case "too_many_rooms":
                raise self._too_many_rooms()
            case "too_fast":
                raise ResourceExhausted("too_fast", retry_after=float(detail) / 1000)
            case _:
                raise Unavailable("code_taken", "try again")

    async def join(self, visitor: Visitor, code: str, seat: int | None) -> Room:
        """Take a seat, or find the one that the caller has."""

        def step(found: Found) -> Room:
            return rooms.join(found.room, visitor.player, seat)

        await self._rooms.open_rooms(visitor.player)  # forgets those that are gone
        return await self._change(visitor, code, step, newcomer=True)

    async def leave(self, visitor: Visitor, code: str) -> None:
        """Give the seat up; for others than members there is nothing to leave."""
        try:
            await self._change(visitor, code, lambda found: rooms.leave(found.room, visitor.player))
        except PermissionDenied:
            return

    async def move(self, visitor: Visitor, code: str, player: str, seat: int) -> Room:
        """Move to a free seat."""
        who = player or visitor.player
        return await self._change(
            visitor, code, lambda found: rooms.move(found.room, visitor.player, who, seat)
        )

    async def set_bot(self, visitor: Visitor, code: str, seat: int, strength: str) -> Room:
        """Put a bot on a seat, or take it off."""

        def step(found: Found) -> Room:
            bot: Sitting = FREE
            if strength:
                bot = bot_sitting(registry.newest(found.room.game), strength)
            return rooms.set_bot(found.room, visitor.player, seat, bot)

        return await self._change(visitor, code, step)

    async def start(self, visitor: Visitor, code: str) -> str:
        """The room's match, once it exists; Unavailable (match_pending) if that takes long."""
        match_id = self._fresh_match_id()

        def step(found: Found) -> Room:
            return rooms.start(found.room, visitor.player, found.present, match_id)

        room = await self._change(visitor, code, step)
        if room.state is RoomState.STARTED:
            return room.match_id
        task = self._launcher.start(room.launch())
        await asyncio.wait({task}, timeout=self._settings.create_ms / 1000)
        known = await self._rooms.peek(room.code)
        if known is None or known.state is not RoomState.STARTED:
            raise Unavailable("match_pending", "the match is being made", retry_after=1)
        return known.match_id

    async def get(self, visitor: Visitor, code: str) -> Room:
        """The room, for its members."""
        return await self._change(visitor, code, lambda found: found.room)

    async def watch(self, visitor: Visitor, code: str) -> AsyncGenerator[Room, None]:
        """The room and its changes; the last one tells that it has started or was closed."""
        room = await self.get(visitor, code)

        async def look() -> Room:
            known = await self._rooms.peek(room.code)
            if known is None or known.seat_of(visitor.player) is None:
                return replace(room, state=RoomState.CLOSED, seats=(), members=(), match_id="")
            if known.state is RoomState.OPEN:
                return await self.get(visitor, code)
            return known

        def over(state: Room) -> bool:
            return state.state in (RoomState.STARTED, RoomState.CLOSED)

        thing = ("room", room.room_id)
        async for state in self._watching.follow(thing, look, over):
            yield state

    async def _change(
        self, visitor: Visitor, code: str, step: Change, *, newcomer: bool = False
    ) -> Room:
        """Decide on the room as it is, until nobody else has changed it meanwhile."""
        for attempt in range(_TRIES):
            found = await self._rooms.look(visitor, code, newcomer=newcomer)
            here = replace(found, room=rooms.without_absent(found.room, found.present))
            after = rooms.started_by_itself(step(here), found.present, self._fresh_match_id())
            if after == found.room:
                return after
            word = await to_the_end(self._swap(found, after))
            if word == "too_many_rooms":
                raise self._too_many_rooms()
            if word == "ok":
                return after
            await asyncio.sleep(random.uniform(0, 0.001 * min(attempt + 1, 20)))
        raise Unavailable("busy", "too many change this room at once")

    async def _swap(self, found: Found, after: Room) -> str:
        """Whoever promises a match makes it, even if its caller has gone meanwhile."""
        word = await self._rooms.swap(found, after, self._launcher.lease_end())
        if word == "ok" and after.state is RoomState.STARTING:
            self._launcher.start(after.launch())
        return word

    def _too_many_rooms(self) -> ResourceExhausted:
        """A seat whose player is silent is free after so long; others when they are left."""
        most, absent_ms = self._settings.rooms_per_player, self._settings.absent_ms
        return ResourceExhausted("too_many_rooms", retry_after=absent_ms / 1000, limit=str(most))

    async def _started_if_ready(self, visitor: Visitor, room: Room) -> Room:
        if room.auto_start and room.full:
            return await self.get(visitor, room.code)
        return room

    async def _there(self, code: str) -> Room:
        room = await self._rooms.peek(code)
        if room is None:
            raise PermissionDenied("no_such_room", "the room was closed meanwhile")
        return room

    def _new_room(self, host: str, table: Table) -> Room:
        choice = table.choice
        seats = list(bot_sittings(choice.game, choice.seats, table.bots))
        seats[rooms.seat_for_host(seats, table.seat)] = Sitting(player=host)
        return Room(
            code=rooms.new_code(secrets.token_bytes(rooms.CODE_BYTES)),
            room_id=secrets.token_hex(8),
            host=host,
            members=(host,),
            game=choice.game.key,
            options=choice.options,
            seats=tuple(seats),
            watch=table.watch,
            auto_start=table.auto_start,
        )

    def _fresh_match_id(self) -> str:
        return new_match_id(self._clock.now_ms(), secrets.token_bytes(10))


def _print_of(table: Table) -> str:
    bots = sorted(table.bots.items())
    parts = ("room", table.choice.queue, table.seat, bots, table.watch, table.auto_start)
    return fingerprint(parts)
