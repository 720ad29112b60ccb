"""One cell of the tables: a way to play at some number of matches, as the median of short runs."""

from __future__ import annotations

import os
import statistics
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields

from bench import load
from bench.house import House, Process, RulesProcess
from bench.limit import raw_limit
from bench.load import Run
from bench.tables import Table, prepare
from spielwerk.log.port import Stored

LIMIT, UNARY, PLAY, JOINED = "limit", "Submit", "Play", "Play joined"
WAYS = (UNARY, PLAY, JOINED)
_FIRST_GUESS = 2_000
"""Moves a second that are prepared before a way was ever measured."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a run has cost; microseconds of processor time an accepted command."""

    rate: float
    p50_ms: float
    p99_ms: float
    rules_us: float
    broker_us: float
    clients_us: float


def median(samples: Sequence[Sample]) -> Sample:
    """Of each figure by itself."""
    return Sample(*(statistics.median(getattr(s, f.name) for s in samples) for f in fields(Sample)))


class Cells:
    """Measures on one installation."""

    def __init__(self, house: House, rules: Sequence[RulesProcess], seconds: float) -> None:
        self._house = house
        self._rules = rules
        self._seconds = seconds
        self._rates: dict[tuple[str, int], float] = {}

    async def cell(
        self, ways: Sequence[str], tables: Sequence[Table], repeats: int
    ) -> dict[str, Sample]:
        """All ways in turn, as often as asked: what disturbs the machine disturbs all of them."""
        samples: dict[str, list[Sample]] = {way: [] for way in ways}
        for _ in range(repeats):
            for way in ways:
                samples[way].append(await self._once(way, tables))
        return {way: median(of_way) for way, of_way in samples.items()}

    async def records(self, table: Table) -> Sequence[Stored]:
        """The moves of a match as they are stored; some are played if there are too few."""
        prepare([table], 64)
        await load.play(self._house, self._rules[:1], [table], self._seconds, joined=True)
        return (await self._house.log.read(table.match_id))[3:]

    async def _once(self, way: str, tables: Sequence[Table]) -> Sample:
        house, seconds, key = self._house, self._seconds, (way, len(tables))
        if way == LIMIT:
            records = await self.records(tables[0])
            return await self._costs(lambda: raw_limit(house, records, len(tables), seconds))
        expected = self._rates.get(key, _FIRST_GUESS)
        prepare(tables, int(2 * expected * seconds))
        if way == UNARY:
            sample = await self._costs(lambda: load.unary(house, self._rules, tables, seconds))
        else:
            sample = await self._costs(
                lambda: load.play(house, self._rules, tables, seconds, joined=way == JOINED)
            )
        self._rates[key] = sample.rate
        return sample

    async def _costs(self, start: Callable[[], Awaitable[Run]]) -> Sample:
        groups = (
            [rules.process for rules in self._rules],
            [self._house.broker],
            [Process(os.getpid())],
        )
        before = [sum(process.cpu_s() for process in group) for group in groups]
        run = await start()
        after = [sum(process.cpu_s() for process in group) for group in groups]
        moves = len(run.latencies)
        rules, broker, clients = [(a - b) / moves * 1e6 for a, b in zip(after, before, strict=True)]
        p50, p99 = run.percentile(0.5) * 1e3, run.percentile(0.99) * 1e3
        return Sample(run.rate, p50, p99, rules, broker, clients)
