"""Moves over a cluster of three brokers beside a single one: `python -m bench.replicated`.

All of them share this machine, so it is the ratio that counts: what three copies of each record
cost, not what three machines would bring.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import uvloop
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from bench.cells import WAYS, Cells, Sample, median
from bench.house import House, environment, house
from bench.tables import open_tables
from faults.cluster import REPLICAS, running_cluster, until_takes_streams
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.settings import LogSettings
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import Brokers


@asynccontextmanager
async def replicated_house() -> AsyncIterator[House]:
    """A fresh cluster and an empty log with three copies."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spielwerk-bench-")))
        cluster = await stack.enter_async_context(running_cluster(folder))
        connection = await stack.enter_async_context(connect(cluster.settings))
        await until_takes_streams(connection)
        stack.enter_context(environment(SPIELWERK_LOG__REPLICAS=str(REPLICAS)))
        first = cluster.children["a"]
        brokers = Brokers(cluster.url, "", first, first, "")
        log = JetStreamLog(connection, LogSettings(replicas=REPLICAS))
        yield House(brokers, signing.generate(), log, folder)


async def compare(matches: int, seconds: float, repeats: int) -> Mapping[str, Sequence[Sample]]:
    """The single broker's sample and the cluster's, of each way to play."""
    async with AsyncExitStack() as stack:
        measured = []
        for home in (house(sync_always=False), replicated_house()):
            at = await stack.enter_async_context(home)
            rules = await stack.enter_async_context(at.rules())
            tables = await open_tables(at, rules, matches)
            measured.append((Cells(at, [rules], seconds), tables))
        # In turn: what disturbs the machine disturbs both.
        rounds = [
            [await cells.cell(WAYS, tables, 1) for cells, tables in measured]
            for _ in range(repeats)
        ]
    return {
        way: [median([one[number][way] for one in rounds]) for number in range(len(measured))]
        for way in WAYS
    }


def table_of(matches: int, samples: Mapping[str, Sequence[Sample]]) -> Table:
    """Rates, their ratio, and latencies."""
    headings = ("single", "three copies", "ratio", "p50 ms", "three copies")
    right = [Column(heading, justify="right") for heading in headings]
    table = Table("way", *right, title=f"moves/s at {matches} matches", box=SIMPLE)
    for way, (one, three) in samples.items():
        rates = (f"{one.rate:,.0f}", f"{three.rate:,.0f}", f"{three.rate / one.rate:.2f}")
        table.add_row(way, *rates, f"{one.p50_ms:.1f}", f"{three.p50_ms:.1f}")
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="bench.replicated")
    parser.add_argument("--seconds", type=float, default=1.0, help="of one run")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the median counts")
    parser.add_argument("--matches", type=int, default=64, help="played at once")
    chosen = parser.parse_args(arguments)
    samples = uvloop.run(compare(chosen.matches, chosen.seconds, chosen.repeats))
    Console().print(table_of(chosen.matches, samples))


if __name__ == "__main__":
    main()
