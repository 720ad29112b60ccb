"""Verifying keeps up with the log, and holds one state however long a match is."""

from __future__ import annotations

from bench.audit import measure_memory, measure_verifying, tables
from games.playing import EVERY_GAME
from spielwerk.games.game import AnyGame


def test_memory_does_not_grow_with_the_records_of_a_file() -> None:
    """Some bytes each stay in the interpreter's bounded free lists; a record has hundreds."""
    (few, short), (many, long) = measure_memory((300, 2_500))
    assert (long - short) / (many - few) < 150
    assert long < 1024 * 1024


@EVERY_GAME
def test_a_core_verifies_2000_records_a_second(game: AnyGame) -> None:
    """Processor time, a little below the goal since the first records load what all need."""
    matches = tables(game.key)
    measure_verifying(game.key, matches[:1])
    assert measure_verifying(game.key, matches).per_s > 1_500
