"""Open turns with a deadline, the next one to fire first.

Every record of a match lists all of its open turns, so a record replaces what was known of its
match. What is no longer open stays in the heap until it comes to the top, or until half of the heap
is such waste: memory is bounded by the open turns, whatever was played.
"""

from __future__ import annotations

import asyncio
import heapq
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from spielwerk.log.headers import read_headers
from spielwerk.log.port import Stored
from spielwerk.log.subjects import match_id_of
from spielwerk.match.model import GRACE_MS

_SMALL: Final = 1000


@dataclass(frozen=True, slots=True)
class Deadline:
    """A seat's turn ends at `at_ms` (ms since 1970-01-01 UTC); it may be expired GRACE_MS later."""

    match_id: str
    seat: int
    key: str
    at_ms: int
    trace: str = field(default="", compare=False)
    """Of the call that opened the turn."""

    @property
    def due_ms(self) -> int:
        """When rules accepts the expiry."""
        return self.at_ms + GRACE_MS


@dataclass(frozen=True, slots=True)
class Shot:
    """One try to expire a turn; `tries` were made before."""

    deadline: Deadline
    tries: int = 0


class Deadlines:
    """Folds the headers of the log in stream order.

    Each turn fires up to `jitter_ms` after it is due. `earlier` is set when the next time changes.
    """

    def __init__(self, jitter_ms: int = 0) -> None:
        self._jitter_ms = jitter_ms
        self._open: dict[str, frozenset[Deadline]] = {}
        self._heap: list[tuple[int, int, Shot]] = []
        self._numbers = count()
        self._count = 0
        self.earlier = asyncio.Event()

    def reset(self, deadlines: Iterable[Deadline]) -> None:
        """Forget everything and begin with these open turns."""
        by_match: dict[str, set[Deadline]] = {}
        for deadline in deadlines:
            by_match.setdefault(deadline.match_id, set()).add(deadline)
        self._open = {match_id: frozenset(turns) for match_id, turns in by_match.items()}
        self._count = sum(map(len, self._open.values()))
        self._rebuild()

    def fold(self, message: Stored) -> bool:
        """Take one message; False for one that is no record of ours."""
        headers = read_headers(message.headers)
        if headers is None:
            return False
        match_id = match_id_of(message.subject)
        before = self._open.pop(match_id, frozenset())
        after = frozenset(
            Deadline(match_id, turn.seat, turn.key, turn.deadline_ms, headers.trace)
            for turn in headers.turns
            if turn.deadline_ms is not None and not turn.bot
        )
        if after:
            self._open[match_id] = after
        self._count += len(after) - len(before)
        for deadline in after - before:
            self.push(Shot(deadline), self._first_ms(deadline))
        return True

    def push(self, shot: Shot, when_ms: int) -> None:
        """Fire at this time if the turn is still open then."""
        if not self._heap or when_ms < self._heap[0][0]:
            self.earlier.set()
        heapq.heappush(self._heap, (when_ms, next(self._numbers), shot))
        if len(self._heap) > 2 * self._count + _SMALL:
            self._drop_waste()

    def pop_due(self, now_ms: int) -> Shot | None:
        """The next shot whose time has come."""
        when_ms = self.next_ms()
        if when_ms is None or when_ms > now_ms:
            return None
        return heapq.heappop(self._heap)[2]

    def next_ms(self) -> int | None:
        """When the next shot is due."""
        while self._heap and self._heap[0][2].deadline not in self:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def overdue(self, now_ms: int) -> int:
        """How many open turns could have been expired by now."""
        return sum(deadline.due_ms <= now_ms for deadline in self)

    def waste(self) -> int:
        """Entries of the heap that are of no more use; fewer than the open turns and a thousand."""
        return len(self._heap) - sum(entry[2].deadline in self for entry in self._heap)

    def __contains__(self, deadline: Deadline) -> bool:
        return deadline in self._open.get(deadline.match_id, ())

    def __iter__(self) -> Iterator[Deadline]:
        for turns in self._open.values():
            yield from turns

    def __len__(self) -> int:
        return self._count

    def _first_ms(self, deadline: Deadline) -> int:
        return deadline.due_ms + random.randint(0, self._jitter_ms)

    def _rebuild(self) -> None:
        self._heap = [(self._first_ms(turn), next(self._numbers), Shot(turn)) for turn in self]
        heapq.heapify(self._heap)
        self.earlier.set()

    def _drop_waste(self) -> None:
        self._heap = [entry for entry in self._heap if entry[2].deadline in self]
        heapq.heapify(self._heap)
