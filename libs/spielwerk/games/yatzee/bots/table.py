"""What every sheet is still worth to one who plays on perfectly, in millionths of a point.

The table is for the default rules: no further yatzees, five equal dice are no full house. It is
made by `python -m spielwerk.testing.yatzee_table` and shipped beside this module: whole numbers of
four bytes, lowest bytes of all first, then the next ones, compressed with zlib.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import accumulate
from typing import Final

from spielwerk.games.yatzee.model import LOWER, ROWS, UPPER, Sheet

FILE: Final = "solitaire_table.bin"
UNIT: Final = 1_000_000
"""One point."""
THRESHOLD: Final = 63
"""Upper points that bring the bonus; more of them make no difference."""

_BYTES: Final = 4
_UPPER_MASKS: Final = 1 << len(UPPER)
_LOWER_MASKS: Final = 1 << len(LOWER)


def reachable_sums(upper_mask: int) -> tuple[int, ...]:
    """The sums, capped at THRESHOLD, that the upper rows of the mask can have, ascending."""
    sums = {0}
    for bit, number in enumerate(range(1, 7)):
        if upper_mask >> bit & 1:
            sums = {min(THRESHOLD, had + number * count) for had in sums for count in range(6)}
    return tuple(sorted(sums))


@dataclass(frozen=True, slots=True)
class SolitaireTable:
    """Worths by filled rows and upper sum, for the sums that can be reached."""

    worths: array[int]
    starts: tuple[int, ...]
    """By upper mask: where its sums begin within the entries of one lower mask."""
    ranks: tuple[dict[int, int], ...]
    """By upper mask: the place of each sum."""

    def worth(self, mask: int, upper: int) -> int:
        """What the open rows will bring, the upper bonus included unless it is reached already.

        Bit i of the mask is set if row i is filled.
        """
        above = mask & (_UPPER_MASKS - 1)
        entries = (mask >> len(UPPER)) * self.starts[-1]
        return self.worths[entries + self.starts[above] + self.ranks[above][min(upper, THRESHOLD)]]


def mask_of(sheet: Sheet) -> int:
    """The filled rows as bits, the first row the lowest."""
    return sum(1 << bit for bit in range(len(ROWS)) if sheet.points[bit] is not None)


@lru_cache(maxsize=1)
def solitaire_table() -> SolitaireTable:
    """The shipped table, read at first use."""
    packed = resources.files(__package__).joinpath(FILE).read_bytes()
    return table_of(unpacked(packed))


def table_of(worths: array[int]) -> SolitaireTable:
    """A table of these worths: lower mask by lower mask, in it upper mask by upper mask."""
    sums = [reachable_sums(mask) for mask in range(_UPPER_MASKS)]
    starts = tuple(accumulate(map(len, sums), initial=0))
    if len(worths) != _LOWER_MASKS * starts[-1]:
        raise ValueError(f"{len(worths)} worths are not the table of the solitaire")
    ranks = tuple({value: rank for rank, value in enumerate(known)} for known in sums)
    return SolitaireTable(worths, starts, ranks)


def packed(worths: array[int]) -> bytes:
    """The bytes of the file."""
    plain = _little_endian(worths).tobytes()
    return zlib.compress(b"".join(plain[byte::_BYTES] for byte in range(_BYTES)), level=9)


def unpacked(data: bytes) -> array[int]:
    """The worths in the bytes of the file."""
    planes = zlib.decompress(data)
    size = len(planes) // _BYTES
    plain = bytearray(size * _BYTES)
    for byte in range(_BYTES):
        plain[byte::_BYTES] = planes[byte * size : (byte + 1) * size]
    worths = array("I")
    worths.frombytes(bytes(plain))
    return _little_endian(worths)


def _little_endian(worths: array[int]) -> array[int]:
    if sys.byteorder == "big":
        worths = worths[:]
        worths.byteswap()
    return worths
