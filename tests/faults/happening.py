"""Makes the faults of a schedule happen, and notes when, and with how many commands under way."""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from faults.installation import Installation
from faults.proxy import is_append_answer, is_clock_answer, is_clock_question
from faults.schedule import BROKER, STORE, Fault, Kind

_UNDER_WAY_S: Final = 5.0
_POLL_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class Happened:
    """A fault that was; times by the monotonic clock, `_ms` by the broker's."""

    fault: Fault
    under_way: int
    began_at: float
    ended_at: float
    began_ms: int
    ended_ms: int


@dataclass
class Faults:
    """Brings the schedule about; `under_way` counts commands without an answer."""

    installation: Installation
    under_way: Callable[[], int]
    tell: Callable[[str], None]
    happened: list[Happened] = field(default_factory=list)
    _locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def run(self, schedule: Sequence[Fault]) -> None:
        """All of them, each at its time; at the end everything is well again."""
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for fault in schedule:
                group.create_task(self._one(fault, began))

    async def _one(self, fault: Fault, began: float) -> None:
        await asyncio.sleep(began + fault.at_s - time.monotonic())
        async with self._locks[fault.target]:
            under_way = await self._until_under_way()
            began_at, began_ms = time.monotonic(), _now_ms()
            self.tell(
                f"{began_at - began:6.1f} s  {fault.kind} {fault.target} "
                f"for {fault.lasts_s:.1f} s, {under_way} under way"
            )
            async with _MAKING[fault.kind](self.installation, fault):
                await asyncio.sleep(fault.lasts_s)
            self.happened.append(
                Happened(fault, under_way, began_at, time.monotonic(), began_ms, _now_ms())
            )

    async def _until_under_way(self) -> int:
        """Wait, for a moment, until a command is under way; how many are."""
        until = time.monotonic() + _UNDER_WAY_S
        while not self.under_way() and time.monotonic() < until:
            await asyncio.sleep(_POLL_S)
        return self.under_way()


class Freezing(Protocol):
    """A process that can be stopped for a while."""

    def freeze(self) -> None: ...

    def thaw(self) -> None: ...


Making = Callable[[Installation, Fault], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def _killed(installation: Installation, fault: Fault) -> AsyncIterator[None]:
    service = installation.services[fault.target]
    await service.kill()
    try:
        yield
    finally:
        await service.start()


@asynccontextmanager
async def _ended(installation: Installation, fault: Fault) -> AsyncIterator[None]:
    service = installation.services[fault.target]
    await service.stop()
    try:
        yield
    finally:
        await service.start()


@asynccontextmanager
async def _frozen(installation: Installation, fault: Fault) -> AsyncIterator[None]:
    servers: dict[str, Freezing] = {BROKER: installation.nats, STORE: installation.redis}
    process = servers.get(fault.target) or installation.services[fault.target]
    process.freeze()
    try:
        yield
    finally:
        process.thaw()


@asynccontextmanager
async def _server_down(installation: Installation, fault: Fault) -> AsyncIterator[None]:
    server = installation.nats if fault.target == BROKER else installation.redis
    if fault.kind is Kind.BROKER_TERM:
        await server.stop()
    else:
        server.kill()
    if fault.kind is Kind.STORE_LOSS:
        installation.redis.lose()
    try:
        yield
    finally:
        await server.start()


@asynccontextmanager
async def _on_the_way(installation: Installation, fault: Fault) -> AsyncIterator[None]:
    link = installation.links[fault.target]
    one_way = link.answers if fault.amount else link.requests
    match fault.kind:
        case Kind.DELAY:
            link.requests.delay_s = link.answers.delay_s = fault.amount / 2
        case Kind.CUT:
            link.refusing = True
            link.cut()
        case Kind.STALL:
            link.stall()
        case Kind.ONE_WAY:
            one_way.stall()
        case Kind.LOST_ACKS:
            rng = random.Random(fault.at_s)
            share = fault.amount
            link.answers.drop = lambda m: is_append_answer(m) and rng.random() < share
    try:
        yield
    finally:
        link.resume()


@asynccontextmanager
async def _wrong_clock(installation: Installation, fault: Fault) -> AsyncIterator[None]:
    """What a process takes for half of a round trip is all of one way: its clock is off by half of
    the delay, as far as it says itself that it may be. A new connection makes it measure."""
    link = installation.links[fault.target]
    held = 2 * fault.amount
    if fault.kind is Kind.CLOCK_SLOW:
        link.answers.hold_s = lambda m: held if is_clock_answer(m) else 0.0
    else:
        link.requests.hold_s = lambda m: held if is_clock_question(m) else 0.0
    link.cut()
    try:
        yield
    finally:
        link.resume()
        link.cut()


def _now_ms() -> int:
    """The broker's clock: it runs on this machine."""
    return int(time.time() * 1000)


_MAKING: Final[Mapping[Kind, Making]] = {
    Kind.KILL: _killed,
    Kind.TERM: _ended,
    Kind.FREEZE: _frozen,
    Kind.BROKER_KILL: _server_down,
    Kind.BROKER_TERM: _server_down,
    Kind.BROKER_FREEZE: _frozen,
    Kind.STORE_KILL: _server_down,
    Kind.STORE_FREEZE: _frozen,
    Kind.STORE_LOSS: _server_down,
    Kind.DELAY: _on_the_way,
    Kind.CUT: _on_the_way,
    Kind.STALL: _on_the_way,
    Kind.ONE_WAY: _on_the_way,
    Kind.LOST_ACKS: _on_the_way,
    Kind.CLOCK_FAST: _wrong_clock,
    Kind.CLOCK_SLOW: _wrong_clock,
}
