"""Keeps the open deadlines up with the log, by its headers alone: hands never come here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import Final, cast

from spielwerk.errors import SpielwerkError
from spielwerk.log.census import Census
from spielwerk.log.port import Batch, Kind, Stored, StreamIdentity, Tail
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk_timer.checkpoint import Checkpoint, Checkpoints, mark_of
from spielwerk_timer.heap import Deadlines

_PAUSE_S: Final = 0.5

_log = get_logger(__name__)

TakeCensus = Callable[[], Awaitable[Census]]


class Misfit(Exception):
    """The checkpoint's record is not in the log: what it says of open turns may be wrong."""


class Follower:
    """Starts at the checkpoint, else with the unfinished matches, and follows for ever."""

    def __init__(
        self,
        tail: Tail,
        census: TakeCensus,
        checkpoints: Checkpoints,
        deadlines: Deadlines,
        metrics: Metrics,
    ) -> None:
        self._tail = tail
        self._census = census
        self._checkpoints = checkpoints
        self._deadlines = deadlines
        self._metrics = metrics
        self._stream: StreamIdentity | None = None
        self._last: Stored | None = None
        self._caught_up = False

    def ready(self) -> bool:
        """Whether all open deadlines are known."""
        return self._caught_up

    async def run(self) -> None:
        """Follow through every loss of the broker."""
        use_checkpoint = True
        while True:
            try:
                await self._follow(use_checkpoint=use_checkpoint)
            except Misfit as misfit:
                _log.warning("checkpoint not used", why=str(misfit))
                use_checkpoint = False
            except SpielwerkError as error:
                _log.warning("log not followed", reason=error.reason, why=error.message)
                use_checkpoint = True
                await asyncio.sleep(_PAUSE_S)
            self._caught_up = False

    async def keep(self, every_s: float) -> None:
        """Keep checkpoints for ever; a quiet log needs no new one."""
        kept: tuple[str, int] | None = None
        while True:
            await asyncio.sleep(every_s)
            stream, last = self._stream, self._last
            if stream is None or last is None or not self._caught_up:
                continue
            place = (stream.created, last.sequence)
            if place != kept and await self._checkpoints.save(self._checkpoint(stream, last)):
                kept = place

    def _checkpoint(self, stream: StreamIdentity, last: Stored) -> Checkpoint:
        deadlines = tuple(self._deadlines)
        return Checkpoint(stream.name, stream.created, last.sequence, mark_of(last), deadlines)

    async def _follow(self, *, use_checkpoint: bool) -> None:
        # The checkpoint first: another instance may keep one of records stored after our look.
        checkpoint = await self._checkpoints.load() if use_checkpoint else None
        self._stream = await self._tail.identity()
        self._last = None
        if checkpoint is not None and not checkpoint.fits(self._stream):
            raise Misfit(f"of another log, at {checkpoint.position}")
        if checkpoint is not None:
            self._deadlines.reset(checkpoint.deadlines)
            await self._read(checkpoint.position - 1, checkpoint.mark)
            return
        census = await self._census()
        self._deadlines.reset(())
        self._fold(census.messages)
        self._last = None  # the census is no stretch of the log
        await self._read(census.position, "")

    async def _read(self, after: int, mark: str) -> None:
        following = self._tail.follow(tuple(Kind), after=after, headers_only=True)
        async with aclosing(cast(AsyncGenerator[Batch, None], following)) as batches:
            async for batch in batches:
                messages = batch.messages
                if mark:
                    if not messages or mark_of(messages[0]) != mark:
                        raise Misfit(f"another record at {after + 1}")
                    mark, messages = "", messages[1:]
                self._fold(messages)
                if batch.caught_up and not self._caught_up:
                    self._caught_up = True
                    _log.info("deadlines known", open=len(self._deadlines))

    def _fold(self, messages: Iterable[Stored]) -> None:
        for message in messages:
            if not self._deadlines.fold(message):
                self._metrics.foreign_messages.inc()
            self._last = message
