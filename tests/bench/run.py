"""Benchmarks of the rules service on a real broker: `PYTHONPATH=tests python -m bench.run`.

Clients, broker and rules share this machine, so only ratios and processor time a move compare
between machines; the limit is what the same broker takes from one process in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import uvloop
from rich.console import Console

from bench import report
from bench.cells import JOINED, LIMIT, UNARY, WAYS, Cells, Sample, median
from bench.folding import measure_replays
from bench.house import House, RulesProcess, house
from bench.load import play
from bench.memory import RECORDS, cached, cold_loads
from bench.pieces import split
from bench.tables import open_tables
from bench.timer_start import bench_start

_SCALED = 64
"""Matches at which one rules process is compared with two."""
_LONG = 200
"""Records of the matches whose first load is timed."""
_LONG_MATCHES = 16
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and for how long."""

    seconds: float
    repeats: int
    matches: Sequence[int]
    cached: int


class Bench:
    """Prints as it goes."""

    def __init__(self, plan: Plan, console: Console) -> None:
        self._plan = plan
        self._console = console
        self._begin = time.monotonic()

    async def run(self) -> None:
        """Everything, first with the broker's own flushing, then with `sync_interval: always`."""
        self._say(f"load of the machine before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
        async with house(sync_always=False) as home:
            cells = await self._playing(home, "the broker flushes every 2 minutes")
            await self._reading(home, append_us=cells[-1][LIMIT].clients_us)
        async with house(sync_always=True) as home:
            await self._playing(home, "sync_interval: always")
        self._say(f"load of the machine after: {os.getloadavg()[0]:.1f}")

    async def _playing(self, home: House, title: str) -> Sequence[Mapping[str, Sample]]:
        """All ways at all numbers of matches, then one rules process beside two."""
        plan, cells = self._plan, {}
        async with home.rules() as rules:
            tables = await open_tables(home, rules, max(plan.matches))
            measured = Cells(home, [rules], plan.seconds)
            for number in plan.matches:
                self._say(f"{title}: {number} matches")
                some = tables[:number]
                cells[str(number)] = await measured.cell((LIMIT, *WAYS), some, plan.repeats)
            self._console.print(report.moves_table(title, cells))
            await self._scaling(home, rules)
        return list(cells.values())

    async def _scaling(self, home: House, rules: RulesProcess) -> None:
        self._say("two rules processes")
        plan, ways = self._plan, (UNARY, JOINED)
        tables = await open_tables(home, rules, _SCALED)
        async with home.rules() as second:
            single, both = (
                Cells(home, processes, plan.seconds) for processes in ([rules], [rules, second])
            )
            await both.cell((UNARY,), tables, 1)  # the second one loads its matches
            one, two = [], []
            for _ in range(plan.repeats):
                one.append(await single.cell(ways, tables, 1))
                two.append(await both.cell(ways, tables, 1))
        title = f"at {len(tables)} matches"
        self._console.print(report.scaling_table(title, _medians(one), _medians(two)))

    async def _reading(self, home: House, append_us: float) -> None:
        """What does not depend on how the broker flushes."""
        self._say(f"matches of {_LONG} records")
        async with home.rules() as rules:
            tables = await open_tables(home, rules, _LONG_MATCHES)
            for table in tables:
                table.prepare(_LONG)
            await play(home, [rules], tables, _PATIENCE_S, joined=True)
        ids = [table.match_id for table in tables]
        histories = [await home.log.read(match_id) for match_id in ids]
        self._console.print(report.pieces_table(split(histories), append_us))
        loads = await cold_loads(home, ids)
        held = await cached(home, histories[0][:RECORDS], self._plan.cached, self._say)
        self._console.print(report.reading_table(measure_replays(histories), loads, held))

    def _say(self, what: str) -> None:
        self._console.print(f"[dim]{time.monotonic() - self._begin:5.0f} s  {what}[/dim]")


def _medians(rounds: Sequence[Mapping[str, Sample]]) -> dict[str, Sample]:
    return {way: median([samples[way] for samples in rounds]) for way in rounds[0]}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    chosen = _parser().parse_args(arguments)
    plan = Plan(chosen.seconds, chosen.repeats, tuple(chosen.matches), chosen.cached)
    console = Console()
    uvloop.run(Bench(plan, console).run())
    if chosen.timer:
        starts = asyncio.run(bench_start(chosen.timer))
        console.print(report.timer_table(starts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Speed of the rules service.")
    parser.add_argument("--seconds", type=float, default=1.0, help="of one run")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the median counts")
    parser.add_argument(
        "--matches", type=int, nargs="+", default=[1, 16, 64, 256], help="played at once"
    )
    parser.add_argument("--cached", type=int, default=10_000, help="matches held in memory")
    parser.add_argument(
        "--timer", type=int, metavar="MATCHES", help="also start the timer over so many matches"
    )
    return parser


if __name__ == "__main__":
    main()
