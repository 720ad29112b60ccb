"""Reading a tail in tests: closed at the end, bounded in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from spielwerk.log.port import Batch, Kind, Tail


@asynccontextmanager
async def following(
    log: Tail, kinds: Sequence[Kind], *, after: int, headers_only: bool
) -> AsyncIterator[AsyncIterator[Batch]]:
    """The tail, closed with the block."""
    tail: Any = log.follow(kinds, after=after, headers_only=headers_only)
    async with aclosing(tail):
        yield tail


async def sequences(tail: AsyncIterator[Batch], number: int, *, within_s: float = 30) -> list[int]:
    """The stream sequences of the next messages, at least so many."""
    seen: list[int] = []
    async with asyncio.timeout(within_s):
        while len(seen) < number:
            seen += [stored.sequence for stored in (await anext(tail)).messages]
    return seen
