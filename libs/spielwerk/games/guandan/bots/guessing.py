"""What the other seats may hold, as far as a seat can know it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from spielwerk.cards import AnyCard
from spielwerk.chance import Chance
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import FACE_OF, FACES, Face
from spielwerk.games.guandan.model import SEATS
from spielwerk.games.guandan.views import View

Hands: TypeAlias = list[list[Face]]
"""By seat; the viewer's own stands in its place."""


def guesses(view: View, chance: Chance, samples: int) -> list[Hands]:
    """Ways to deal the unseen cards to the other seats, each equally likely."""
    own = [FACE_OF[card] for card in view.hand]
    known = known_cards(view)
    hidden = sorted((unseen(view) - Counter(f for held in known for f in held)).elements())
    return [
        _dealt(view, own, known, chance.shuffle(f"guess/{sample}", hidden))
        for sample in range(samples)
    ]


def unseen(view: View) -> Counter[Face]:
    """The pack less the own hand and all cards laid in this deal."""
    left = Counter(dict.fromkeys(range(len(FACES)), 2))
    left.subtract(FACE_OF[card] for card in (*view.hand, *_laid(view)))
    return +left


def known_cards(view: View) -> Hands:
    """Cards that other seats got openly as tribute or return and have not laid since."""
    held: list[Counter[Face]] = [Counter() for _ in SEATS]
    for transfer in (*view.tribute.paid, *view.tribute.returned):
        if transfer.card is not None and transfer.to_seat != view.seat:
            held[transfer.to_seat][FACE_OF[transfer.card]] += 1
    for seat in SEATS:
        laid = Counter(FACE_OF[card] for card in _laid(view, seat))
        held[seat] -= laid
    return [sorted(cards.elements()) for cards in held]


def _laid(view: View, seat: Seat | None = None) -> Iterable[AnyCard]:
    for move in view.moves:
        if move.combination is not None and seat in (None, move.seat):
            yield from move.combination.cards


def _dealt(view: View, own: list[Face], known: Hands, hidden: tuple[Face, ...]) -> Hands:
    hands: Hands = []
    start = 0
    for seat in SEATS:
        if seat == view.seat:
            hands.append(own)
            continue
        missing = view.hand_counts[seat] - len(known[seat])
        hands.append([*known[seat], *hidden[start : start + missing]])
        start += missing
    return hands
