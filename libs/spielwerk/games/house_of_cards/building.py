"""The geometry of the house and the value of a roof (clauses 2 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spielwerk.cards import Card, Rank

STOREYS: Final = 6

ROOF_PLACES: Final = tuple(
    (storey, index) for storey in range(1, STOREYS + 1) for index in range(7 - storey)
)
"""(storey, index) of all 21 roofs, from below and from the left."""
FLOOR_PLACES: Final = tuple(
    (storey, index) for storey in range(1, STOREYS) for index in range(STOREYS - storey)
)
"""(storey, index) of all 15 floors; the storey is the one whose roofs carry it."""

_ROOF_SET: Final = frozenset(ROOF_PLACES)
_FLOOR_SET: Final = frozenset(FLOOR_PLACES)

VALUE: Final = {rank: min(number, 10) for number, rank in enumerate(Rank, start=1)}
"""Pips; J, Q, K 10; the ace at its low value 1 (clause 4.1)."""
ACE_MORE: Final = 10
"""What a high ace counts more than a low one."""


def is_roof_place(storey: int, index: int) -> bool:
    """Whether the house has such a roof."""
    return (storey, index) in _ROOF_SET


def is_floor_place(storey: int, index: int) -> bool:
    """Whether the house has such a floor."""
    return (storey, index) in _FLOOR_SET


def match(one: Card, other: Card) -> bool:
    """Two cards lean together if they are of one rank or of one suit (clause 4.2)."""
    return one.rank is other.rank or one.suit is other.suit


def roof_value(cards: Sequence[Card], limit: int | None) -> int | None:
    """The greatest sum not above the limit, each ace at 1 or 11; None if even the least is above.

    A limit of None is none (clause 4.3).
    """
    sums = [sum(VALUE[card.rank] for card in cards)]
    for card in cards:
        if card.rank is Rank.ACE:
            sums.append(sums[-1] + ACE_MORE)
    return max((total for total in sums if limit is None or total <= limit), default=None)


def floor_limit(left: int, right: int, floor: Card) -> int | None:
    """What the roof on a floor may weigh: the smaller roof below; None on an ace (clause 4.5)."""
    return None if floor.rank is Rank.ACE else min(left, right)
