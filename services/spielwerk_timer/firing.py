"""Expires turns when their time has come; any number of instances may do the same.

Rules accepts an expiry only while that very turn is open and overdue by the log's clock, so a late,
early or second shot does no harm. A turn that stays open is tried again until the log shows its
end. Of one match, one turn is expired at a time: that often ends the others, too.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import grpc

from spielwerk.api.v1 import match_pb2
from spielwerk.clock import Clock
from spielwerk.errors import SpielwerkError, Unavailable
from spielwerk.rpc.errors import error_of
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import continued
from spielwerk_timer.heap import Deadlines, Shot
from spielwerk_timer.settings import TimerSettings

_LOOK_S: Final = 0.25
"""The broker's clock may be corrected while we wait; so it is asked again at least this often."""
_FIRST_PAUSE_MS: Final = 100
_LONGEST_PAUSE_MS: Final = 2_000
_LONGEST_PAUSE_AFTER_REFUSAL_MS: Final = 60_000
_SHOWN_MS: Final = 2_000
"""How long the log may take to show us the end of a turn that was answered for."""

_CUT_OFF: Final = ("deadline_exceeded", "cancelled")

_log = get_logger(__name__)


class Firing:
    """Watches the deadlines of one stream; `api` is a MatchService stub with the timer's token.

    `known` tells whether all open deadlines are known.
    """

    def __init__(
        self,
        api: Any,
        deadlines: Deadlines,
        clock: Clock,
        settings: TimerSettings,
        metrics: Metrics,
        known: Callable[[], bool] = lambda: True,
    ) -> None:
        self._api = api
        self._known = known
        self._deadlines = deadlines
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._busy: set[str] = set()
        self._free = asyncio.Semaphore(settings.calls_at_once)

    async def run(self) -> None:
        """Fire for ever."""
        async with asyncio.TaskGroup() as calls:
            while True:
                await self._next_time()
                while shot := self._due():
                    match_id = shot.deadline.match_id
                    if match_id in self._busy:
                        self._deadlines.push(shot, self._clock.now_ms() + _FIRST_PAUSE_MS)
                        continue
                    await self._free.acquire()
                    self._busy.add(match_id)
                    calls.create_task(self._fire(shot))

    def _due(self) -> Shot | None:
        """Nothing, while the log is read up: most turns on the way were over long ago."""
        return self._deadlines.pop_due(self._clock.now_ms()) if self._known() else None

    async def _next_time(self) -> None:
        self._deadlines.earlier.clear()
        next_ms = self._deadlines.next_ms()
        wait_s = _LOOK_S
        if next_ms is not None and self._known():
            wait_s = min(_LOOK_S, max(0, next_ms - self._clock.now_ms()) / 1000)
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._deadlines.earlier.wait()

    async def _fire(self, shot: Shot) -> None:
        try:
            with continued(shot.deadline.trace):
                pause_ms = await self._expire(shot)
            again = replace(shot, tries=shot.tries + 1)
            self._deadlines.push(again, self._clock.now_ms() + pause_ms)
        finally:
            self._busy.discard(shot.deadline.match_id)
            self._free.release()

    async def _expire(self, shot: Shot) -> int:
        """One call; returns after how many ms to look again whether the turn is still open."""
        deadline = shot.deadline
        request = match_pb2.ExpireDeadlineRequest(
            match_id=deadline.match_id, seat=deadline.seat, turn_key=deadline.key
        )
        try:
            await self._api.ExpireDeadline(request, timeout=self._settings.call_s)
        except grpc.aio.AioRpcError as failed:
            return self._failed(shot, error_of(failed))
        self._count("expired")
        _log.info("turn expired", match_id=deadline.match_id, seat=deadline.seat)
        late_ms = self._clock.now_ms() - deadline.due_ms
        self._metrics.deadline_lateness.observe(max(0, late_ms) / 1000)
        return _SHOWN_MS

    def _failed(self, shot: Shot, error: SpielwerkError) -> int:
        if error.reason == "stale_turn":
            self._count("stale")
            return _SHOWN_MS
        if error.reason == "not_overdue":
            self._count("stale")
            return max(_FIRST_PAUSE_MS, _left_ms(error))
        self._count("unclear")
        if isinstance(error, Unavailable) or error.reason in _CUT_OFF:
            return _backoff(shot.tries, _LONGEST_PAUSE_MS)
        _log.warning(
            "expiry refused", match_id=shot.deadline.match_id, reason=error.reason, tries=shot.tries
        )
        return _backoff(shot.tries, _LONGEST_PAUSE_AFTER_REFUSAL_MS)

    def _count(self, outcome: str) -> None:
        self._metrics.deadlines_fired.labels(outcome=outcome).inc()


async def measure(
    known: Sequence[Deadlines], clock: Clock, metrics: Metrics, every_s: float = 1.0
) -> None:
    """Report for ever how many turns are open and overdue in all streams."""
    while True:
        now_ms = clock.now_ms()
        metrics.deadlines_open.set(sum(map(len, known)))
        metrics.deadlines_overdue.set(sum(deadlines.overdue(now_ms) for deadlines in known))
        await asyncio.sleep(every_s)


def _left_ms(error: SpielwerkError) -> int:
    """How long rules wants to wait; by its own clock, which is the log's."""
    try:
        return int(error.metadata["due_ms"]) - int(error.metadata["now_ms"])
    except (KeyError, ValueError):
        return _SHOWN_MS


def _backoff(tries: int, longest_ms: int) -> int:
    longest: int = min(longest_ms, _FIRST_PAUSE_MS << min(tries, 20))
    return round(longest * random.uniform(0.5, 1.0))
