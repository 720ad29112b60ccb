"""The play on ranks alone: what a card scores, the greedy reply, and the rest of a deal to its end.

Ranks are pips, ace 1 to king 13; hands are sorted, sequences stand in the order played. These are
pure functions of a few small numbers, so what they answered is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from spielwerk.cards import Card
from spielwerk.games.cribbage.model import LIMIT, PIPS
from spielwerk.games.cribbage.pegging import pair_points, run_points

Pips: TypeAlias = tuple[int, ...]

VALUES: Final = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
"""Count value by pip."""

_REMEMBERED: Final = 1 << 12
"""Answers kept of each function: more save no time, and the garbage collector halts over them."""

_TRAPS: Final = frozenset({5, 21})
"""Counts that a ten card turns into 15 or 31; there are sixteen of them."""


def pips_of(cards: Iterable[Card]) -> Pips:
    """The sorted ranks of a hand."""
    return tuple(sorted(PIPS[card.rank] for card in cards))


@lru_cache(maxsize=_REMEMBERED)
def count_of(played: Pips) -> int:
    """The count that a sequence makes."""
    return sum(VALUES[pip] for pip in played)


@lru_cache(maxsize=_REMEMBERED)
def card_points(played: Pips) -> int:
    """What the last of a sequence scores: 15, 31, pairs, run; go and last card come on top."""
    count = count_of(played)
    return 2 * (count in (15, LIMIT)) + pair_points(played) + run_points(played)


def fitting(hand: Pips, count: int) -> Iterator[int]:
    """The different ranks of a sorted hand that may be played, lowest first."""
    before = 0
    for pip in hand:
        if count + VALUES[pip] > LIMIT:
            return
        if pip != before:
            yield pip
        before = pip


@lru_cache(maxsize=_REMEMBERED)
def greedy(hand: Pips, played: Pips) -> int:
    """The rank with most points at once; of equals the highest count value, then the lowest."""
    count = count_of(played)
    return max(fitting(hand, count), key=lambda pip: (card_points((*played, pip)), VALUES[pip]))


@lru_cache(maxsize=_REMEMBERED)
def wary(hand: Pips, played: Pips) -> int:
    """Greedy, but of equal cards one that neither leads a five nor leaves a count of 5 or 21."""
    count = count_of(played)

    def merit(pip: int) -> tuple[int, bool, int]:
        after = count + VALUES[pip]
        safe = after not in _TRAPS  # a led five leaves a count of 5
        return card_points((*played, pip)), safe, VALUES[pip]

    return max(fitting(hand, count), key=merit)


def outlook(mine: Pips, theirs: Pips, played: Pips, pip: int) -> int:
    """My points less theirs from now to the end of the deal, if I play `pip`.

    They answer warily; I, who know their hand here, go on as well as possible.
    """
    return _play(mine, theirs, played, pip, by_me=True)


def _play(mine: Pips, theirs: Pips, played: Pips, pip: int, *, by_me: bool) -> int:
    played = (*played, pip)
    if by_me:
        return card_points(played) + _after(_without(mine, pip), theirs, played, by_me)
    return -card_points(played) + _after(mine, _without(theirs, pip), played, by_me)


def _after(mine: Pips, theirs: Pips, played: Pips, by_me: bool) -> int:
    """The rest of the deal after a card that I (or they) have just laid."""
    count = count_of(played)
    if count == LIMIT:
        return _lead(mine, theirs, not by_me)
    last = 1 if by_me else -1
    if not mine and not theirs:
        return last
    hands = (mine, theirs) if by_me else (theirs, mine)
    if _fits(hands[1], count):
        return _turn(mine, theirs, played, not by_me)
    if _fits(hands[0], count):
        return _turn(mine, theirs, played, by_me)
    return last + _lead(mine, theirs, not by_me)


@lru_cache(maxsize=_REMEMBERED)
def _lead(mine: Pips, theirs: Pips, by_me: bool) -> int:
    """The rest of the deal after a reset; a seat without cards leaves the lead to the other."""
    if not mine and not theirs:
        return 0
    return _turn(mine, theirs, (), by_me if (mine if by_me else theirs) else not by_me)


def _turn(mine: Pips, theirs: Pips, played: Pips, by_me: bool) -> int:
    if not by_me:
        return _play(mine, theirs, played, wary(theirs, played), by_me=False)
    count = count_of(played)
    return max(_play(mine, theirs, played, pip, by_me=True) for pip in fitting(mine, count))


def _fits(hand: Pips, count: int) -> bool:
    return bool(hand) and count + VALUES[hand[0]] <= LIMIT


def _without(hand: Pips, pip: int) -> Pips:
    place = hand.index(pip)
    return hand[:place] + hand[place + 1 :]
