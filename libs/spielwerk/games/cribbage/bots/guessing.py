"""What the opponent may hold, as far as a seat can know it."""

from __future__ import annotations

from collections import Counter

from spielwerk.cards import french_pack
from spielwerk.chance import Chance
from spielwerk.games.cribbage.bots.foresight import Pips, pips_of
from spielwerk.games.cribbage.model import COUNT_VALUE, LIMIT, Cards
from spielwerk.games.cribbage.views import View


def guesses(view: View, chance: Chance, samples: int) -> Counter[Pips]:
    """Hands drawn for the opponent from the cards that it may hold, and how often each came."""
    possible = possible_cards(view)
    size = sum(view.hand_counts) - len(view.hand)
    draws = (chance.shuffle(f"guess/{draw}", possible)[:size] for draw in range(samples))
    return Counter(pips_of(cards) for cards in draws)


def possible_cards(view: View) -> Cards:
    """The pack less what the seat has seen and what the goes of the opponent exclude."""
    seen = {*view.dealt, view.starter, *(laid.card for laid in view.played)}
    # Whoever said go held nothing that fitted, and holds nothing else since.
    room = max((LIMIT - go.count for go in view.goes if go.seat != view.seat), default=0)
    return tuple(
        card for card in french_pack() if card not in seen and COUNT_VALUE[card.rank] > room
    )
