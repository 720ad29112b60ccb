"""Verifying costs little more than folding, and holds one state however long a match is."""

from __future__ import annotations

import time
from collections.abc import Sequence

from audit.playing import Table
from bench.audit import measure_memory, measure_verifying, tables
from games.playing import EVERY_GAME
from spielwerk.audit.replaying import steps
from spielwerk.games import registry
from spielwerk.games.game import AnyGame


def test_memory_does_not_grow_with_the_records_of_a_file() -> None:
    """Some bytes each stay in the interpreter's bounded free lists; a record has hundreds."""
    (few, short), (many, long) = measure_memory((300, 2_500))
    assert (long - short) / (many - few) < 150
    assert long < 1024 * 1024


@EVERY_GAME
def test_verifying_costs_a_few_times_what_folding_does(game: AnyGame) -> None:
    """Deciding and hashing each record anew, no more; processor time, each the best of three."""
    matches = tables(game.key)
    folding = min(_folded_s(matches) for _ in range(3))
    verifying = min(measure_verifying(game.key, matches).cpu_s for _ in range(3))
    assert verifying < 10 * folding


def _folded_s(matches: Sequence[Table]) -> float:
    begin = time.process_time()
    for table in matches:
        assert list(steps(table.match_id, table.stored, registry.version))
    return time.process_time() - begin
