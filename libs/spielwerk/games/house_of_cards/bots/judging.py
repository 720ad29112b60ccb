"""What a placement is worth at a glance, and games played on by that judgement alone.

The weights were found by playing: each was changed at random and kept when a hundred and sixty
games went better. They are thousandths of a point; to replace is worth 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final, TypeAlias

from spielwerk.games.house_of_cards.bots.sketch import (
    ABOVE,
    BELOW,
    CARDS,
    IS_ACE,
    JOKER,
    LEFT,
    RIGHT,
    STOREY,
    WORTH,
    Placement,
    Sketch,
)
from spielwerk.games.house_of_cards.building import ACE_MORE, ROOF_PLACES, VALUE

GOOD: Final = 20
"""What a roof should count, so that two tens can stand on it."""
MOST: Final = 22

POINT: Final = 1000
SHORT: Final = 95
"""For each point under GOOD and each roof that will lean on this one."""
ACE_LOW: Final = 148
"""For each point that the aces lose to the limit."""
NARROW: Final = 476
"""For each point that the limit is under GOOD: such a place will never hold more."""
LEAST: Final = 6110
LEAST_WITH_SPARE: Final = 7527
"""What a roof must be worth: always, and as long as many cards are to spare."""
SPARE: Final = 49

FLOOR: Final = 4371
FLOOR_CARD: Final = 230
"""For each point of the card laid."""
BARE_FLOOR: Final = 1148
"""A bare floor on top is all that a joker will take."""
ACE_FLOOR: Final = 310
"""For each point under GOOD below an ace, and each roof that will profit."""

Judged: TypeAlias = tuple[int, Placement]

_CARD_VALUE: Final = tuple(
    VALUE[card.rank] + (ACE_MORE if ace else 0) for card, ace in zip(CARDS, IS_ACE, strict=True)
)


def _leaning(storey: int, index: int) -> int:
    """How many roofs stand, directly or not, on this one."""
    number, first, last = 0, index, index
    for above in range(storey + 1, 7):
        first, last = max(first - 1, 0), min(last, 6 - above)
        number += last - first + 1
    return number


LEANING: Final = tuple(_leaning(storey, index) for storey, index in ROOF_PLACES)


def play_on(sketch: Sketch, bonus_per_card: int, *, counts_open: bool) -> int:
    """The score of the game when it is played to its end by `best`; the sketch is used up."""
    while not all(sketch.roofs):
        judged = best(sketch)
        if judged is not None and (judged[0] >= 0 or not sketch.stock):
            sketch.place(judged[1])
        elif sketch.stock:
            sketch.replace()
        else:
            return sum(sketch.roofs)
    left = len(sketch.stock) + (len(sketch.open) if counts_open else 0)
    return sum(sketch.roofs) + bonus_per_card * left


def best(sketch: Sketch) -> Judged | None:
    """The most worthy placement, the first of equals; below 0 it is better to replace."""
    return max(judged(sketch), key=lambda item: item[0], default=None)


def judged(sketch: Sketch) -> Iterator[Judged]:
    """All placements with what they are worth."""
    yield from _roofs(sketch)
    yield from _floors(sketch)


def _roofs(sketch: Sketch) -> Iterator[Judged]:
    cards, roofs, floors = sketch.open, sketch.roofs, sketch.floors
    pairs = [
        (one, other, worth)
        for one, other in combinations(range(len(cards)), 2)
        if (worth := WORTH[cards[one]][cards[other]])[MOST]
    ]
    if not pairs:
        return
    least = _least(sketch)
    for place, below in enumerate(BELOW):
        if roofs[place]:
            continue
        limit = MOST if below < 0 else min(floors[below], MOST)
        if not limit:
            continue
        start = NARROW * max(0, GOOD - limit) - least
        for one, other, worth in pairs:
            value = worth[limit]
            if value:
                short = SHORT * max(0, GOOD - value) * LEANING[place]
                low = ACE_LOW * (worth[MOST] - value)
                yield start + POINT * value - short - low, (place, one, other)


def _floors(sketch: Sketch) -> Iterator[Judged]:
    cards, roofs, floors = sketch.open, sketch.roofs, sketch.floors
    top = max((STOREY[place] for place, value in enumerate(roofs) if value), default=0)
    bare = max((STOREY[ABOVE[f]] for f, limit in enumerate(floors) if limit), default=0)
    danger = JOKER in sketch.stock
    for floor, above in enumerate(ABOVE):
        low = min(roofs[LEFT[floor]], roofs[RIGHT[floor]])
        if floors[floor] or not low:
            continue
        start = FLOOR
        if danger and STOREY[above] > max(top, bare):
            start += BARE_FLOOR
        for position, card in enumerate(cards):
            ace = ACE_FLOOR * (GOOD - low) * (1 + LEANING[above]) if IS_ACE[card] else 0
            yield start - FLOOR_CARD * _CARD_VALUE[card] + ace, (-1 - floor, position, -1)


def _least(sketch: Sketch) -> int:
    """What a roof must be worth with so many cards to spare."""
    needed = 2 * sketch.roofs.count(0) + sketch.floors.count(0)
    spare = len(sketch.stock) + len(sketch.open) - needed
    return LEAST + LEAST_WITH_SPARE * min(max(spare, 0), SPARE) // SPARE
