"""Computes the table of Yatzee's expert: perfect play of one sheet, from its end to its beginning.

python -m spielwerk.testing.yatzee_table [FILE]

Every number is whole, so the table is the same on every machine: billionths of a point while it is
computed, rounded to millionths at last. It needs numpy, which nothing else of Spielwerk does, about
200 MB and half a minute.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spielwerk.games.yatzee import bots
from spielwerk.games.yatzee.bots.outcomes import WEIGHT, outcomes
from spielwerk.games.yatzee.bots.table import FILE, THRESHOLD, UNIT, packed, reachable_sums
from spielwerk.games.yatzee.model import LOWER, NUMBER, ROWS, UPPER
from spielwerk.games.yatzee.options import Options
from spielwerk.games.yatzee.scoring import row_points

FINE: Final = 1000 * UNIT
"""One point while computing."""

Whole: TypeAlias = NDArray[np.int64]

_SUMS: Final = np.arange(THRESHOLD + 1)
_BONUS: Final = Options().upper_bonus
_FULL: Final = (1 << len(ROWS)) - 1


class Solver:
    """One worth a set of filled rows and upper sum; sets that are more filled come first."""

    def __init__(self) -> None:
        known = outcomes()
        self._more = np.array(known.more)
        self._size = np.array([len(keep) for keep in known.keeps[: known.first_roll]])
        self._inner = np.concatenate([np.array(keeps) for keeps in known.inner])
        self._begins = np.cumsum([0, *map(len, known.inner)])[:-1]
        self._points = np.array([[row_points(row, roll) for roll in known.rolls] for row in ROWS])
        self.fine: Whole = np.zeros((_FULL + 1, THRESHOLD + 1), np.int64)
        """Billionths of a point by mask and upper sum; full sheets are worth nothing more."""

    def solve(self, masks: Sequence[int] = range(_FULL - 1, -1, -1)) -> Solver:
        """Fill in the masks, each of which needs those with one row more."""
        for mask in masks:
            self.fine[mask] = self._round(self._entered(mask))
        return self

    def worths(self) -> array[int]:
        """The table in the order and unit of the file."""
        rounded = (self.fine + FINE // UNIT // 2) // (FINE // UNIT)
        found = array("I")
        for below in range(1 << len(LOWER)):
            for above in range(1 << len(UPPER)):
                mask = below << len(UPPER) | above
                found.extend(rounded[mask, list(reachable_sums(above))].tolist())
        return found

    def _entered(self, mask: int) -> Whole:
        """By roll and upper sum: the best row for the roll as it lies."""
        ways = [self._filled(mask, row) for row in range(len(ROWS)) if not mask >> row & 1]
        best: Whole = np.maximum.reduce(ways)
        return best

    def _filled(self, mask: int, row: int) -> Whole:
        points, after = self._points[row][:, None], self.fine[mask | 1 << row]
        if ROWS[row] not in NUMBER:
            simply: Whole = points * FINE + after[None, :]
            return simply
        upper = np.minimum(THRESHOLD, _SUMS[None, :] + points)
        crossed = (upper == THRESHOLD) & (_SUMS[None, :] < THRESHOLD)
        gained: Whole = (points + _BONUS * crossed) * FINE + after[upper]
        return gained

    def _round(self, entered: Whole) -> Whole:
        """By upper sum: what a round is worth whose dice are not yet thrown."""
        second = self._improved(entered, self._expected(entered))
        first = self._improved(entered, self._expected(second))
        return _unweighted(self._expected(first)[0])

    def _expected(self, worths: Whole) -> Whole:
        means = np.empty((len(self._size) + len(worths), THRESHOLD + 1), np.int64)
        means[len(self._size) :] = worths * WEIGHT
        for size in range(4, -1, -1):
            keeps = np.flatnonzero(self._size == size)
            means[keeps] = means[self._more[keeps]].sum(axis=1) // 6
        return means

    def _improved(self, worths: Whole, means: Whole) -> Whole:
        kept = np.maximum.reduceat(means[self._inner], self._begins, axis=0)
        return _unweighted(np.maximum(worths * WEIGHT, kept))


def _unweighted(sums: Whole) -> Whole:
    rounded: Whole = (sums + WEIGHT // 2) // WEIGHT
    return rounded


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table beside the bots, or to the given file."""
    parser = argparse.ArgumentParser(prog="yatzee_table", description="Yatzee's perfect play.")
    shipped = Path(str(bots.__file__)).with_name(FILE)
    parser.add_argument("file", nargs="?", type=Path, default=shipped)
    target: Any = parser.parse_args(arguments).file
    worths = Solver().solve().worths()
    target.write_bytes(packed(worths))
    print(f"{worths[0] / UNIT:.6f} points expected; {target.stat().st_size} bytes in {target}")


if __name__ == "__main__":
    main()
