"""Cards as bits, a numbering for each contract, so that a bot can play thousands of hands.

Within a contract a card is one bit of 32. In each group (a suit, or trump) a higher bit is a higher
card, and trumps are the highest bits of all. So the winner of a trick is simply the greatest of its
cards after all that neither follow nor trump are masked out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from spielwerk.cards import Card, Rank
from spielwerk.games.skat.cards import (
    GROUP,
    PACK,
    POINTS,
    STRENGTH,
    Cards,
    ContractType,
    Group,
)

ALL: Final = (1 << 32) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The numbering of one contract; a hand is the sum of its bits."""

    kind: ContractType
    cards: Cards
    """By number of the bit."""
    bit: Mapping[Card, int]
    points: Mapping[int, int]
    """By bit."""
    suit: Mapping[int, int]
    """Bit to all bits of its group."""
    trump: int
    sides: tuple[int, ...]
    """The groups that are not trump."""
    glad: tuple[int, ...]
    """All bits as one likes to lay them to a trick of one's own side: tens first, jacks last."""
    cheap: tuple[int, ...]
    """All bits as one likes to lay them to a trick of the other side: no points, low, no trump."""

    def mask(self, cards: Iterable[Card]) -> int:
        """The cards as bits."""
        bit = self.bit
        return sum([bit[card] for card in cards])

    def held(self, mask: int) -> Cards:
        """The bits as cards."""
        return tuple([card for number, card in enumerate(self.cards) if mask >> number & 1])

    def card(self, bit: int) -> Card:
        """One bit as a card."""
        return self.cards[bit.bit_length() - 1]


@cache
def space_of(kind: ContractType) -> Space:
    """The numbering of a contract, built once."""
    groups, strengths = GROUP[kind], STRENGTH[kind]
    order = {group: place for place, group in enumerate(Group)}  # trump is the last one
    cards = tuple(sorted(PACK, key=lambda c: (order[groups[c]], strengths[c])))
    bit = {card: 1 << number for number, card in enumerate(cards)}
    masks = {group: sum(bit[c] for c in PACK if groups[c] is group) for group in Group}
    trump = masks[Group.TRUMP]
    return Space(
        kind=kind,
        cards=cards,
        bit=bit,
        points={bit[card]: POINTS[card] for card in PACK},
        suit={bit[card]: masks[groups[card]] for card in PACK},
        trump=trump,
        sides=tuple(mask for group, mask in masks.items() if mask and group is not Group.TRUMP),
        glad=_bits(bit, cards, lambda c: (-_gladness(c), bit[c])),
        cheap=_bits(bit, cards, lambda c: (_cost(c, trump=bool(bit[c] & trump)), bit[c])),
    )


def first(mask: int, order: tuple[int, ...]) -> int:
    """The first bit of the order that is in the mask, which is not empty."""
    for bit in order:
        if mask & bit:
            return bit
    raise AssertionError("there is a card to lay")


def highest(mask: int) -> int:
    """The highest bit of a mask that is not empty."""
    return 1 << (mask.bit_length() - 1)


def bits_of(mask: int) -> list[int]:
    """The single bits, the lowest first."""
    bits = []
    while mask:
        low = mask & -mask
        bits.append(low)
        mask ^= low
    return bits


def points_in(space: Space, mask: int) -> int:
    """Card points of all bits."""
    total = 0
    points = space.points
    while mask:
        low = mask & -mask
        total += points[low]
        mask ^= low
    return total


def _bits(
    bit: Mapping[Card, int], cards: Cards, key: Callable[[Card], tuple[int, int]]
) -> tuple[int, ...]:
    return tuple(bit[card] for card in sorted(cards, key=key))


def _gladness(card: Card) -> int:
    """A ten is in more danger than an ace, and a jack is worth more than its points."""
    if card.rank is Rank.TEN:
        return 12
    return -4 if card.rank is Rank.JACK else POINTS[card]


def _cost(card: Card, *, trump: bool) -> int:
    return 10 * POINTS[card] + (60 if trump and card.rank is Rank.JACK else 25 * trump)
