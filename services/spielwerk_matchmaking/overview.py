"""All that a player has open: for clients that come back."""

from __future__ import annotations

import json
from dataclasses import dataclass

from spielwerk_matchmaking import keys
from spielwerk_matchmaking.room_store import RoomStore
from spielwerk_matchmaking.rooms import Room
from spielwerk_matchmaking.store import Store
from spielwerk_matchmaking.tickets import Ticket, Tickets


@dataclass(frozen=True, slots=True)
class Running:
    """A match that has not ended, and the player's seat in it."""

    match_id: str
    game: str
    seat: int
    origin: str


@dataclass(frozen=True, slots=True)
class Open:
    """Tickets that wait, rooms not started, matches not ended."""

    tickets: tuple[Ticket, ...]
    rooms: tuple[Room, ...]
    matches: tuple[Running, ...]


class Overview:
    """Reads what the use cases have written."""

    def __init__(self, store: Store, tickets: Tickets, rooms: RoomStore) -> None:
        self._store = store
        self._tickets = tickets
        self._rooms = rooms

    async def of(self, player: str) -> Open:
        """What the player has open."""
        raw = await self._store.whole(self._store.redis.hget(keys.RUNNING, player))
        matches = tuple(
            Running(match_id, entry["game"], int(entry["seat"]), entry["origin"])
            for match_id, entry in sorted(json.loads(raw or "{}").items())
        )
        rooms = await self._rooms.open_rooms(player)
        return Open(await self._tickets.open(player), tuple(rooms), matches)
