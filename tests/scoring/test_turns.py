"""Streams that write to the same boards: each gets its turn, and every result counts once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from redis.asyncio import Redis

from spielwerk.log.port import StreamIdentity
from spielwerk.rankings.totals import Entry
from spielwerk_scoring.folding import Folder
from spielwerk_scoring.keys import Generation
from spielwerk_scoring.results import Outcome
from spielwerk_scoring.shadows import Shadows
from spielwerk_scoring.store import Change, Checkpoint, Store

from .scripted import BERLIN, CALENDAR, NOON, RANKINGS, expected, stored_boards

TAGS: Final = (":0", ":1", ":2", ":3")


async def empty_boards(redis: Redis) -> Generation:
    """A generation of several streams."""
    shadows = Shadows(redis, "builder")
    await shadows.take_lease(60_000)
    streams = {tag: StreamIdentity(f"MATCHES{tag}", "2026-11-01", 1, 1) for tag in TAGS}
    generation = await shadows.begin(streams, BERLIN.key)
    assert generation is not None
    return generation


def results(number: int, seed: int) -> tuple[Outcome, ...]:
    """Of few players, who play in all streams."""
    return tuple(_results(number, Random(seed)))


def _results(number: int, chance: Random) -> Iterator[Outcome]:
    for sequence in range(1, number + 1):
        game = chance.choice(sorted(RANKINGS))
        names = chance.sample(["p1", "p2", "p3", "p4", "p5"], 2)
        points = [chance.randint(-50, 100) * 1_000 for _ in names]
        entries = [Entry(game, *seat, 1, NOON) for seat in zip(names, points, strict=True)]
        yield Outcome(game, sequence, "digest", NOON, tuple(entries))


def brought(*streams: Sequence[Outcome]) -> list[Entry]:
    return [entry for stream in streams for outcome in stream for entry in outcome.entries]


class BusyStore(Store):
    """Another stream writes whenever a step takes more than `quick` results' time."""

    def __init__(self, redis: Redis, other: Folder, results: Sequence[Outcome]) -> None:
        super().__init__(redis)
        self.quick = 8
        self.steps: list[int] = []
        self.written: list[Outcome] = []
        self._other = other
        self._results = list(results)

    async def apply(
        self, generation: Generation, seen: Checkpoint, new: Checkpoint, changes: Sequence[Change]
    ) -> bool:
        self.steps.append(new.sequence - seen.sequence)
        if self.steps[-1] > self.quick:
            assert self._results, f"steps of {self.steps} results are never small enough"
            result = self._results.pop(0)
            applied = await self._other.apply([result], after=result.sequence - 1)
            self.written += applied.fresh
        return await super().apply(generation, seen, new, changes)


async def test_a_step_in_whose_midst_others_write_is_halved_and_grows_again(redis: Redis) -> None:
    generation = await empty_boards(redis)
    other = Folder(Store(redis), CALENDAR, generation, ":1")
    busy = BusyStore(redis, other, results(40, seed=2))
    folder = Folder(busy, CALENDAR, generation, ":0")
    ours = results(300, seed=1)

    applied = await folder.apply(ours[:100], after=0)
    assert applied.fresh == ours[:100]
    assert applied.checkpoint.sequence == 100
    assert busy.steps[:8] == [100, 50, 25, 12, 6, 12, 6, 12]
    assert await stored_boards(redis, generation) == expected(brought(ours[:100], busy.written))

    busy.quick, busy.steps = 1_000, []
    applied = await folder.apply(ours[100:], after=100)
    assert applied.fresh == ours[100:]
    assert len(busy.steps) < 8
    assert await stored_boards(redis, generation) == expected(brought(ours, busy.written))


async def test_what_another_process_counted_meanwhile_is_not_counted_again(redis: Redis) -> None:
    """Of the same stream: it is ahead in the midst of our step."""
    generation = await empty_boards(redis)
    ours = results(60, seed=1)
    other = Folder(Store(redis), CALENDAR, generation, ":0")
    busy = BusyStore(redis, other, ours[:10])
    folder = Folder(busy, CALENDAR, generation, ":0")
    applied = await folder.apply(ours, after=0)
    assert busy.written
    assert applied.fresh == tuple(result for result in ours if result not in busy.written)
    assert await stored_boards(redis, generation) == expected(brought(ours))


async def test_sc_01_streams_that_write_at_the_same_time_count_each_result_once(
    redis: Redis,
) -> None:
    """Two processes for each stream, one with large steps and one with small ones."""
    generation = await empty_boards(redis)
    streams = {tag: results(120, seed) for seed, tag in enumerate(TAGS)}

    async def count(tag: str, chunk: int) -> int:
        folder, counted = Folder(Store(redis), CALENDAR, generation, tag), 0
        for start in range(0, 120, chunk):
            applied = await folder.apply(streams[tag][start : start + chunk], after=start)
            counted += len(applied.fresh)
        return counted

    counting = [count(tag, chunk) for tag in TAGS for chunk in (60, 3)]
    assert sum(await asyncio.gather(*counting)) == 480
    assert await stored_boards(redis, generation) == expected(brought(*streams.values()))
