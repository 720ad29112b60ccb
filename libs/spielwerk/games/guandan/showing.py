"""What the wild cards of a play stand for, to be shown; it has no meaning for the rules."""

from __future__ import annotations

from collections.abc import Sequence

from spielwerk.cards import AnyCard, Card, Rank, Suit
from spielwerk.games.guandan.cards import (
    ACE,
    FACE_OF,
    KIND_OF_FACE,
    KIND_OF_LEVEL,
    KIND_OF_MAIN,
    LEVELS,
    Cards,
    Kind,
    is_wild,
)
from spielwerk.games.guandan.combos import (
    PAIR_RUNS,
    STRAIGHTS,
    TRIPLE_RUNS,
    Reading,
    Shape,
)
from spielwerk.games.guandan.model import Combination

_RUNS = {
    Shape.STRAIGHT: (STRAIGHTS, 1),
    Shape.STRAIGHT_FLUSH: (STRAIGHTS, 1),
    Shape.PAIR_RUN: (PAIR_RUNS, 2),
    Shape.TRIPLE_RUN: (TRIPLE_RUNS, 3),
}


def combination(cards: Cards, reading: Reading, level: Rank) -> Combination:
    """The cards with their reading, and their wild cards shown."""
    shown = wild_as(cards, reading, level)
    return Combination(cards, reading.shape, reading.size, reading.main, shown)


def wild_as(cards: Sequence[AnyCard], reading: Reading, level: Rank) -> tuple[Card, ...]:
    """One card for each wild card, from low to high in runs (clause 5.5)."""
    wilds = sum(is_wild(card, level) for card in cards)
    if not wilds:
        return ()
    natural = [card for card in cards if not is_wild(card, level)]
    kinds = _missing(natural, reading, KIND_OF_LEVEL[level], wilds)
    suit = _suit(natural, reading)
    return tuple(Card(LEVELS[kind], suit) for kind in kinds)


def _missing(
    natural: Sequence[AnyCard], reading: Reading, level: Kind, wilds: int
) -> tuple[Kind, ...]:
    held = [KIND_OF_FACE[FACE_OF[card]] for card in natural]
    main = KIND_OF_MAIN[reading.main]
    if reading.shape in _RUNS:
        windows, copies = _RUNS[reading.shape]
        window = next(window for window in windows if window.top == main)
        gaps = ((kind,) * (copies - held.count(kind)) for kind in window.kinds)
        return tuple(kind for gap in gaps for kind in gap)
    if reading.shape is not Shape.FULL_HOUSE:
        return (main,) * wilds
    filled = 3 - held.count(main)
    other = next((kind for kind in held if kind != main), _any_pair(main, level))
    return (main,) * filled + (other,) * (wilds - filled)


def _any_pair(main: Kind, level: Kind) -> Kind:
    """Two wild cards beside a triple: the level, or the highest other rank."""
    if main != level:
        return level
    return ACE if level != ACE else ACE - 1


def _suit(natural: Sequence[AnyCard], reading: Reading) -> Suit:
    suits = {card.suit for card in natural if isinstance(card, Card)}
    if reading.shape is Shape.STRAIGHT_FLUSH:
        return suits.pop()
    if reading.shape is Shape.STRAIGHT and suits != {Suit.SPADES}:
        return Suit.SPADES
    return Suit.HEARTS
