"""Follows openings and ends of matches in the log; writes what they mean with the checkpoint."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

import structlog

from spielwerk.clock import Clock
from spielwerk.errors import SpielwerkError, Unavailable
from spielwerk.log.headers import read_headers, trace_of
from spielwerk.log.port import Batch, Kind, Stored, StreamIdentity, Tail
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import continued
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.facts import Fact, facts_of
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store

_KINDS: Final = (Kind.OPEN, Kind.END)
_AT_ONCE: Final = 200
_REPAIR: Final = "spielwerk repair"
_log = structlog.get_logger()


class ForeignCheckpoint(Unavailable):
    """The checkpoint is of another stream, from beyond its end, or of a message that is not there
    any more: one of the two was lost."""

    def __init__(self, why: str) -> None:
        super().__init__("checkpoint_does_not_fit", f"{why}; repair: {_REPAIR}")


class Follower:
    """The only writer of what is known from one stream; any number may run beside each other.

    `tag` is the stream's among the `tags` of all; `folded` is notified of everything that was read.
    """

    def __init__(
        self,
        store: Store,
        tail: Tail,
        clock: Clock,
        settings: MatchmakingSettings,
        metrics: Metrics,
        folded: asyncio.Condition,
        *,
        tag: str,
        tags: Sequence[str],
    ) -> None:
        self._store = store
        self._tail = tail
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._folded = folded
        self._tag = tag
        self._tags = json.dumps(tags)
        self.unsettled = asyncio.Event()
        """Set by those who find the store restarted: reading begins anew."""
        self.ready = False
        """Whether players may be paired: the log is read to its end."""

    async def run(self) -> None:
        """Follow for ever, over restarts of store and broker."""
        while True:
            try:
                try:
                    await self._follow()
                finally:
                    self.ready = False
            except ForeignCheckpoint as error:
                _log.error("checkpoint_does_not_fit", why=error.message)
                await asyncio.sleep(2)
            except SpielwerkError as error:
                _log.warning("log_not_followed", reason=error.reason)
                await asyncio.sleep(random.uniform(0.2, 0.6))

    async def _follow(self) -> None:
        """Read from the checkpoint on until the store says that reading must begin anew."""
        self.unsettled.clear()
        position, mark = await self._resume()
        after = _sequence_in(mark) - 1 if mark else position
        follow: Any = self._tail.follow(_KINDS, after=after, headers_only=False)
        async with aclosing(follow) as tail:
            while True:
                batch = await self._next(tail)
                if batch is not None and mark:
                    batch, mark = _without_marked(batch, mark), ""
                if batch is None or not await self._fold(position, batch):
                    return
                position = batch.position
                if batch.caught_up:
                    self.ready = True

    async def _resume(self) -> tuple[int, str]:
        """The position to go on behind, and what tells whether its message is still the same."""
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
                self._tag,
            ),
        )
        if answer[0] == "foreign":
            raise _foreign(stream, *answer[1:])
        position = int(answer[1])
        if position > stream.last_sequence:
            # Another instance may have read a record that was stored after our look: look again.
            later = await self._tail.identity()
            if later.created != stream.created or position > later.last_sequence:
                raise _foreign(later, stream.name, stream.created, position)
        wait_ms = int(answer[2]) - now
        if wait_ms > 0:
            _log.info("store_restarted", settling_ms=wait_ms)
            await asyncio.sleep(wait_ms / 1000)
        return position, str(answer[3])

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
        mark = mark_of(messages[-1]) if messages else ""
        word, wait_ms = await self._stored(facts, before, after, mark, end=end)
        while word == "early":
            await asyncio.sleep(wait_ms / 1000)
            word, wait_ms = await self._stored((), after, after, "", end=end)
        if word != "ok":
            _log.info("reading_begins_anew", why=word)
        return bool(word == "ok")

    async def _stored(
        self, facts: Sequence[Fact], before: int, after: int, mark: str, *, end: bool
    ) -> tuple[str, int]:
        word, wait_ms = await self._store.run(
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
                mark,
                self._tag,
                self._tags,
            ),
        )
        return str(word), int(wait_ms)

    def _facts(self, message: Stored) -> tuple[Fact, ...]:
        facts = facts_of(message)
        with continued(trace_of(message.headers)):
            if facts is None:
                self._metrics.foreign_messages.inc()
                _log.warning("foreign_message", subject=message.subject, sequence=message.sequence)
            elif self.ready:
                _log.info("record read", subject=message.subject, sequence=message.sequence)
        return facts or ()


def _foreign(
    log: StreamIdentity, name: str, created: str, position: int | str
) -> ForeignCheckpoint:
    return ForeignCheckpoint(
        f"the store's checkpoint is {name} of {created} at {position}, the log is "
        f"{log.name} of {log.created} with records up to {log.last_sequence}"
    )


def mark_of(message: Stored) -> str:
    """What tells a message from another one that has its position in a log that was set back."""
    headers = read_headers(message.headers)
    return f"{message.sequence} {message.subject} {headers.recorded_at_ms if headers else 0}"


def _sequence_in(mark: str) -> int:
    return int(mark.partition(" ")[0])


def _without_marked(batch: Batch, mark: str) -> Batch:
    """The first batch without the message that was read before; ForeignCheckpoint if it is not
    there."""
    if not batch.messages or mark_of(batch.messages[0]) != mark:
        raise ForeignCheckpoint(f"the log has no longer the message that was read: {mark}")
    return replace(batch, messages=batch.messages[1:])
