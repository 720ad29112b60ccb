"""All that five dice can show or keep, order aside: 462 keeps, of which 252 are whole rolls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias

from spielwerk.games.yatzee.model import DICE, Dice

WEIGHT: Final = 6**DICE
"""A sum over all throws of five dice; a keep of fewer loose dice is scaled up to it."""

Worths: TypeAlias = Sequence[int]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The keeps by size, ascending within a size, so that the whole rolls come last."""

    keeps: tuple[Dice, ...]
    index: dict[Dice, int]
    more: tuple[tuple[int, ...], ...]
    """By keep of fewer than five dice: the six keeps that one more die can make of it."""
    inner: tuple[tuple[int, ...], ...]
    """By roll: the keeps of fewer than five of its dice."""

    @property
    def first_roll(self) -> int:
        """The index of the first whole roll."""
        return len(self.more)

    @property
    def rolls(self) -> tuple[Dice, ...]:
        """The whole rolls."""
        return self.keeps[self.first_roll :]

    def expected(self, worths: Worths) -> list[int]:
        """By keep: the mean worth of the rolls it can become, times WEIGHT. Exact.

        `worths` are those of the rolls. One die more makes one of six keeps, so a keep is worth
        the sixth part of their sum, which is whole: the factor 6 is left for each loose die.
        """
        means = [0] * self.first_roll + [worth * WEIGHT for worth in worths]
        for keep in range(self.first_roll - 1, -1, -1):
            means[keep] = sum([means[more] for more in self.more[keep]]) // 6
        return means

    def improved(self, worths: Worths, means: Sequence[int]) -> list[int]:
        """By roll: the better of staying and keeping the best part, times WEIGHT."""
        return [
            max(worth * WEIGHT, *[means[keep] for keep in inner])
            for worth, inner in zip(worths, self.inner, strict=True)
        ]


@lru_cache(maxsize=1)
def outcomes() -> Outcomes:
    """The one table of them, made at first use."""
    faces = range(1, 7)
    keeps = tuple(
        keep for size in range(DICE + 1) for keep in combinations_with_replacement(faces, size)
    )
    index = {keep: number for number, keep in enumerate(keeps)}
    more = tuple(
        tuple(index[tuple(sorted((*keep, face)))] for face in faces)
        for keep in keeps
        if len(keep) < DICE
    )
    inner = tuple(
        tuple(sorted({index[part] for size in range(DICE) for part in combinations(roll, size)}))
        for roll in keeps[len(more) :]
    )
    return Outcomes(keeps, index, more, inner)
