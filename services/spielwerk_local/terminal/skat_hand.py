"""How a hand of Skat is sorted at the terminal; the numbers a person types follow it."""

from __future__ import annotations

from spielwerk.cards import Card
from spielwerk.games.skat.cards import GROUP, STRENGTH, SUITS, Cards, ContractType, Group
from spielwerk.games.skat.views import View


def sorted_hand(view: View) -> Cards:
    """The own hand as it is drawn: trumps first, then the suits, high cards first."""
    kind = view.contract.type if view.contract else ContractType.GRAND
    return tuple(sorted(view.hand, key=lambda card: _place(kind, card)))


def _place(kind: ContractType, card: Card) -> tuple[bool, int, int]:
    trump = GROUP[kind][card] is Group.TRUMP
    return not trump, 0 if trump else SUITS.index(card.suit), -STRENGTH[kind][card]
