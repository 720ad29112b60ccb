"""What a seat knows of the opponent's top card if it remembers every duel (clause 9.3)."""

from __future__ import annotations

from collections.abc import Sequence

from spielwerk.games.game import Seat
from spielwerk.games.quartett.deck import DeckCard
from spielwerk.games.quartett.model import Past
from spielwerk.games.quartett.views import View


def suspects(view: View) -> tuple[DeckCard, ...]:
    """The cards that the opponent may have on top.

    One that was seen is known by its place, since won cards go underneath in a fixed order; an
    unseen one is any that no duel has shown.
    """
    assert view.seat is not None, "bots have seats"
    deck = view.options.deck
    known = _known_top(view.duels, 1 - view.seat, len(deck.cards))
    if known is not None:
        return (deck.card(known),)
    seen = {view.top, *(card_id for past in view.duels for card_id in past.cards)}
    return tuple(card for card in deck.cards if card.id not in seen)


def _known_top(duels: Sequence[Past], seat: Seat, size: int) -> str | None:
    """The card on top of the seat's stack, if it has been won with the duels before."""
    stack: list[str | None] = [None] * (size // 2)
    pot: list[str] = []
    for past in duels:
        del stack[0]
        own, other = past.cards[seat], past.cards[1 - seat]
        if past.winner is None:
            pot += [past.cards[past.chooser], past.cards[1 - past.chooser]]
        else:
            stack += [own, other, *pot] if past.winner == seat else []
            pot = []
    return stack[0]
