"""Follows openings and ends of matches in the log; writes what they mean with the checkpoint."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final

import structlog

from spielwerk.clock import Clock
from spielwerk.errors import SpielwerkError, Unavailable
from spielwerk.log.port import Batch, Kind, Stored, StreamIdentity, Tail
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.facts import Fact, facts_of
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store

_KINDS: Final = (Kind.OPEN, Kind.END)
_AT_ONCE: Final = 200
_log = structlog.get_logger()


class ForeignCheckpoint(Unavailable):
    """The checkpoint is of another stream, or from beyond its end: one of the two was lost."""

    def __init__(self, known: Sequence[str], stream: StreamIdentity) -> None:
        super().__init__(
            "checkpoint_does_not_fit",
            f"the store's checkpoint is {known[0]} of {known[1]} at {known[2]}, the log is "
            f"{stream.name} of {stream.created} with records up to {stream.last_sequence}",
        )


class Follower:
    """The only writer of what is known from the log; any number may run beside each other."""

    def __init__(
        self,
        store: Store,
        tail: Tail,
        clock: Clock,
        settings: MatchmakingSettings,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._tail = tail
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._folded = asyncio.Condition()
        self.unsettled = asyncio.Event()
        """Set by those who find the store restarted: reading begins anew."""
        self.ready = False
        """Whether players may be paired: the log is read to its end."""

    async def run(self) -> None:
        """Follow for ever, over restarts of store and broker."""
        while True:
            try:
                await self._follow()
            except ForeignCheckpoint as error:
                _log.error("checkpoint_does_not_fit", why=error.message)
                await asyncio.sleep(2)
            except SpielwerkError as error:
                _log.warning("log_not_followed", reason=error.reason)
                await asyncio.sleep(random.uniform(0.2, 0.6))
            self.ready = False

    async def wait_until(self, holds: Callable[[], Awaitable[bool]], patience_ms: int) -> bool:
        """Look now and whenever something was read from the log; False when it takes too long."""
        try:
            async with asyncio.timeout(patience_ms / 1000), self._folded:
                while not await holds():
                    await self._folded.wait()
        except TimeoutError:
            return False
        return True

    async def _follow(self) -> None:
        """Read from the checkpoint on until the store says that reading must begin anew."""
        self.unsettled.clear()
        position = await self._resume()
        follow: Any = self._tail.follow(_KINDS, after=position, headers_only=False)
        async with aclosing(follow) as tail:
            while True:
                batch = await self._next(tail)
                if batch is None or not await self._fold(position, batch):
                    return
                position = batch.position
                if batch.caught_up:
                    self.ready = True

    async def _resume(self) -> int:
        stream = await self._tail.identity()
        now = self._clock.now_ms()
        answer = await self._store.run(
            "resume",
            (keys.CHECKPOINT,),
            (
                stream.name,
                stream.created,
                stream.last_sequence,
                now,
                self._settings.settle_ms,
            ),
        )
        if answer[0] == "foreign":
            raise ForeignCheckpoint(answer[1:], stream)
        wait_ms = int(answer[2]) - now
        if wait_ms > 0:
            _log.info("store_restarted", settling_ms=wait_ms)
            await asyncio.sleep(wait_ms / 1000)
        return int(answer[1])

    async def _next(self, tail: AsyncIterator[Batch]) -> Batch | None:
        """The next batch; None when the store was found restarted meanwhile."""
        batch = asyncio.ensure_future(anext(tail))
        restarted = asyncio.ensure_future(self.unsettled.wait())
        try:
            await asyncio.wait({batch, restarted}, return_when=asyncio.FIRST_COMPLETED)
            return None if restarted.done() else batch.result()
        finally:
            for task in (batch, restarted):
                task.cancel()
            await asyncio.wait({batch, restarted})

    async def _fold(self, position: int, batch: Batch) -> bool:
        """Write a batch in steps; False if reading must begin anew."""
        parts = [
            batch.messages[start : start + _AT_ONCE]
            for start in range(0, len(batch.messages), _AT_ONCE)
        ] or [()]
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            after = batch.position if last else part[-1].sequence
            if not await self._write(part, position, after, end=last and batch.caught_up):
                return False
            position = after
        async with self._folded:
            self._folded.notify_all()
        return True

    async def _write(
        self, messages: Sequence[Stored], before: int, after: int, *, end: bool
    ) -> bool:
        facts = [fact for message in messages for fact in self._facts(message)]
        word = await self._store.run(
            "fold",
            (
                *keys.TICKET_KEYS,
                keys.RUNNING,
                keys.MATCHES,
                *(keys.ended(fact.rematch) for fact in facts if fact.rematch),
            ),
            (
                self._clock.now_ms(),
                before,
                after,
                "1" if end else "",
                self._settings.rematch_ms,
                json.dumps([fact.stored for fact in facts]),
            ),
        )
        if word != "ok":
            _log.info("reading_begins_anew", why=word)
        return bool(word == "ok")

    def _facts(self, message: Stored) -> tuple[Fact, ...]:
        facts = facts_of(message)
        if facts is None:
            self._metrics.foreign_messages.inc()
            _log.warning("foreign_message", subject=message.subject, sequence=message.sequence)
        return facts or ()
