"""Which cards of a shuffled pack go where (clause 2.3)."""

from __future__ import annotations

from typing import Final

from spielwerk.games.game import Seat
from spielwerk.games.skat.cards import Cards, in_order
from spielwerk.games.skat.model import SEATS, Holding

_PACKETS: Final = ((0, 3), (11, 15), (23, 26))
"""From and to, of the forehand; the others' packets of three, four, three come right after."""

_SKAT: Final = slice(9, 11)

COUNTS: Final = (10, 10, 10, 2)
"""Cards of each seat, then the skat."""


def hands_of(deck: Cards, forehand: Seat) -> tuple[Holding, ...]:
    """The ten cards of each seat in canonical order, so that their places tell nothing."""
    hands = []
    for seat in SEATS:
        turn = (seat - forehand) % 3
        cards: Cards = ()
        for start, end in _PACKETS:
            size = end - start
            cards += deck[start + turn * size : end + turn * size]
        hands.append(Holding(seat, in_order(cards)))
    return tuple(hands)


def skat_of(deck: Cards) -> Cards:
    """The two cards after the first round, in canonical order."""
    return in_order(deck[_SKAT])
