"""A deal with all cards known, played to its end by maxims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from spielwerk.games.skat.bots.maxims import Trick, lay
from spielwerk.games.skat.bots.null_maxims import lay_null
from spielwerk.games.skat.bots.spaces import Space
from spielwerk.games.skat.cards import ContractType

Lay: TypeAlias = Callable[[Space, int, Trick, int, int], int]


@dataclass(frozen=True, slots=True)
class World:
    """All cards of a deal in the play, and what was taken so far.

    `aside` is skat or discards: the declarer's points, unseen by the defenders. `taken` is
    (declarer's points without `aside`, declarer's tricks, defenders' tricks).
    """

    hands: tuple[int, int, int]
    aside: int
    declarer: int
    leader: int
    trick: Trick = ()
    points: int = 0
    tricks: int = 0
    defender_tricks: int = 0


def maxims_of(space: Space) -> Lay:
    """How a contract is played."""
    return lay_null if space.kind is ContractType.NULL else lay


def play_out(space: Space, world: World, first_card: int = 0) -> tuple[int, int, int]:
    """Points of the declarer's tricks, declarer's tricks, defenders' tricks at the end.

    The seat on turn begins with `first_card`, if one is given. Null ends with a trick of the
    declarer.
    """
    hands: list[int] = list(world.hands)
    declarer, leader, trick = world.declarer, world.leader, world.trick
    points, won, lost = world.points, world.tricks, world.defender_tricks
    choose, null = maxims_of(space), space.kind is ContractType.NULL
    left = hands[0] | hands[1] | hands[2]
    value, suits, trump, aside = space.points, space.suit, space.trump, world.aside
    while left:
        place = len(trick)
        seat = (leader + place) % 3
        hand = hands[seat]
        if first_card:
            card, first_card = first_card, 0
        else:
            unseen = left ^ hand if seat == declarer else (left | aside) ^ hand
            card = choose(space, hand, trick, unseen, (declarer - leader) % 3)
        hands[seat] = hand ^ card
        left ^= card
        trick = (*trick, card)
        if place < 2:
            continue
        a, b, c = trick
        counting = suits[a] | trump
        b &= counting
        c &= counting
        leader = (leader + (0 if a > b and a > c else 1 if b > c else 2)) % 3
        if leader == declarer:
            points += value[a] + value[trick[1]] + value[trick[2]]
            won += 1
            if null:
                break
        else:
            lost += 1
        trick = ()
    return points, won, lost


def legal_of(space: Space, hand: int, trick: Sequence[int]) -> int:
    """The cards of the hand that may be laid."""
    return hand & space.suit[trick[0]] or hand if trick else hand
