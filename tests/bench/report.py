"""The tables on the screen."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from rich.box import SIMPLE
from rich.table import Column, Table

from bench.cells import LIMIT, Sample
from bench.folding import Replays
from bench.memory import Cached, Loads
from bench.timer_start import Starts

_FIGURES = ("moves/s", "/limit", "p50 ms", "p99 ms", "rules", "broker", "client")
_NOTE = "rules, broker, client: µs of processor time a move"


def moves_table(title: str, cells: Mapping[str, Mapping[str, Sample]]) -> Table:
    """One row for each way to play at each number of matches."""
    figures = map(_right, _FIGURES)
    table = Table(_right("at"), "way", *figures, title=title, caption=_NOTE, box=SIMPLE)
    table.padding = (0, 0)
    for group, ways in cells.items():
        limit = ways.get(LIMIT)
        for way, sample in ways.items():
            table.add_row(group, way, *_figures(sample, limit))
        table.add_section()
    return table


def scaling_table(title: str, one: Mapping[str, Sample], two: Mapping[str, Sample]) -> Table:
    """Two rules processes beside one, on the same machine and broker."""
    table = Table("way", *map(_right, ("one process", "two", "ratio")), title=title, box=SIMPLE)
    for way, sample in one.items():
        other = two[way].rate
        table.add_row(way, f"{sample.rate:,.0f}/s", f"{other:,.0f}/s", f"{other / sample.rate:.2f}")
    return table


def pieces_table(pieces: Mapping[str, float], append_us: float) -> Table:
    """Processor time of one move by piece, without what carries it (gRPC, tasks)."""
    table = Table(
        "piece", _right("µs"), title="processor time of a move, piece by piece", box=SIMPLE
    )
    for name, micros in pieces.items():
        table.add_row(name, f"{micros:.1f}")
    table.add_row("append (publish and acknowledgement)", f"{append_us:.1f}")
    return table


def reading_table(replays: Replays, loads: Loads, cached: Cached) -> Table:
    """Folding, first loads, memory."""
    table = Table("figure", _right("value"), title="reading back", box=SIMPLE)
    length = replays.records / replays.matches
    table.add_row("records folded", f"{replays.records / replays.cpu_s:,.0f}/s")
    table.add_row(
        f"replays of whole matches ({length:.0f} records)",
        f"{replays.matches / replays.cpu_s:,.0f}/s",
    )
    table.add_row(f"first load of {loads.records} records, median", _ms(loads.cold))
    table.add_row("the same again, from the cache", _ms(loads.warm))
    table.add_row("rules process without matches", f"{cached.empty_mb:,.0f} MB")
    table.add_row(f"with {cached.matches:,} matches cached", f"{cached.full_mb:,.0f} MB")
    table.add_row("a cached match", f"{cached.each_kb:.1f} kB")
    return table


def timer_table(starts: Starts) -> Table:
    """How long a timer needs to know all open deadlines."""
    title = f"start of the timer over {starts.finished:,} finished matches"
    table = Table("start", _right("seconds"), title=title, box=SIMPLE)
    table.add_row("from the log alone", f"{starts.without_redis_s:.2f}")
    table.add_row("from its checkpoint", f"{starts.with_checkpoint_s:.2f}")
    return table


def _right(name: str) -> Column:
    return Column(name, justify="right")


def _figures(sample: Sample, limit: Sample | None) -> Sequence[str]:
    micros = (sample.rules_us, sample.broker_us, sample.clients_us)
    return (
        f"{sample.rate:,.0f}",
        f"{sample.rate / limit.rate:.2f}" if limit else "",
        f"{sample.p50_ms:.2f}",
        f"{sample.p99_ms:.2f}",
        *(f"{value:.0f}" for value in micros),
    )


def _ms(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1e3:.2f} ms"
