"""Work beside its caller: loops as long as a block runs, and steps that no cancellation breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")
_under_way: set[asyncio.Future[Any]] = set()
"""The event loop itself keeps only weak references."""


@asynccontextmanager
async def running(*loops: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run endless loops while inside; an error of one of them is raised from the block."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(loop) for loop in loops]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
    except BaseExceptionGroup as failures:
        if len(failures.exceptions) > 1:
            raise
        raise failures.exceptions[0] from None


async def to_the_end(work: Awaitable[T]) -> T:
    """Its result; a caller that is cancelled leaves it running, and its error to nobody."""
    task = asyncio.ensure_future(work)
    _under_way.add(task)
    task.add_done_callback(_ended)
    return await asyncio.shield(task)


def _ended(task: asyncio.Future[Any]) -> None:
    _under_way.discard(task)
    if not task.cancelled():
        task.exception()  # looked at: else asyncio reports it as never retrieved
