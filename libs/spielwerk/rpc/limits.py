"""Limits of each caller: calls a second, commands a second on Play streams, open streams."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from spielwerk.errors import ResourceExhausted
from spielwerk.rpc.auth import PUBLIC, Caller, current_caller, roles_of
from spielwerk.rpc.handlers import Behaviour, Context, Layer, Method
from spielwerk.rpc.peers import address_of
from spielwerk.rpc.settings import RpcSettings
from spielwerk.telemetry.metrics import Metrics

_LIMITED: Final = "player"
"""The role of those whom nobody has chosen; services, auditors and operators have no limits."""
_HEALTH: Final = "/grpc.health.v1.Health/"
_STREAM_RETRY_S: Final = 1.0
_REMEMBERED: Final = 100_000

Monotonic = Callable[[], float]


class Rates:
    """For each caller a reserve of `burst`, refilled with `per_s` a second.

    What is kept of a caller is the moment at which its reserve is full again; once that is past
    there is nothing to remember. So the table holds those who called in the last burst / per_s
    seconds, and never more than `most`.
    """

    def __init__(self, per_s: float, burst: int, clock: Monotonic, most: int = _REMEMBERED) -> None:
        self._one_s = 1 / per_s
        self._all_s = burst / per_s
        self._clock = clock
        self._most = most
        self._full_at: OrderedDict[str, float] = OrderedDict()

    @property
    def remembered(self) -> int:
        """How many callers are in the table."""
        return len(self._full_at)

    def take(self, who: str) -> float:
        """Count one, 0.0; or count nothing and say in how many seconds one is free."""
        now = self._clock()
        self._forget(now)
        full_at = max(self._full_at.get(who, now), now) + self._one_s
        wait_s = full_at - now - self._all_s
        # The clock's last digits must not make a caller wait that has waited as it was told.
        if wait_s > 1e-6:
            return wait_s
        self._full_at[who] = full_at
        self._full_at.move_to_end(who)
        return 0.0

    def _forget(self, now: float) -> None:
        """Drop the longest silent: two for each that may come, as far as they are full again."""
        for _ in range(2):
            oldest = next(iter(self._full_at), None)
            if oldest is None:
                return
            if self._full_at[oldest] > now and len(self._full_at) < self._most:
                return
            del self._full_at[oldest]


class Limits:
    """What one process allows each caller: a player by its subject, the public by its address."""

    def __init__(
        self, settings: RpcSettings, metrics: Metrics, clock: Monotonic = time.monotonic
    ) -> None:
        calls, commands = settings.calls_per_s, settings.commands_per_s
        self._calls = Rates(calls, settings.calls_burst, clock) if calls else None
        self._commands = Rates(commands, settings.commands_burst, clock) if commands else None
        self._most_streams = settings.streams_per_caller
        self._streams: Counter[str] = Counter()
        self._held_back = metrics.limited.labels(reason="held_back")

    def layer(self) -> Layer:
        """Refuses with RESOURCE_EXHAUSTED `too_many_calls` or `too_many_streams` and RetryInfo.

        Belongs inside the layer that checks tokens. Health checks are not counted as calls: a
        load balancer has the address of all whom it lets in.
        """

        def layer(method: Method, behaviour: Behaviour) -> Behaviour:
            rated = not method.name.startswith(_HEALTH)
            who_calls = _address if roles_of(method.name) == PUBLIC else _subject

            async def limited(request: Any, context: Context) -> Any:
                who = who_calls(context)
                if who is None:
                    return await behaviour(request, context)
                if rated:
                    self._count_call(who)
                if not method.streams:
                    return await behaviour(request, context)
                with self._open_stream(who):
                    return await behaviour(request, context)

            return limited

        return layer

    async def hold_back(self, caller: Caller) -> None:
        """Wait until the caller may send one more command on its Play streams; counts it."""
        if self._commands is None or caller.role != _LIMITED:
            return
        wait_s = self._commands.take(caller.subject)
        if not wait_s:
            return
        self._held_back.inc()
        while wait_s:
            await asyncio.sleep(wait_s)
            wait_s = self._commands.take(caller.subject)

    def _count_call(self, who: str) -> None:
        wait_s = 0.0 if self._calls is None else self._calls.take(who)
        if wait_s:
            raise ResourceExhausted("too_many_calls", "call less often", retry_after=wait_s)

    @contextmanager
    def _open_stream(self, who: str) -> Iterator[None]:
        if self._most_streams and self._streams[who] >= self._most_streams:
            raise ResourceExhausted(
                "too_many_streams",
                "close another stream first",
                retry_after=_STREAM_RETRY_S,
                limit=str(self._most_streams),
            )
        self._streams[who] += 1
        try:
            yield
        finally:
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]


def _subject(_context: Context) -> str | None:
    caller = current_caller()
    return f"subject {caller.subject}" if caller.role == _LIMITED else None


def _address(context: Context) -> str | None:
    return f"address {address_of(context.peer())}"
