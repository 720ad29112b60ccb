"""How fast matches are verified and replayed: `PYTHONPATH=tests python -m bench.audit`."""

from __future__ import annotations

import gc
import io
import tempfile
import time
import tracemalloc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as Shown

from audit.playing import Table, long_match, played
from spielwerk.audit.checking import StoredVerifier, verify_stored
from spielwerk.audit.export import Export, write_export
from spielwerk.audit.replaying import match_at
from spielwerk.games import registry

_MATCHES = 8
_LONGEST = 200
_REPLAYED = 5_000


@dataclass(frozen=True, slots=True)
class Rate:
    """Records that were verified, and the processor time of this process in seconds."""

    game: str
    records: int
    cpu_s: float

    @property
    def per_s(self) -> float:
        """Records a second of one core."""
        return self.records / self.cpu_s


@dataclass(frozen=True, slots=True)
class AuditFigures:
    """`replay_s`: processor time to fold `replayed` records to the last version; `peaks`: records
    of a file and the most bytes that verifying it held."""

    rates: Sequence[Rate]
    replayed: int
    replay_s: float
    peaks: Sequence[tuple[int, int]]


def measure_audit() -> AuditFigures:
    """Everything, in some seconds."""
    rates = [measure_verifying(key, tables(key)) for key in registry.GAMES]
    long = long_match(_REPLAYED)
    return AuditFigures(rates, len(long.stored), measure_replay(long), measure_memory())


def tables(key: str) -> list[Table]:
    """Matches of a game with random house rules and moves."""
    return [played(registry.newest(key), seed, _LONGEST) for seed in range(_MATCHES)]


def measure_verifying(game: str, matches: Iterable[Table]) -> Rate:
    """Verify them once, as `spielwerk verify` does it without bots."""
    records, begin = 0, time.process_time()
    for table in matches:
        records += verify_stored(table.match_id, table.stored, registry.version).records
    return Rate(game, records, time.process_time() - begin)


def measure_replay(table: Table) -> float:
    """Processor time to the last version, in seconds."""
    begin = time.process_time()
    match = match_at(table.match_id, table.stored, registry.version, len(table.stored))
    assert match is not None
    assert match.version == len(table.stored)
    return time.process_time() - begin


def measure_memory(sizes: Sequence[int] = (500, 4_000)) -> list[tuple[int, int]]:
    """Records of exported files, and the most bytes held while each is verified."""
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.jsonl"
            with path.open("wb") as out:
                table = long_match(size)
                write_export(out, table.match_id, table.stored)
            del table
            _verify(path)  # fills the caches, which are bounded
            peaks.append((size, _peak(path)))
    return peaks


def _peak(path: Path) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        _verify(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _verify(path: Path) -> None:
    with Export(path) as export:
        verifier = StoredVerifier(export.match_id, registry.version)
        for message in export.messages():
            verifier.feed(message)
        verifier.close()


def shown(figures: AuditFigures) -> Shown:
    """The figures as a table."""
    table = Shown(title="Verifying and replaying, one core", title_style="bold")
    for heading in ("what", "records", "figure"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for rate in figures.rates:
        table.add_row(f"verify {rate.game}", str(rate.records), f"{rate.per_s:,.0f} records/s")
    table.add_row("replay cribbage", str(figures.replayed), f"{figures.replay_s:.2f} s")
    for records, peak in figures.peaks:
        table.add_row("verify a file", str(records), f"{peak / 1024:,.0f} KiB at the most")
    return table


def text(figures: AuditFigures) -> str:
    """The table without colours."""
    out = io.StringIO()
    Console(file=out, width=100).print(shown(figures))
    return out.getvalue()


if __name__ == "__main__":
    print(text(measure_audit()))
