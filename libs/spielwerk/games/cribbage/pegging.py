"""The play: what one card scores on the cards since the last reset (clause 5)."""

from __future__ import annotations

from collections.abc import Sequence

from spielwerk.games.cribbage.model import LIMIT, PlayPoints

_PAIR_POINTS = (0, 0, 2, 6, 12)
_NOTHING = PlayPoints()


def play_points(pips: Sequence[int], count: int, *, last: bool = False) -> PlayPoints:
    """Points of the last of `pips`, the ranks since the last reset (ace 1 to king 13).

    `count` includes it. `last`: it is the eighth card of the deal; the point for that is not
    given on top of 31 (clause 5.5).
    """
    pairs = pair_points(pips)
    run = 0 if pairs else run_points(pips)
    fifteen, thirtyone = 2 * (count == 15), 2 * (count == LIMIT)
    final = int(last and not thirtyone)
    if not (pairs or run or fifteen or thirtyone or final):
        return _NOTHING
    return PlayPoints(fifteen, thirtyone, pairs, run, final)


def pair_points(pips: Sequence[int]) -> int:
    """2, 6 or 12 for two, three or four of one rank at the end."""
    newest = pips[-1]
    same = 0
    for pip in reversed(pips):
        if pip != newest:
            break
        same += 1
    return _PAIR_POINTS[same]


def run_points(pips: Sequence[int]) -> int:
    """The longest k >= 3 such that the last k cards are k neighbouring ranks in any order, or 0."""
    longest = seen = 0
    low, high = 14, 0
    for size, pip in enumerate(reversed(pips), start=1):
        bit = 1 << pip
        if seen & bit:
            break  # an equal rank breaks every longer run
        seen |= bit
        low, high = min(low, pip), max(high, pip)
        if size >= 3 and high - low == size - 1:
            longest = size
    return longest
