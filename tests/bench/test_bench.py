"""The benchmarks run, and what they measure is accepted moves."""

from __future__ import annotations

from bench.cells import LIMIT, WAYS, Cells
from bench.folding import measure_replays
from bench.house import house
from bench.memory import cached, cold_loads
from bench.pieces import split
from bench.tables import open_tables


async def test_every_way_to_play_is_measured_on_accepted_moves() -> None:
    async with house(sync_always=False) as home, home.rules() as rules:
        tables = await open_tables(home, rules, 3)
        before = len(await home.log.read(tables[0].match_id))
        samples = await Cells(home, [rules], 0.1).cell((LIMIT, *WAYS), tables, 1)

        assert set(samples) == {LIMIT, *WAYS}
        for sample in samples.values():
            assert sample.rate > 0
            assert 0 < sample.p50_ms <= sample.p99_ms
        assert len(await home.log.read(tables[0].match_id)) > before + len(WAYS)


async def test_matches_are_read_back_timed_and_weighed() -> None:
    async with house(sync_always=False) as home:
        async with home.rules() as rules:
            tables = await open_tables(home, rules, 2)
            history = await Cells(home, [rules], 0.1).records(tables[0])
            assert len(history) > 0
        ids = [table.match_id for table in tables]
        histories = [await home.log.read(match_id) for match_id in ids]

        assert all(micros > 0 for micros in split(histories[:1]).values())
        assert measure_replays(histories).records == sum(map(len, histories))
        loads = await cold_loads(home, ids)
        assert min(*loads.cold, *loads.warm) > 0
        held = await cached(home, histories[0], 20, lambda _: None)
        assert held.full_mb >= held.empty_mb > 1
