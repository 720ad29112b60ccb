"""The matches that a process remembers, a bounded number of them, each with its lock."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice

from spielwerk.errors import MatchDamaged
from spielwerk.match.model import Match
from spielwerk.telemetry.metrics import Metrics


@dataclass(slots=True)
class Entry:
    """One match in the cache; `sequence` is its last message in the stream, foreign ones
    included."""

    match_id: str
    match: Match | None = None
    sequence: int = 0
    damaged: MatchDamaged | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Cache:
    """Entries in the order of their last use; whatever is in use stays, beyond the capacity too."""

    def __init__(self, capacity: int, metrics: Metrics) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._cached = metrics.states_cached
        # Looking a child up costs as much as counting.
        self._hits, self._replays = map(metrics.state_cache.labels, ("hit", "replay"))

    @asynccontextmanager
    async def locked(self, match_id: str) -> AsyncIterator[Entry]:
        """The match's entry, locked: commands of one match run one after another, in the order they
        came."""
        entry = self.enter(match_id)
        try:
            async with entry.lock:
                yield entry
        finally:
            self.leave(entry)

    def enter(self, match_id: str) -> Entry:
        """The match's entry, kept at least until it is left; the only user need not wait for its
        lock."""
        entry = self._entries.get(match_id)
        if entry is None:
            self._replays.inc()
            entry = self._entries[match_id] = Entry(match_id, users=1)
            self._evict()
            self._cached.set(len(self._entries))
        else:
            self._hits.inc()
            self._entries.move_to_end(match_id)
            entry.users += 1
        return entry

    def leave(self, entry: Entry) -> None:
        """The user is done with it."""
        entry.users -= 1
        if entry.match is None and not entry.users:  # nothing learnt: unknown ids take no room
            self._entries.pop(entry.match_id, None)

    def _evict(self) -> None:
        surplus = len(self._entries) - self._capacity
        if surplus <= 0:
            return
        idle = (entry.match_id for entry in self._entries.values() if not entry.users)
        for match_id in tuple(islice(idle, surplus)):
            del self._entries[match_id]
