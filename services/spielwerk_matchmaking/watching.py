"""Streams of states: the present one, each change, and the present one again now and then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.signals import Signals

T = TypeVar("T")


class Watching:
    """The open watches of this process."""

    def __init__(self, signals: Signals, settings: MatchmakingSettings) -> None:
        self._signals = signals
        self._settings = settings

    async def follow(
        self,
        thing: tuple[str, str],
        look: Callable[[], Awaitable[T]],
        over: Callable[[T], bool],
    ) -> AsyncGenerator[T, None]:
        """What `look` gives now, at each change of the thing (kind, id), and each `refresh_ms`."""
        last: T | None = None
        with self._signals.listening(*thing) as changed:
            while True:
                woken = changed.is_set()
                changed.clear()
                state = await look()
                if state != last or not woken:
                    yield state
                if over(state):
                    return
                last = state
                await _wait(changed, self._settings.refresh_ms / 1000)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event or the time is over; `wait_for` of 3.11 may swallow a cancellation."""
    with suppress(TimeoutError):
        async with asyncio.timeout(max(seconds, 0)):
            await event.wait()
