"""Names of everything that matchmaking keeps in Redis; one hash tag: a cluster keeps it together.

What they hold stands at the head of the scripts (part_tickets.lua, fold.lua, room_open.lua).
"""

from __future__ import annotations

from typing import Final

_ROOT: Final = "sw:{mm}"
CHANGED: Final = f"{_ROOT}:changed"
"""The channel of `<kind> <id>` messages; kinds are ticket, room and rematch."""
CHECKPOINT: Final = f"{_ROOT}:checkpoint"
TICKETS: Final = f"{_ROOT}:tickets"
WAITING: Final = f"{_ROOT}:waiting"
BEATS: Final = f"{_ROOT}:beats"
OPEN: Final = f"{_ROOT}:open"
BUSY: Final = f"{_ROOT}:busy"
LAUNCHES: Final = f"{_ROOT}:launches"
LEASES: Final = f"{_ROOT}:leases"
FINISHED: Final = f"{_ROOT}:finished"
QUEUES: Final = f"{_ROOT}:queues"
PLACES: Final = f"{_ROOT}:places"
RUNNING: Final = f"{_ROOT}:running"
MATCHES: Final = f"{_ROOT}:matches"

TICKET_KEYS: Final = (
    CHECKPOINT,
    TICKETS,
    WAITING,
    BEATS,
    OPEN,
    BUSY,
    LAUNCHES,
    LEASES,
    FINISHED,
    QUEUES,
)
"""KEYS[1..10] of the scripts on tickets."""


def request(player: str, request_id: str) -> str:
    """What a player's request id led to."""
    return f"{_ROOT}:request:{player}:{request_id}"


def rate(what: str, who: str) -> str:
    """A limit: enqueue, room, practice and guess by player, address by network address."""
    return f"{_ROOT}:rate:{what}:{who}"


def room(code: str) -> str:
    """A room."""
    return f"{_ROOT}:room:{code}"


def seen(code: str) -> str:
    """Signs of life of a room's members."""
    return f"{_ROOT}:seen:{code}"


def rooms_of(player: str) -> str:
    """The rooms in which a player sits."""
    return f"{_ROOT}:rooms:{player}"


def ended(match_id: str) -> str:
    """What a rematch of an ended match needs."""
    return f"{_ROOT}:ended:{match_id}"


def offer(match_id: str) -> str:
    """Who wants to play an ended match again."""
    return f"{_ROOT}:offer:{match_id}"
