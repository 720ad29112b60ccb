"""Limits of each caller: calls a second, commands a second on Play streams, open streams."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from spielwerk.errors import ResourceExhausted
from spielwerk.rpc.auth import PUBLIC, Caller, current_caller, roles_of
from spielwerk.rpc.costs import cost_of
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
        self._burst = burst
        self._one_s = 1 / per_s
        self._all_s = burst / per_s
        self._clock = clock
        self._most = most
        self._full_at: OrderedDict[str, float] = OrderedDict()

    @property
    def remembered(self) -> int:
        """How many callers are in the table."""
        return len(self._full_at)

    def take(self, who: str, cost: int = 1) -> float:
        """Count `cost`, 0.0; or count nothing and say in how many seconds so much is free.

        What costs more than the reserve holds takes all of it.
        """
        now = self._clock()
        self._forget(now)
        spent_s = min(cost, self._burst) * self._one_s
        full_at = max(self._full_at.get(who, now), now) + spent_s
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
        load balancer has the address of all whom it lets in. Where the public sends a stream, each
        of its messages counts; what players send on theirs, `hold_back` counts.
        """

        def layer(method: Method, behaviour: Behaviour) -> Behaviour:
            rated = not method.name.startswith(_HEALTH)
            public = roles_of(method.name) == PUBLIC
            who_calls = _address if public else _subject
            cost = cost_of(method.name)

            async def limited(request: Any, context: Context) -> Any:
                who = who_calls(context)
                if who is None:
                    return await behaviour(request, context)
                if rated:
                    self._count_call(who, cost)
                if public and method.takes_stream:
                    request = self._each_counted(request, who)
                if not method.streams:
                    return await behaviour(request, context)
                with self._open_stream(who):
                    return await behaviour(request, context)

            return limited

        return layer

    def count_refused(self, context: Context, caller: Caller | None) -> None:
        """Count a call whose token or role was refused; raises `too_many_calls` as for others.

        It counts for the player whose token it is, else for its address. Nobody's good token is
        refused for that: a player's calls count for the player alone.
        """
        self._count_call((_named(caller) if caller else None) or _address(context))

    async def hold_back(self, caller: Caller, cost: int = 1) -> None:
        """Wait until the caller may send so much more on its Play streams; counts it."""
        if self._commands is None or caller.role != _LIMITED:
            return
        wait_s = self._commands.take(caller.subject, cost)
        if not wait_s:
            return
        self._held_back.inc()
        while wait_s:
            await asyncio.sleep(wait_s)
            wait_s = self._commands.take(caller.subject, cost)

    async def _each_counted(self, requests: AsyncIterator[Any], who: str) -> AsyncIterator[Any]:
        async for request in requests:
            self._count_call(who)
            yield request

    def _count_call(self, who: str, cost: int = 1) -> None:
        wait_s = 0.0 if self._calls is None else self._calls.take(who, cost)
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
    return _named(current_caller())


def _named(caller: Caller) -> str | None:
    return f"subject {caller.subject}" if caller.role == _LIMITED else None


def _address(context: Context) -> str:
    return f"address {address_of(context.peer())}"
