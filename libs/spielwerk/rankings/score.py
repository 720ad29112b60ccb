"""The score of a total: (offset + sign * N / G^k) / divisor, computed from the exact integers.

G^k damps the number of games: playing more counts, but less and less. The score is irrational in
general; it is computed with 60 significant digits and kept as an integer number of 10^-24, so that
equal totals give equal bytes in every process, and different scores of players stay different.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from typing import Final

from spielwerk.games.game import Ranking

PLACES: Final = 24
"""Decimal places of a stored score."""

_CONTEXT: Final = Context(prec=60, rounding=ROUND_HALF_EVEN)
_UNIT: Final = Decimal(10) ** PLACES
_MILLI_UNIT: Final = 10 ** (PLACES - 3)


def score(ranking: Ranking, n_milli: int, games: int) -> int:
    """The score in 10^-24 of a total of `n_milli` thousandths in `games` games.

    Raises ValueError for no games: who has not played is not ranked.
    """
    if games < 1:
        raise ValueError("a total of no games has no score")
    damped = _CONTEXT.divide(Decimal(n_milli), _damping(games, ranking.k_milli))
    signed = damped if ranking.sign >= 0 else damped.copy_negate()
    total = _CONTEXT.add(Decimal(ranking.offset * 1000), signed)
    scaled = _CONTEXT.divide(_CONTEXT.multiply(total, _UNIT), Decimal(ranking.divisor * 1000))
    return int(scaled.to_integral_value(ROUND_HALF_EVEN))


def exact_text(value: int) -> str:
    """A score as a decimal number with up to 24 places, without trailing zeros: `33.2286436...`."""
    whole, places = divmod(abs(value), 10**PLACES)
    text = f"{whole}.{places:0{PLACES}d}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 else text


def shown_milli(value: int) -> int:
    """A score rounded for display: thousandths, halves to even."""
    quotient, rest = divmod(value, _MILLI_UNIT)
    above_half = 2 * rest > _MILLI_UNIT or (2 * rest == _MILLI_UNIT and quotient % 2 == 1)
    return quotient + above_half


@lru_cache(maxsize=65536)
def _damping(games: int, k_milli: int) -> Decimal:
    return _CONTEXT.power(Decimal(games), _CONTEXT.divide(Decimal(k_milli), Decimal(1000)))
