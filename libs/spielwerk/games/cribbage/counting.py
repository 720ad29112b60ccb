"""The show: what four cards are worth with the starter (clause 6)."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from math import comb

from spielwerk.cards import Card, Rank
from spielwerk.games.cribbage.model import PIPS, Cards, ShowPoints


def show(cards: Cards, starter: Card, *, crib: bool = False, crib_four: bool = False) -> ShowPoints:
    """Points of four cards and the starter; a crib scores no flush of four unless `crib_four`."""
    fifteens, pairs, runs = rank_points(_sorted((*cards, starter)))
    return ShowPoints(
        fifteens=fifteens,
        pairs=pairs,
        runs=runs,
        flush=_flush(cards, starter, four_counts=crib_four or not crib),
        nobs=int(any(card.rank is Rank.JACK and card.suit is starter.suit for card in cards)),
    )


def static_value(cards: Cards) -> int:
    """Points of four cards alone: with a flush of four, without starter and nobs (clause 9.3)."""
    one_suit = all(card.suit is cards[0].suit for card in cards)
    return sum(rank_points(_sorted(cards))) + (4 if one_suit else 0)


@cache  # 6,175 sets of five ranks and 1,820 of four: bounded, and a pure function
def rank_points(pips: tuple[int, ...]) -> tuple[int, int, int]:
    """Fifteens, pairs and runs of a rising tuple of ranks, ace 1 to king 13; suits play no part."""
    values = [min(pip, 10) for pip in pips]
    fifteens = sum(
        sum(chosen) == 15
        for size in range(2, len(pips) + 1)
        for chosen in combinations(values, size)
    )
    held = Counter(pips)
    pairs = sum(comb(number, 2) for number in held.values())
    return 2 * fifteens, 2 * pairs, _runs(held)


def _runs(held: Counter[int]) -> int:
    """Length times the ways to pick a card of each rank, for every block of three or more ranks."""
    points = length = 0
    ways = 1
    for pip in range(1, 15):  # 14 is no rank: it closes a block that ends with the king
        if held[pip]:
            length, ways = length + 1, ways * held[pip]
            continue
        points += length * ways if length >= 3 else 0
        length, ways = 0, 1
    return points


def _flush(cards: Cards, starter: Card, *, four_counts: bool) -> int:
    suit = cards[0].suit
    if any(card.suit is not suit for card in cards):
        return 0
    if starter.suit is suit:
        return 5
    return 4 if four_counts else 0


def _sorted(cards: Cards) -> tuple[int, ...]:
    return tuple(sorted([PIPS[card.rank] for card in cards]))
