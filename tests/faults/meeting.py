"""Where the clients of one run find each other, and learn that it is over."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from faults.quick_games import QUICK, players_of

_COMPANY: Final = 0.8
_PUBLIC: Final = 20

Line = tuple[str, int]
"""A queue: game and players."""


@dataclass
class Meeting:
    """What clients tell each other outside the product."""

    waiting: Counter[Line] = field(default_factory=Counter)
    rooms: list[str] = field(default_factory=list)
    """Codes of rooms with a free seat, one entry a seat."""
    public: list[str] = field(default_factory=list)
    """The latest matches that anyone may watch."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """No new matches; those that run are to end."""

    def line(self, rng: random.Random) -> Line:
        """A queue where somebody waits, or another one."""
        joined = [line for line, count in self.waiting.items() if count]
        if joined and rng.random() < _COMPANY:
            return rng.choice(joined)
        game = rng.choice(list(QUICK))
        return game, max(2, players_of(game, rng))

    @contextmanager
    def in_line(self, line: Line) -> Iterator[None]:
        """Be counted there."""
        self.waiting[line] += 1
        try:
            yield
        finally:
            self.waiting[line] -= 1

    def publish(self, match_id: str) -> None:
        """Anyone may watch this."""
        self.public.append(match_id)
        del self.public[:-_PUBLIC]
