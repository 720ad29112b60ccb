"""Tribute and return: who pays what to whom, what may be given back, who leads (clause 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spielwerk.cards import RED_JOKER, AnyCard, Card, Rank
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import (
    FACE_OF,
    KIND_OF_LEVEL,
    Cards,
    is_wild,
    strength,
    weakest_key,
)
from spielwerk.games.guandan.model import RedJokers, Transfer, partner_of
from spielwerk.games.guandan.options import Options

LOWEST_UNRETURNABLE = KIND_OF_LEVEL[Rank.JACK]
"""Ranks from the jack up may be returned only by a hand without lower ones."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens before a deal: either nothing is paid (`red_jokers`), or the transfers.

    Payers and transfers stand in ascending seat order.
    """

    payers: tuple[Seat, ...]
    red_jokers: tuple[RedJokers, ...]
    transfers: tuple[Transfer, ...]
    leader: Seat

    @property
    def cancelled(self) -> bool:
        """Whether the payers hold both red jokers."""
        return bool(self.red_jokers)


def plan(previous: Sequence[Seat], hands: Sequence[Cards], level: Rank) -> Plan:
    """The tribute after a deal with these places, at the level of the new deal."""
    first, second, third, last = previous
    double = second == partner_of(first)
    payers = tuple(sorted((third, last))) if double else (last,)
    held = tuple(RedJokers(seat, hands[seat].count(RED_JOKER)) for seat in payers)
    if sum(holding.number for holding in held) == 2:
        return Plan(payers, held, (), first)
    cards = {seat: strongest(hands[seat], level)[0] for seat in payers}
    if not double:
        return Plan(payers, (), (Transfer(last, first, cards[last]),), last)
    to_first = _higher(first, cards, level)
    receivers = {seat: first if seat == to_first else second for seat in payers}
    transfers = tuple(Transfer(seat, receivers[seat], cards[seat]) for seat in payers)
    return Plan(payers, (), transfers, to_first)


def strongest(hand: Cards, level: Rank) -> Cards:
    """The faces of the strongest strength, wild cards left out, in the order C < D < H < S."""
    natural = [card for card in hand if not is_wild(card, level)]
    best = max(strength(card, level) for card in natural)
    faces = {card for card in natural if strength(card, level) == best}
    return tuple(sorted(faces, key=FACE_OF.__getitem__))


def returnable(
    hand: Cards, level: Rank, options: Options, received: AnyCard | None = None
) -> Cards:
    """The faces that the receiver may give back, the weakest first; never empty."""
    rest = [card for card in hand if options.return_same_card or card != received] or hand
    allowed = {card for card in rest if _may_return(card, level, options)}
    if not allowed:
        lowest = min(strength(card, level) for card in rest)
        allowed = {card for card in rest if strength(card, level) == lowest}
    return tuple(sorted(allowed, key=lambda card: weakest_key(card, level)))


def _may_return(card: AnyCard, level: Rank, options: Options) -> bool:
    if not isinstance(card, Card) or is_wild(card, level):
        return False
    if card.rank is level and not options.return_level_card:
        return False
    return KIND_OF_LEVEL[card.rank] < LOWEST_UNRETURNABLE


def _higher(first: Seat, cards: dict[Seat, AnyCard], level: Rank) -> Seat:
    """Who pays the first place: the stronger card, of equals the next seat after the first."""
    in_turn = sorted(cards, key=lambda seat: (seat - first) % 4)
    return max(in_turn, key=lambda seat: strength(cards[seat], level))
