"""The slow, literal way: put every ordinary card in the place of every wild card and look.

Written apart from the engine, from the rules alone; it shares nothing with it but the cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import TypeAlias

Named: TypeAlias = tuple[str, int, str]
"""Shape, size and main."""

RANKS = "23456789TJQKA"
LINE = "A" + RANKS
ORDINARY = tuple(rank + suit for rank in RANKS for suit in "CDHS")


def readings(cards: Sequence[str], level: str) -> set[Named]:
    """What the cards may be: the shapes of all sets that the wild cards can make."""
    wild = level + "H"
    if list(cards) == [wild]:
        return {("single", 1, level)}
    natural = tuple(sorted(card for card in cards if card != wild))
    wilds = len(cards) - len(natural)
    found = {
        shape_of(tuple(sorted((*natural, *stand_ins))))
        for stand_ins in combinations_with_replacement(ORDINARY, wilds)
    }
    return {reading for reading in found if reading}


@cache
def shape_of(cards: tuple[str, ...]) -> Named | None:
    """The one shape of a set without wild cards."""
    size = len(cards)
    ranks = Counter(card if card in ("RJ", "BJ") else card[0] for card in cards)
    numbers = sorted(ranks.values())
    jokers = ranks["RJ"] + ranks["BJ"]
    first = next(iter(ranks))
    if size == 4 and ranks["RJ"] == ranks["BJ"] == 2:
        return "joker_bomb", 4, "RJ"
    if size == 5 and numbers == [2, 3]:
        return "full_house", 5, max(ranks, key=lambda rank: ranks[rank])
    if len(ranks) == 1 and size <= (2 if jokers else 10):
        return ("single", "pair", "triple", *["bomb"] * 7)[size - 1], size, first
    return None if jokers else run(cards, ranks)


def run(cards: tuple[str, ...], ranks: Counter[str]) -> Named | None:
    for shape, size, copies in (("straight", 5, 1), ("pair_run", 6, 2), ("triple_run", 6, 3)):
        if len(cards) != size or set(ranks.values()) != {copies}:
            continue
        for start in range(len(LINE) - size // copies + 1):
            window = LINE[start : start + size // copies]
            if set(window) == set(ranks):
                one_suit = len({card[1] for card in cards}) == 1
                flush = shape == "straight" and one_suit
                return "straight_flush" if flush else shape, size, window[-1]
    return None


def beats(new: Named, old: Named, level: str) -> bool:
    """By the ladder, written as a list."""
    ladder = ["4", "5", "straight_flush", "6", "7", "8", "9", "10", "joker_bomb"]

    def rung(named: Named) -> int:
        name = str(named[1]) if named[0] == "bomb" else named[0]
        return ladder.index(name) if name in ladder else -1

    def value(named: Named) -> int:
        if named[0] in ("straight", "pair_run", "triple_run", "straight_flush"):
            return RANKS.index(named[2])
        order = [*(rank for rank in RANKS if rank != level), level, "BJ", "RJ"]
        return order.index(named[2])

    if rung(new) != rung(old):
        return rung(new) > rung(old)
    return (new[:2] == old[:2]) and value(new) > value(old)


def plays(hand: Sequence[str], level: str, top: Named | None) -> set[tuple[Named, tuple[str, ...]]]:
    """Every sub-set of the hand in every reading that beats the table."""
    subsets: Iterable[tuple[str, ...]] = {
        subset for size in range(1, 11) for subset in combinations(sorted(hand), size)
    }
    return {
        (reading, subset)
        for subset in subsets
        for reading in readings(subset, level)
        if top is None or beats(reading, top, level)
    }
