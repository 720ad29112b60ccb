"""What cards left in a hand cost, and the places that follow from it (clauses 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from spielwerk.cards import AnyCard, Joker, Rank
from spielwerk.games.game import Seat
from spielwerk.games.maumau.options import Options

_FIELDS: Final = {rank: f"value_{rank.name.lower()}" for rank in Rank}


def card_value(card: AnyCard, options: Options) -> int:
    """Penalty points of one card."""
    if isinstance(card, Joker):
        return options.value_joker
    value: int = getattr(options, _FIELDS[card.rank])
    return value


def hand_value(cards: Iterable[AnyCard], options: Options) -> int:
    """Penalty points of a hand."""
    return sum(card_value(card, options) for card in cards)


def game_places(
    points: Sequence[int], winner: Seat | None, left: Sequence[Seat]
) -> tuple[int, ...]:
    """The winner alone first, then by points, at the end those that left; ties share a place."""
    return _places(
        [(seat != winner, _leaving(seat, left), points[seat]) for seat in range(len(points))]
    )


def series_places(totals: Sequence[int], left: Sequence[Seat]) -> tuple[int, ...]:
    """By totals, at the end those that left; ties share a place (1, 1, 3)."""
    return _places([(_leaving(seat, left), totals[seat]) for seat in range(len(totals))])


def _leaving(seat: Seat, left: Sequence[Seat]) -> int:
    """0 for a seat that stayed; whoever left first is the very last."""
    return len(left) - left.index(seat) if seat in left else 0


def _places(merits: Sequence[Any]) -> tuple[int, ...]:
    return tuple([1 + sum(other < merit for other in merits) for merit in merits])
