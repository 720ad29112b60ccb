"""Every play of a hand by ranks: what may be laid, with how many wild cards, in which reading.

Subsets are never tried. Each shape walks its own few patterns, from the weakest `main` up, and
leaves out at once what cannot beat the table; suits are chosen afterwards (see `held`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from spielwerk.games.guandan.cards import BLACK, RANKS, RED, STRENGTHS, WEAKEST_FIRST, Kind
from spielwerk.games.guandan.combos import (
    PAIR_RUNS,
    READINGS,
    STRAIGHTS,
    TRIPLE_RUNS,
    WHOLE_BOMB,
    Reading,
    Shape,
)
from spielwerk.games.guandan.held import Held, RankPlay, must_mix
from spielwerk.games.guandan.ladder import rung_of, value_of
from spielwerk.games.guandan.options import Options

Kinds: TypeAlias = tuple[Kind, ...]
Pattern: TypeAlias = tuple[Kinds, int]
"""Natural kinds and the number of wild cards."""

LOWEST: Final = -1


@dataclass(frozen=True, slots=True)
class Search:
    """A hand, the house rules and what must be beaten (None: the seat leads)."""

    held: Held
    options: Options
    top: Reading | None

    def above(self, shape: Shape, size: int) -> int | None:
        """Plays of the shape must be worth more than this; None if none of them is allowed."""
        top = self.top
        if top is None:
            return LOWEST
        rung, table = rung_of(READINGS[shape, size, RED]), rung_of(top)
        if rung != table or (rung == 0 and (shape is not top.shape or size != top.size)):
            return LOWEST if rung > table else None
        return value_of(top, self.held.level)


def rank_plays(held: Held, options: Options, top: Reading | None) -> list[RankPlay]:
    """All plays by shape, then `main` from the weakest, then wild cards."""
    search = Search(held, options, top)
    ordinary = () if top is not None and rung_of(top) else _ORDINARY
    found: list[RankPlay] = []
    for find in (*ordinary, *_BOMBS):
        found += find(search)
    return found


def _equal(search: Search, shape: Shape, size: int) -> Iterator[RankPlay]:
    """So many cards of one rank."""
    held, above = search.held, search.above(shape, size)
    if above is None:
        return
    strengths = STRENGTHS[held.level]
    for kind in WEAKEST_FIRST[held.level]:
        if strengths[kind] <= above:
            continue
        have, wilds = held.counts[kind], 0 if kind >= BLACK else held.wilds
        # One natural card at least: wild cards alone are singles and pairs of their own.
        for wild in range(max(0, size - have), min(wilds, size - 1) + 1):
            yield RankPlay(READINGS[shape, size, kind], (kind,) * (size - wild), wild)


def _singles(search: Search) -> Iterator[RankPlay]:
    yield from _equal(search, Shape.SINGLE, 1)
    yield from _all_wild(search, Shape.SINGLE, 1, (search.held.level,))


def _pairs(search: Search) -> Iterator[RankPlay]:
    yield from _equal(search, Shape.PAIR, 2)
    anything = search.options.wild_pair_any_rank
    level = search.held.level
    yield from _all_wild(search, Shape.PAIR, 2, WEAKEST_FIRST[level] if anything else (level,))


def _all_wild(search: Search, shape: Shape, size: int, kinds: Kinds) -> Iterator[RankPlay]:
    above = search.above(shape, size)
    if above is None or search.held.wilds < size:
        return
    for kind in kinds:
        if kind in RANKS and STRENGTHS[search.held.level][kind] > above:
            yield RankPlay(READINGS[shape, size, kind], (), size)


def _triples(search: Search) -> Iterator[RankPlay]:
    for play in _equal(search, Shape.TRIPLE, 3):
        if play.kinds[0] < BLACK:
            yield play


def _full_houses(search: Search) -> Iterator[RankPlay]:
    held, above = search.held, search.above(Shape.FULL_HOUSE, 5)
    if above is None:
        return
    pairs = _pairs_by_wilds(held)
    for main in WEAKEST_FIRST[held.level]:
        if main >= BLACK or STRENGTHS[held.level][main] <= above:
            continue
        reading, have = READINGS[Shape.FULL_HOUSE, 5, main], held.counts[main]
        for filled in range(max(0, 3 - have), min(held.wilds, 2) + 1):
            triple = (main,) * (3 - filled)
            for more in range(held.wilds - filled + 1):
                for pair in pairs[more]:
                    if pair == () and filled:
                        continue
                    if pair[:1] != triple[:1]:
                        yield RankPlay(reading, triple + pair, filled + more)


def _pairs_by_wilds(held: Held) -> tuple[list[Kinds], ...]:
    """The pairs of a full house by the wild cards in them; two wild cards are one pair."""
    natural: list[Kinds] = [(kind, kind) for kind, have in enumerate(held.counts) if have >= 2]
    helped: list[Kinds] = [(kind,) for kind in RANKS if held.counts[kind]]
    return natural, helped, [()]


def _straights(search: Search) -> Iterator[RankPlay]:
    held, above = search.held, search.above(Shape.STRAIGHT, 5)
    if above is None:
        return
    have = held.suits[0] | held.suits[1] | held.suits[2] | held.suits[3]
    for number, window in enumerate(STRAIGHTS):
        if window.top <= above:
            continue
        reading = READINGS[Shape.STRAIGHT, 5, window.top]
        for kinds, wilds in _lines(number, have & window.mask, held.wilds):
            play = RankPlay(reading, kinds, wilds)
            if not must_mix(play, search.options) or _two_suits(held, kinds):
                yield play


def _two_suits(held: Held, kinds: Kinds) -> bool:
    suits = held.suits_of(kinds)
    return suits & (suits - 1) != 0


def _straight_flushes(search: Search) -> Iterator[RankPlay]:
    held, above = search.held, search.above(Shape.STRAIGHT_FLUSH, 5)
    if above is None:
        return
    for number, window in enumerate(STRAIGHTS):
        if window.top <= above:
            continue
        reading = READINGS[Shape.STRAIGHT_FLUSH, 5, window.top]
        for suit, have in enumerate(held.suits):
            for kinds, wilds in _lines(number, have & window.mask, held.wilds):
                yield RankPlay(reading, kinds, wilds, suit)


def _pair_runs(search: Search) -> Iterator[RankPlay]:
    yield from _thick_runs(search, Shape.PAIR_RUN, 2)


def _triple_runs(search: Search) -> Iterator[RankPlay]:
    yield from _thick_runs(search, Shape.TRIPLE_RUN, 3)


def _thick_runs(search: Search, shape: Shape, copies: int) -> Iterator[RankPlay]:
    held, above = search.held, search.above(shape, 6)
    if above is None:
        return
    for window in PAIR_RUNS if copies == 2 else TRIPLE_RUNS:
        if window.top <= above:
            continue
        have = tuple([min(copies, held.counts[kind]) for kind in window.kinds])
        if sum(have) + held.wilds < 6:
            continue
        for kinds, wilds in _columns(window.kinds, have, held.wilds):
            yield RankPlay(READINGS[shape, 6, window.top], kinds, wilds)


def _bombs(search: Search) -> Iterator[RankPlay]:
    most = max(search.held.counts[:BLACK]) + search.held.wilds
    for size in WHOLE_BOMB:
        if size > most:
            return
        yield from _equal(search, Shape.BOMB, size)


def _joker_bomb(search: Search) -> Iterator[RankPlay]:
    counts, above = search.held.counts, search.above(Shape.JOKER_BOMB, 4)
    if counts[BLACK] == counts[RED] == 2 and above == LOWEST:  # nothing beats another one
        kinds = (BLACK, BLACK, RED, RED)
        yield RankPlay(READINGS[Shape.JOKER_BOMB, 4, RED], kinds, 0)


@cache
def _lines(number: int, have: int, wilds: int) -> tuple[Pattern, ...]:
    """The ways to fill the straight window: fewest wild cards first."""
    kinds = STRAIGHTS[number].kinds
    ways = []
    for natural in product((True, False), repeat=5):
        chosen = tuple(kind for kind, taken in zip(kinds, natural, strict=True) if taken)
        missing = 5 - len(chosen)
        if missing <= wilds and all(have >> kind & 1 for kind in chosen):
            ways.append((chosen, missing))
    return tuple(sorted(ways, key=lambda way: way[1]))


@cache
def _columns(kinds: Kinds, have: tuple[int, ...], wilds: int) -> tuple[Pattern, ...]:
    """The ways to fill a window of pairs or triples: fewest wild cards first."""
    ways = []
    for taken in product(*(range(number, -1, -1) for number in have)):
        missing = 6 - sum(taken)
        if missing <= wilds:
            chosen = tuple(k for k, number in zip(kinds, taken, strict=True) for _ in range(number))
            ways.append((chosen, missing))
    return tuple(sorted(ways, key=lambda way: way[1]))


_ORDINARY: Final = (
    _singles,
    _pairs,
    _triples,
    _full_houses,
    _straights,
    _pair_runs,
    _triple_runs,
)
_BOMBS: Final = (_bombs, _straight_flushes, _joker_bomb)
