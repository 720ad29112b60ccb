"""How likely a game is won, judged by matadors, aces and length; and what that makes it worth.

The weights are those of a logistic regression over some hundred thousand deals played by the
maxims, in hundredths of a logit: whole numbers, so that every machine judges alike.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import Final

from spielwerk.games.skat.bots.spaces import Space, points_in
from spielwerk.games.skat.cards import TRUMP_LINE, ContractType
from spielwerk.games.skat.scoring import BASE


@dataclass(frozen=True, slots=True)
class Weights:
    """Hundredths of a logit; `jacks` from clubs to diamonds."""

    constant: int
    jacks: tuple[int, int, int, int]
    trump: int = 0
    trump_ace: int = 0
    trump_ten: int = 0
    ace: int = 0
    ten_with_ace: int = 0
    ten_guarded: int = 0
    void: int = 0
    aside_point: int = 0
    forehand: int = 0


AFTER_SKAT: Final = {
    False: Weights(
        constant=-1447,
        jacks=(149, 117, 66, 39),
        trump=161,
        trump_ace=92,
        trump_ten=73,
        ace=190,
        ten_with_ace=39,
        ten_guarded=83,
        void=88,
        aside_point=8,
        forehand=12,
    ),
    True: Weights(
        constant=-969,
        jacks=(280, 188, 173, 167),
        ace=177,
        ten_with_ace=80,
        ten_guarded=106,
        void=93,
        aside_point=10,
    ),
}
"""Of the ten cards that are played, by whether it is Grand."""

BEFORE_SKAT: Final = {
    False: Weights(
        constant=-801,
        jacks=(111, 80, 47, 31),
        trump=105,
        trump_ace=71,
        trump_ten=65,
        ace=130,
        ten_with_ace=47,
        ten_guarded=53,
        void=31,
        forehand=5,
    ),
    True: Weights(
        constant=-590,
        jacks=(226, 160, 157, 141),
        ace=121,
        ten_with_ace=55,
        ten_guarded=78,
        void=37,
        forehand=8,
    ),
}
"""Of the ten cards dealt, when two are still to be exchanged."""

_NULL_CONSTANT: Final = 182
_NULL_SUIT: Final = (0, -14, -49, -67, -95, -96, -96, -96)
"""Of a suit whose worst card lies so many ranks above the run 7 9 J K."""
_NULL_RANK: Final = -30
_NULL_FOREHAND: Final = -37

_LOGITS: Final = (-460, -294, -220, -139, -85, -41, 0, 41, 85, 139, 220, 294, 460)
_PERMILLE: Final = (10, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950, 990)


def permille(logit: int) -> int:
    """The logistic curve, linear between thirteen of its points."""
    if logit <= _LOGITS[0]:
        return _PERMILLE[0]
    if logit >= _LOGITS[-1]:
        return _PERMILLE[-1]
    place = bisect_right(_LOGITS, logit)
    left, right = _LOGITS[place - 1], _LOGITS[place]
    low, high = _PERMILLE[place - 1], _PERMILLE[place]
    return low + (high - low) * (logit - left) // (right - left)


def logit_of(space: Space, hand: int, aside: int, *, forehand: bool, dealt: bool = False) -> int:
    """How well the ten cards stand in a suit game or Grand; `dealt`: the skat is still to come."""
    grand = space.kind is ContractType.GRAND
    weights = (BEFORE_SKAT if dealt else AFTER_SKAT)[grand]
    total = weights.constant + _trump_logit(space, hand, weights)
    for ace, ten, suit in _tops(space):
        held = hand & suit
        if not held:
            total += weights.void
        elif held & ace:
            total += weights.ace + (weights.ten_with_ace if held & ten else 0)
        elif held & ten and held != ten:
            total += weights.ten_guarded
    if aside:
        total += weights.aside_point * points_in(space, aside)
    return total + (weights.forehand if forehand else 0)


def null_logit(space: Space, hand: int, *, forehand: bool) -> int:
    """How safely the ten cards stay without a trick."""
    total = _NULL_CONSTANT + (_NULL_FOREHAND if forehand else 0)
    for suit in space.sides:
        worst, ranks = null_danger(hand & suit, suit)
        total += _NULL_SUIT[worst] + _NULL_RANK * ranks
    return total


def null_danger(held: int, suit: int) -> tuple[int, int]:
    """Ranks by which the cards of a suit lie above 7 9 J K: of the worst card, and of all."""
    floor = (suit & -suit).bit_length()
    safe = worst = ranks = 0
    while held:
        low = held & -held
        above = low.bit_length() - floor - safe
        if above > 0:
            ranks += above
            worst = max(worst, above)
        safe += 2
        held ^= low
    return worst, ranks


def run_of(space: Space, cards: int) -> int:
    """Matadors with or without, as a number from 0 to 11."""
    line = _line(space)
    held = bool(cards & line[0])
    run = 0
    for trump in line:
        if bool(cards & trump) is not held:
            break
        run += 1
    return run


def needed(space: Space, bid: int) -> int:
    """The level that covers the bid."""
    return -(-bid // BASE[space.kind])


def prospect(value: int, loss: int, chance: int) -> int:
    """Points to expect, in thousandths, from a game won with this chance in permille.

    A lost game costs twice its loss value and 50, and brings 40 to each opponent.
    """
    return chance * (value + 50) - (1000 - chance) * (2 * loss + 90)


def _trump_logit(space: Space, hand: int, weights: Weights) -> int:
    line = _line(space)
    total = sum([w for w, jack in zip(weights.jacks, line, strict=False) if hand & jack])
    if space.kind is ContractType.GRAND:
        return total
    total += weights.trump * (hand & space.trump).bit_count()
    total += weights.trump_ace if hand & line[4] else 0
    return total + (weights.trump_ten if hand & line[5] else 0)


@cache
def _line(space: Space) -> tuple[int, ...]:
    """The trumps from high to low."""
    return tuple(space.bit[card] for card in TRUMP_LINE[space.kind])


@cache
def _tops(space: Space) -> tuple[tuple[int, int, int], ...]:
    """(ace, ten, whole suit) of each side suit."""
    tops = []
    for suit in space.sides:
        ace = 1 << (suit.bit_length() - 1)
        tops.append((ace, ace >> 1, suit))
    return tuple(tops)
