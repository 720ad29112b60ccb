"""What a set of cards is: the shapes, and every reading of a set with wild cards (clauses 4, 5).

A set is split into its wild cards and what is natural. Each shape then asks one question of the
numbers of natural cards by kind, so nothing is ever substituted:

    naturals 5 6 7, two wilds  ->  which windows of five ranks hold {5, 6, 7}?

        A 2 3 4 5 6 7 8 9 ...
            [3 4 5 6 7]            top 7
              [4 5 6 7 8]          top 8
                [5 6 7 8 9]        top 9
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from spielwerk.cards import AnyCard, Rank
from spielwerk.games.guandan.cards import (
    ACE,
    BLACK,
    FACE_OF,
    KIND_OF_FACE,
    KIND_OF_LEVEL,
    MAINS,
    RANKS,
    RED,
    Kind,
    Main,
    wild_face,
)
from spielwerk.games.guandan.options import Options


class Shape(StrEnum):
    """The combinations (clause 4), ordinary ones first."""

    SINGLE = "single"
    PAIR = "pair"
    TRIPLE = "triple"
    FULL_HOUSE = "full_house"
    STRAIGHT = "straight"
    PAIR_RUN = "pair_run"
    TRIPLE_RUN = "triple_run"
    BOMB = "bomb"
    STRAIGHT_FLUSH = "straight_flush"
    JOKER_BOMB = "joker_bomb"


BOMBS: Final = frozenset({Shape.BOMB, Shape.STRAIGHT_FLUSH, Shape.JOKER_BOMB})
RUNS: Final = frozenset({Shape.STRAIGHT, Shape.PAIR_RUN, Shape.TRIPLE_RUN, Shape.STRAIGHT_FLUSH})


@dataclass(frozen=True, slots=True)
class Reading:
    """One interpretation of a set of cards: `main` is what is compared, the top rank of a run."""

    shape: Shape
    size: int
    main: Main


class Window(NamedTuple):
    """Neighbouring ranks from low to high; the ace may lie below the 2 (clause 3.2)."""

    kinds: tuple[Kind, ...]
    mask: int

    @property
    def top(self) -> Kind:
        """The highest rank."""
        return self.kinds[-1]


def _windows(length: int) -> tuple[Window, ...]:
    line = (ACE, *RANKS)
    found = [line[start : start + length] for start in range(len(line) - length + 1)]
    return tuple(Window(kinds, sum(1 << kind for kind in kinds)) for kinds in found)


STRAIGHTS: Final = _windows(5)
PAIR_RUNS: Final = _windows(3)
TRIPLE_RUNS: Final = _windows(2)
"""All windows, the lowest first."""

WHOLE_BOMB: Final = range(4, 11)
"""Sizes of bombs of one rank."""

READINGS: Final = {
    (shape, size, kind): Reading(shape, size, main)
    for shape, sizes in {
        Shape.SINGLE: (1,),
        Shape.PAIR: (2,),
        Shape.TRIPLE: (3,),
        Shape.FULL_HOUSE: (5,),
        Shape.STRAIGHT: (5,),
        Shape.PAIR_RUN: (6,),
        Shape.TRIPLE_RUN: (6,),
        Shape.BOMB: WHOLE_BOMB,
        Shape.STRAIGHT_FLUSH: (5,),
        Shape.JOKER_BOMB: (4,),
    }.items()
    for size in sizes
    for kind, main in enumerate(MAINS)
}
"""Every reading once, by shape, size and kind of `main`; some of them no set has."""


class Split(NamedTuple):
    """A set of cards, its wild ones apart: natural cards by kind, and their suits as bits."""

    size: int
    wilds: int
    counts: tuple[int, ...]
    suits: int

    @property
    def distinct(self) -> list[Kind]:
        """The natural kinds, jokers included."""
        return [kind for kind, number in enumerate(self.counts) if number]

    @property
    def mask(self) -> int:
        """The natural ranks as bits."""
        return sum(1 << kind for kind in RANKS if self.counts[kind])

    @property
    def one_suit(self) -> bool:
        """Whether all natural cards share a suit."""
        return self.suits & (self.suits - 1) == 0


def split(cards: Sequence[AnyCard], level: Rank) -> Split:
    """Count the cards by kind, the hearts of the level apart."""
    wild = wild_face(KIND_OF_LEVEL[level])
    counts, suits, wilds = [0] * 15, 0, 0
    for card in cards:
        face = FACE_OF[card]
        if face == wild:
            wilds += 1
            continue
        counts[KIND_OF_FACE[face]] += 1
        suits |= 1 << face % 4
    return Split(len(cards), wilds, tuple(counts), suits)


def readings(cards: Sequence[AnyCard], level: Rank, options: Options) -> tuple[Reading, ...]:
    """Everything that the cards may be, by shape and main; empty if they are no combination."""
    parts = split(cards, level)
    find = _BY_SIZE.get(parts.size, _bombs)
    found = find(parts, KIND_OF_LEVEL[level], options)
    return tuple([READINGS[shape, parts.size, main] for shape, main in found])


def _singles(parts: Split, level: Kind, _: Options) -> Iterator[tuple[Shape, Kind]]:
    yield Shape.SINGLE, level if parts.wilds else parts.distinct[0]


def _pairs(parts: Split, level: Kind, options: Options) -> Iterator[tuple[Shape, Kind]]:
    kinds = parts.distinct
    if not kinds:
        kinds = list(RANKS) if options.wild_pair_any_rank else [level]
    elif len(kinds) > 1 or (kinds[0] in (BLACK, RED) and parts.wilds):
        return
    for kind in kinds:
        yield Shape.PAIR, kind


def _triples(parts: Split, _level: Kind, _: Options) -> Iterator[tuple[Shape, Kind]]:
    kinds = parts.distinct
    if len(kinds) == 1 and kinds[0] in RANKS:
        yield Shape.TRIPLE, kinds[0]


def _bombs(parts: Split, _level: Kind, _: Options) -> Iterator[tuple[Shape, Kind]]:
    kinds = parts.distinct
    if len(kinds) == 1 and kinds[0] in RANKS and parts.size in WHOLE_BOMB:
        yield Shape.BOMB, kinds[0]
    if parts.size == 4 and parts.counts[BLACK] == parts.counts[RED] == 2:
        yield Shape.JOKER_BOMB, RED


def _fives(parts: Split, level: Kind, options: Options) -> Iterator[tuple[Shape, Kind]]:
    yield from _full_houses(parts)
    if parts.counts[BLACK] or parts.counts[RED]:
        return
    yield from _straights(parts, options)
    yield from _bombs(parts, level, options)


def _full_houses(parts: Split) -> Iterator[tuple[Shape, Kind]]:
    """Wild cards fill triple and pair; a pair of jokers must be natural and equal."""
    counts, kinds = parts.counts, parts.distinct
    jokers = counts[BLACK] + counts[RED]
    ranks = [kind for kind in kinds if kind in RANKS]
    if jokers:
        if len(kinds) == 2 and len(ranks) == 1 and jokers == 2:
            yield Shape.FULL_HOUSE, ranks[0]
    elif len(ranks) == 2:
        for main, other in (ranks, reversed(ranks)):
            if counts[main] <= 3 and counts[other] <= 2:  # the deficits then add up to the wilds
                yield Shape.FULL_HOUSE, main
    elif len(ranks) == 1 and counts[ranks[0]] == 3:
        yield Shape.FULL_HOUSE, ranks[0]


def _straights(parts: Split, options: Options) -> Iterator[tuple[Shape, Kind]]:
    if len(parts.distinct) != 5 - parts.wilds:
        return
    allowed = options.flush_wild_as_straight if parts.wilds else options.flush_run_as_straight
    mask = parts.mask
    tops = [window.top for window in STRAIGHTS if mask & ~window.mask == 0]
    for top in tops:
        if not parts.one_suit or allowed:
            yield Shape.STRAIGHT, top
    for top in tops:
        if parts.one_suit:
            yield Shape.STRAIGHT_FLUSH, top


def _sixes(parts: Split, level: Kind, options: Options) -> Iterator[tuple[Shape, Kind]]:
    if not parts.counts[BLACK] and not parts.counts[RED]:
        mask, most = parts.mask, max(parts.counts)
        for shape, windows, copies in (
            (Shape.PAIR_RUN, PAIR_RUNS, 2),
            (Shape.TRIPLE_RUN, TRIPLE_RUNS, 3),
        ):
            for window in windows if most <= copies else ():
                if mask & ~window.mask == 0:
                    yield shape, window.top
    yield from _bombs(parts, level, options)


def _none(_parts: Split, _level: Kind, _: Options) -> Iterator[tuple[Shape, Kind]]:
    yield from ()


_BY_SIZE: Final = {0: _none, 1: _singles, 2: _pairs, 3: _triples, 5: _fives, 6: _sixes}
"""How to read sets of each size; all other sizes can only be bombs."""
