"""A hand sorted into the plays that it will probably be laid in.

Kept small and quick: it is made anew for every hand that a bot imagines. Runs are taken where they
gather single cards, bombs are kept whole, wild cards make bombs of triples.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from spielwerk.games.guandan.cards import (
    BLACK,
    KIND_OF_FACE,
    RANKS,
    RED,
    STRENGTHS,
    Face,
    Kind,
    wild_face,
)
from spielwerk.games.guandan.combos import PAIR_RUNS, STRAIGHTS, TRIPLE_RUNS
from spielwerk.games.guandan.ladder import BOMB_RUNGS, FLUSH_RUNG, JOKER_RUNG

Groups: TypeAlias = list[list[int]]
"""Values of the plays by code, each list from the weakest up."""

SINGLE, PAIR, TRIPLE, STRAIGHT, PAIR_RUN, TRIPLE_RUN, BOMB, FULL_HOUSE = range(8)
SIZES: Final = (1, 2, 3, 5, 6, 6)
"""Cards of a play by code; those of a bomb lie in its value."""

_JACK: Final = 9
_HIGH_PAIR: Final = 14
"""From here on a pair is no mere companion of a triple."""


def bomb_value(rung: int, value: int, size: int) -> int:
    """Bombs as one number: rung, then value, then the number of cards."""
    return rung << 10 | value << 4 | size


def sort_out(faces: Iterable[Face], level: Kind) -> Groups:
    """The plays of a hand."""
    wild = wild_face(level)
    counts, suits, wilds = [0] * 15, [0] * 4, 0
    for face in faces:
        if face == wild:
            wilds += 1
        else:
            kind = KIND_OF_FACE[face]
            counts[kind] += 1
            if kind < BLACK:
                suits[face % 4] |= 1 << kind
    groups: Groups = [[] for _ in range(7)]
    strengths = STRENGTHS[level]
    _take_flushes(groups, counts, suits)
    _take_bombs(groups, counts, strengths)
    _take_straights(groups, counts)
    _take_thick_runs(groups, counts, strengths)
    for kind in sorted(range(15), key=strengths.__getitem__):
        if counts[kind]:
            groups[counts[kind] - 1].append(strengths[kind])
    _use_wilds(groups, wilds)
    groups[BOMB].sort()
    return groups


def _take_flushes(groups: Groups, counts: list[int], suits: list[int]) -> None:
    for bits in suits:
        for top in _flushes(bits):
            kinds = STRAIGHTS[top - 3].kinds  # the window with this top
            if all(counts[kind] and counts[kind] != 4 for kind in kinds):
                for kind in kinds:
                    counts[kind] -= 1
                groups[BOMB].append(bomb_value(FLUSH_RUNG, top, 5))
                break


@lru_cache(maxsize=1 << 13)
def _flushes(bits: int) -> tuple[int, ...]:
    """The tops of the runs of five in one suit, the highest first."""
    tops = [window.top for window in STRAIGHTS if bits & window.mask == window.mask]
    return tuple(reversed(tops))


def _take_bombs(groups: Groups, counts: list[int], strengths: tuple[int, ...]) -> None:
    for kind in RANKS:
        number = counts[kind]
        if number >= 4:
            groups[BOMB].append(bomb_value(BOMB_RUNGS[number], strengths[kind], number))
            counts[kind] = 0
    if counts[BLACK] == counts[RED] == 2:
        groups[BOMB].append(bomb_value(JOKER_RUNG, 17, 4))
        counts[BLACK] = counts[RED] = 0


_GAIN: Final = (-100, 2, -1, -2)
"""What a straight gains by a card of a rank that is held so often."""


def _take_straights(groups: Groups, counts: list[int]) -> None:
    while True:
        best, chosen = 3, None
        for window in STRAIGHTS:
            gain = 0
            for kind in window.kinds:
                gain += _GAIN[counts[kind]]
            # High single cards win tricks by themselves.
            gain -= sum(counts[kind] == 1 for kind in window.kinds if kind > _JACK)
            if gain > best:
                best, chosen = gain, window
        if chosen is None:
            groups[STRAIGHT].sort()
            return
        for kind in chosen.kinds:
            counts[kind] -= 1
        groups[STRAIGHT].append(chosen.top)


def _take_thick_runs(groups: Groups, counts: list[int], strengths: tuple[int, ...]) -> None:
    for window in TRIPLE_RUNS:
        if all(counts[kind] == 3 for kind in window.kinds):
            groups[TRIPLE_RUN].append(window.top)
            for kind in window.kinds:
                counts[kind] = 0
    for window in PAIR_RUNS:
        kinds = window.kinds
        if all(counts[kind] == 2 and strengths[kind] < _HIGH_PAIR for kind in kinds):
            groups[PAIR_RUN].append(window.top)
            for kind in kinds:
                counts[kind] = 0


def _use_wilds(groups: Groups, wilds: int) -> None:
    """A wild card makes a bomb of a triple, two of them of a pair; else it stays a high single."""
    while wilds:
        if groups[TRIPLE]:
            groups[BOMB].append(bomb_value(BOMB_RUNGS[4], groups[TRIPLE].pop(0), 4))
            wilds -= 1
        elif wilds == 2 and groups[PAIR] and groups[PAIR][0] < 16:
            groups[BOMB].append(bomb_value(BOMB_RUNGS[4], groups[PAIR].pop(0), 4))
            wilds = 0
        else:
            groups[SINGLE].append(15)
            groups[SINGLE].sort()
            wilds -= 1


def plays_left(groups: Groups) -> int:
    """How many plays these are when pairs go along with triples."""
    number = sum(map(len, groups))
    return number - min(len(groups[PAIR]), len(groups[TRIPLE]))


_SINGLE_COST: Final = (*[10] * 11, 9, 9, 8, 6, 3, 1, -1)
_PAIR_COST: Final = (*[10] * 11, 8, 8, 8, 5, 1, 0, -1)
_TRIPLE_COST: Final = (*[9] * 11, 7, 7, 6, 4, 2, 0, 0)
"""By strength."""
_BOMB_COST: Final = -6


def cost(groups: Groups) -> int:
    """How far the hand is from being laid down: about ten for each play that wins no trick."""
    pairs = groups[PAIR][min(len(groups[PAIR]), len(groups[TRIPLE])) :]
    whole = sum(_SINGLE_COST[value] for value in groups[SINGLE])
    whole += sum(_PAIR_COST[value] for value in pairs)
    whole += sum(_TRIPLE_COST[value] for value in groups[TRIPLE])
    for code in (STRAIGHT, PAIR_RUN, TRIPLE_RUN):
        whole += sum(9 - max(0, value - 8) for value in groups[code])
    return whole + sum(_BOMB_COST - (value >> 10) for value in groups[BOMB])
