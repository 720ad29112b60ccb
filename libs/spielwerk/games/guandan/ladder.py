"""Which combination beats which (clause 6)."""

from __future__ import annotations

from typing import Final

from spielwerk.cards import Rank
from spielwerk.games.guandan.cards import KIND_OF_LEVEL, KIND_OF_MAIN, STRENGTHS, Kind
from spielwerk.games.guandan.combos import BOMBS, RUNS, Reading, Shape

FLUSH_RUNG: Final = 3
JOKER_RUNG: Final = 9
BOMB_RUNGS: Final = {4: 1, 5: 2, 6: 4, 7: 5, 8: 6, 9: 7, 10: 8}
"""Bombs of one rank by size: a straight flush lies between five and six (clause 6.3)."""


def beats(new: Reading, old: Reading, level: Rank) -> bool:
    """Whether `new` may be laid on `old`; equal never beats."""
    kind = KIND_OF_LEVEL[level]
    rung, other = rung_of(new), rung_of(old)
    if rung != other:
        return rung > other
    if new.shape is not old.shape or new.size != old.size:
        return False
    return value_of(new, kind) > value_of(old, kind)


def rung_of(reading: Reading) -> int:
    """0 for ordinary combinations, else the rung of the ladder of bombs."""
    if reading.shape not in BOMBS:
        return 0
    if reading.shape is Shape.BOMB:
        return BOMB_RUNGS[reading.size]
    return FLUSH_RUNG if reading.shape is Shape.STRAIGHT_FLUSH else JOKER_RUNG


def value_of(reading: Reading, level: Kind) -> int:
    """What is compared on one rung: runs in natural order, everything else in group order."""
    kind = KIND_OF_MAIN[reading.main]
    return kind if reading.shape in RUNS else STRENGTHS[level][kind]
