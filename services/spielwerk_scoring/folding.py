"""Adds outcomes to a generation: reads totals, computes new ones, writes if nobody else did."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from spielwerk.errors import Unavailable
from spielwerk.rankings import order
from spielwerk.rankings.periods import periods_at
from spielwerk.rankings.totals import Entry, Total, add
from spielwerk_scoring.calendar import Calendar
from spielwerk_scoring.keys import Generation, board_name, game_of
from spielwerk_scoring.results import Outcome
from spielwerk_scoring.store import Change, Checkpoint, Place, Snapshot, Store

_NOTHING: Final = Total(0, 0)
_LARGEST: Final = 1_000
_PAUSE_S: Final = 0.005


class Moved(Exception):
    """The generation is gone, or stands before what this process has read: begin again from it."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The new checkpoint, and which outcomes were not counted before."""

    checkpoint: Checkpoint
    fresh: tuple[Outcome, ...] = ()


class Folder:
    """Applies outcomes of one stream to one generation, each of them once, also beside others.

    The larger a step, the longer it takes, and the likelier is a write of another stream in its
    midst, which makes it void. So a void step is halved, and each that succeeds may be doubled:
    many writers get their turns instead of computing the same large steps in vain.
    """

    def __init__(
        self, store: Store, calendar: Calendar, generation: Generation, tag: str = ""
    ) -> None:
        self._store = store
        self._calendar = calendar
        self._tag = tag
        self._size = _LARGEST
        self.generation = generation

    async def apply(self, outcomes: Sequence[Outcome], *, after: int) -> Applied:
        """Count what was not counted before, of outcomes in stream order.

        `after`: sequence of the end before the first of them. Raises Moved if the store stands
        before that one, and Unavailable (game_unknown) for a game that this process does not know.
        """
        counted: tuple[Outcome, ...] = ()
        while True:
            part = outcomes[: self._size]
            applied = await self._applied(part, after)
            if applied is None:
                self._size = max(1, len(part) // 2)
                await asyncio.sleep(random.uniform(0, _PAUSE_S))
                continue
            if applied.fresh and len(part) == self._size:
                self._size = min(2 * self._size, _LARGEST)
            counted += applied.fresh
            after = applied.checkpoint.sequence
            outcomes = [outcome for outcome in outcomes if outcome.sequence > after]
            if not outcomes:
                return Applied(applied.checkpoint, counted)

    async def _applied(self, outcomes: Sequence[Outcome], after: int) -> Applied | None:
        """One step of `apply`; None if somebody else wrote in its midst."""
        places = self._places(outcomes)
        snapshot = await self._store.read(self.generation, places, self._tag)
        seen = snapshot.checkpoint
        if seen is None or seen.sequence < after:
            raise Moved
        fresh = tuple(outcome for outcome in outcomes if outcome.sequence > seen.sequence)
        if not fresh:
            return Applied(seen)
        new = _after(seen, fresh[-1])
        changes = tuple(self._changes(snapshot, fresh))
        written = await self._store.apply(self.generation, seen, new, changes)
        return Applied(new, fresh) if written else None

    def _places(self, outcomes: Iterable[Outcome]) -> set[Place]:
        entries = (entry for outcome in outcomes for entry in outcome.entries)
        return {place for entry in entries for place in self._places_of(entry)}

    def _places_of(self, entry: Entry) -> Iterator[Place]:
        if entry.game not in self._calendar.rankings:
            raise Unavailable("game_unknown", f"no ranking for {entry.game!r}", game=entry.game)
        for period in periods_at(entry.ended_at_ms, self._calendar.zone):
            yield board_name(entry.game, period), entry.player_id

    def _changes(self, snapshot: Snapshot, outcomes: Iterable[Outcome]) -> Iterator[Change]:
        totals: dict[Place, Total] = {}
        for entry in (entry for outcome in outcomes for entry in outcome.entries):
            if entry.player_id in snapshot.forgotten:
                continue
            aggregate = self._calendar.rankings[entry.game].aggregate
            for place in self._places_of(entry):
                before = totals.get(place) or snapshot.totals.get(place)
                totals[place] = add(before, entry, aggregate)
        for place, total in sorted(totals.items()):
            old = self._member(place, snapshot.totals.get(place, _NOTHING))
            yield Change(*place, old, self._member(place, total), total.write())

    def _member(self, place: Place, total: Total) -> str:
        board, player_id = place
        if not total.games:
            return ""
        return order.member(self._calendar.rankings[game_of(board)], total, player_id)


def _after(seen: Checkpoint, outcome: Outcome) -> Checkpoint:
    return replace(
        seen,
        sequence=outcome.sequence,
        digest=outcome.digest,
        ended_at_ms=outcome.ended_at_ms,
        revision=seen.revision + 1,
    )
