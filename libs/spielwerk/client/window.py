"""Keeps commands repeatable: a server remembers only the last ones of a seat.

command   1   2   3  ...  16 | 17     17 waits until 1 is answered, even if all others are:
answered  -   x   x        x |        it may push 1 out of what is remembered, and a repeat of 1
                                      would be played again
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from spielwerk.match.model import RECEIPTS


class Window:
    """The commands of one match from its oldest one without an answer on."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        """Held from waiting for room to `add`: first come, first served."""
        self._answers: deque[asyncio.Future[Any]] = deque()

    async def room(self) -> None:
        """Wait until one more command leaves all that are open repeatable."""
        self._drop_answered()
        while len(self._answers) >= RECEIPTS:
            await asyncio.wait({self._answers[0]})
            self._drop_answered()

    def add(self, answer: asyncio.Future[Any]) -> None:
        """One more command is under way."""
        self._answers.append(answer)

    def _drop_answered(self) -> None:
        while self._answers and self._answers[0].done():
            self._answers.popleft()
