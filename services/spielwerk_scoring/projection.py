"""Keeps the rankings up with the log: each result is counted once, whatever is killed or lost.

The checkpoint is the last counted end of a match. It is written with what it brought, in one step;
after any interruption the projection goes on behind it. If the store is empty, the rankings are
built from the log; if the checkpoint does not fit the log, the service is not ready until they are
rebuilt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import aclosing
from typing import Any, Final

from redis.exceptions import RedisError

from spielwerk.errors import FailedPrecondition, SpielwerkError
from spielwerk.rankings.periods import ALL, Period, PeriodKind
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import continued
from spielwerk_scoring.calendar import Calendar
from spielwerk_scoring.deletions import Deletions
from spielwerk_scoring.folding import Applied, Folder, Moved
from spielwerk_scoring.keys import Generation, board_name
from spielwerk_scoring.reading import Ends, Reader
from spielwerk_scoring.rebuild import Builder
from spielwerk_scoring.results import Outcome
from spielwerk_scoring.store import Checkpoint, Store

_LOOK_S: Final = 1.0
_REPAIR: Final = "spielwerk rankings rebuild"

_log = get_logger(__name__)


class Misfit(Exception):
    """The checkpoint belongs to another log, or to another calendar: a rebuild is needed."""


class Projection:
    """The loop of one process for one stream; any number of them may run beside each other.

    `readers` are those of all streams of the log, this one among them: the first build reads all.
    """

    def __init__(
        self,
        reader: Reader,
        store: Store,
        calendar: Calendar,
        metrics: Metrics,
        *,
        chunk: int = 100,
        look_s: float = _LOOK_S,
        readers: Sequence[Reader] = (),
        deletions: Deletions | None = None,
    ) -> None:
        self._reader = reader
        self._readers = readers or (reader,)
        self._deletions = deletions
        self._store = store
        self._calendar = calendar
        self._metrics = metrics
        self._chunk = chunk
        self._look_s = look_s
        self._told: str | None = None
        self.problem: str | None = "not caught up yet"
        """Why the service is not ready; None while the boards follow the log."""

    def ready(self) -> bool:
        """Whether the boards follow the log."""
        return self.problem is None

    async def run(self) -> None:
        """For ever, through every loss of log and store."""
        while True:
            try:
                await self._follow()
            except Moved:
                _log.info("rankings are continued from another checkpoint")
            except Misfit as misfit:
                await self._pause(f"{misfit}; repair: {_REPAIR}", loud=True)
            except (SpielwerkError, RedisError, OSError) as error:
                await self._pause(f"{type(error).__name__}: {error}", loud=False)

    async def _pause(self, problem: str, *, loud: bool) -> None:
        if problem != self._told:
            (_log.error if loud else _log.warning)("rankings stand still", why=problem)
        self.problem = self._told = problem
        await asyncio.sleep(self._look_s)

    async def _follow(self) -> None:
        generation = await self._store.live()
        if generation is None or await self._lost(generation):
            generation = await self._built()
        checkpoint = await self._store.checkpoint(generation, self._reader.tag)
        if checkpoint is None:
            raise Moved
        await self._require_fit(checkpoint)
        await _first(self._consume(generation, checkpoint), self._look(generation, checkpoint))

    async def _lost(self, generation: Generation) -> bool:
        """Whether what is live has no checkpoint: its boards count for nothing, as if none were.

        A generation that was replaced has none either; so it must be live still, and so after a
        pause, in which another process may have built a new one.
        """
        if not await self._store.lost(generation):
            return False
        await self._pause("the rankings are gone and will be built anew", loud=True)
        return await self._store.lost(generation)

    async def _built(self) -> Generation:
        """The first build; beside another process that does it already, wait for that one."""
        self.problem = "the rankings are being built"
        builder = Builder(self._readers, self._store, self._calendar, self._chunk, self._deletions)
        try:
            return (await builder.build()).generation
        except FailedPrecondition:
            self.problem = "another process builds the rankings"
            await asyncio.sleep(self._look_s)
            raise Moved from None

    async def _consume(self, generation: Generation, checkpoint: Checkpoint) -> None:
        folder = Folder(self._store, self._calendar, generation, self._reader.tag)
        last = checkpoint.sequence
        start = max(0, last - 1)
        async with aclosing(self._reader.follow(start, self._chunk)) as parts:
            first = True
            async for ends in parts:
                if first and last:
                    _require_record(checkpoint, ends)
                first = False
                last = await self._count(folder, ends.outcomes, last)
                if ends.caught_up:
                    self._caught_up()

    async def _count(self, folder: Folder, outcomes: tuple[Outcome, ...], last: int) -> int:
        """Apply; returns the sequence of the last end that was seen."""
        if not outcomes:
            return last
        applied = await folder.apply(outcomes, after=last)
        self._measure(outcomes, applied)
        games = sorted({outcome.game for outcome in applied.fresh})
        boards = [board_name(game, Period(PeriodKind.ALL_TIME, ALL)) for game in games]
        numbers = await self._store.players(folder.generation, boards)
        for game, players in zip(games, numbers, strict=False):
            self._metrics.ranked_players.labels(game=game).set(players)
        return outcomes[-1].sequence

    def _measure(self, outcomes: tuple[Outcome, ...], applied: Applied) -> None:
        fresh = {outcome.sequence for outcome in applied.fresh}
        for outcome in outcomes:
            kind = "applied" if outcome.entries else "unrated"
            kind = kind if outcome.sequence in fresh else "repeated"
            self._metrics.results.labels(game=outcome.game, outcome=kind).inc()
            if kind != "repeated":
                with continued(outcome.trace):
                    about = {"match_id": outcome.match_id, "game": outcome.game}
                    _log.info(f"result {kind}", **about, entries=len(outcome.entries))

    def _caught_up(self) -> None:
        if self.problem is not None:
            _log.info("rankings follow the log")
        self.problem = self._told = None

    async def _require_fit(self, checkpoint: Checkpoint) -> None:
        """Raises Misfit unless the log is the one that was counted, and the calendar the same."""
        zone = self._calendar.zone.key
        if checkpoint.zone != zone:
            raise Misfit(f"the rankings were made for the zone {checkpoint.zone}, not {zone}")
        identity = await self._reader.log.identity()
        if (identity.name, identity.created) != (checkpoint.stream, checkpoint.created):
            raise Misfit("the log is another stream than the one that was counted")
        if identity.last_sequence < checkpoint.sequence:
            raise Misfit(f"the log ends at {identity.last_sequence}, before what was counted")

    async def _look(self, generation: Generation, checkpoint: Checkpoint) -> None:
        """Notices without any result that the store was wiped or the log replaced."""
        while True:
            await asyncio.sleep(self._look_s)
            now = await self._store.checkpoint(generation, self._reader.tag)
            if now is None or now.sequence < checkpoint.sequence:
                raise Moved
            if await self._store.live() != generation:
                raise Moved
            await self._require_fit(now)
            checkpoint = now


def _require_record(checkpoint: Checkpoint, ends: Ends) -> None:
    """The checkpoint's own record is read again: a log restored from a backup has another one."""
    found = ends.outcomes[0] if ends.outcomes else None
    if found is None or (found.sequence, found.digest) != (checkpoint.sequence, checkpoint.digest):
        raise Misfit(f"the log has no longer the result that was counted at {checkpoint.sequence}")


async def _first(*running: Coroutine[Any, Any, None]) -> None:
    """Run all until one fails, end the others, and raise its error."""
    tasks = [asyncio.create_task(coroutine) for coroutine in running]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
