"""Tickets: what they are, how they are looked at, kept alive and given back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from spielwerk.clock import Clock
from spielwerk.errors import FailedPrecondition, NotFound
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.launch import named
from spielwerk_matchmaking.store import Store

_TICKET_ID: Final = re.compile(r"[0-9a-f]{32}")
_AT_ONCE: Final = 500


class TicketState(StrEnum):
    """Where a ticket stands; to its player a promised match (pairing) is still waiting."""

    WAITING = "waiting"
    PAIRING = "pairing"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


OVER: Final = frozenset({TicketState.MATCHED, TicketState.CANCELLED, TicketState.EXPIRED})


@dataclass(frozen=True, slots=True)
class Ticket:
    """A player's place in a queue; `match_id` and `seat` once matched, `reason` once it is over.

    `options` (packed) are known while the ticket waits.
    """

    ticket_id: str
    player: str
    state: TicketState
    game: str
    options: str
    players: int
    enqueued_at_ms: int
    match_id: str = ""
    seat: int | None = None
    reason: str = ""


class Tickets:
    """Everything that players do with tickets they have."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def get(self, player: str, ticket_id: str) -> Ticket:
        """The player's ticket; NotFound (ticket_unknown) for others', forgotten and lost ones."""
        found = await self._read((ticket_id,) if _TICKET_ID.fullmatch(ticket_id) else ())
        if not found or found[0].player != player:
            raise NotFound("ticket_unknown", "there is no such ticket; enqueue again")
        return found[0]

    async def cancel(self, player: str, ticket_id: str) -> Ticket:
        """Leave the queue; FailedPrecondition (already_matched) if the match came first."""
        args = (self._clock.now_ms(), player, ticket_id)
        word, detail = await self._store.run("cancel", keys.TICKET_KEYS, args)
        if word == "already_matched":
            raise FailedPrecondition("already_matched", "the match came first", **named(detail))
        return await self.get(player, ticket_id)

    async def beat(self, ticket_ids: Iterable[str]) -> None:
        """Count as a sign of life of each ticket that still waits."""
        now, ids = self._clock.now_ms(), list(ticket_ids)
        for start in range(0, len(ids), _AT_ONCE):
            marks = dict.fromkeys(ids[start : start + _AT_ONCE], now)
            await self._store.whole(self._store.redis.zadd(keys.BEATS, marks, xx=True, gt=True))

    async def open(self, player: str) -> tuple[Ticket, ...]:
        """The player's tickets that wait."""
        raw = await self._store.whole(self._store.redis.hget(keys.OPEN, player))
        return await self._read(json.loads(raw).values() if raw else ())

    async def _read(self, ticket_ids: Iterable[str]) -> tuple[Ticket, ...]:
        ids = list(ticket_ids)
        if not ids:
            return ()
        redis = self._store.redis
        raws = await self._store.whole(redis.hmget(keys.TICKETS, ids))
        stored = {id_: json.loads(raw) for id_, raw in zip(ids, raws, strict=True) if raw}
        queues = list({entry["queue"] for entry in stored.values()})
        abouts = await self._store.whole(redis.hmget(keys.QUEUES, queues)) if queues else []
        options = {
            queue: json.loads(raw)["options"]
            for queue, raw in zip(queues, abouts, strict=True)
            if raw
        }
        return tuple(
            _ticket(id_, entry, options.get(entry["queue"], "")) for id_, entry in stored.items()
        )


def _ticket(ticket_id: str, stored: dict[str, Any], options: str) -> Ticket:
    state = TicketState(stored["state"])
    matched = state is TicketState.MATCHED
    return Ticket(
        ticket_id=ticket_id,
        player=stored["player"],
        state=state,
        game=stored["game"],
        options=options,
        players=stored["players"],
        enqueued_at_ms=stored["at"],
        match_id=stored.get("match", "") if matched else "",
        seat=stored.get("seat") if matched else None,
        reason=stored.get("reason", ""),
    )
