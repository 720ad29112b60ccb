"""The expert: a few good candidates, each tried against hands that the others may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spielwerk.chance import Chance
from spielwerk.games.game import Seat
from spielwerk.games.guandan.bots.guessing import guesses
from spielwerk.games.guandan.bots.imagining import Laid, Table, play_out, settle, step, worth
from spielwerk.games.guandan.bots.offers import Offer
from spielwerk.games.guandan.bots.planning import (
    BOMB,
    FULL_HOUSE,
    PAIR,
    PAIR_RUN,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    TRIPLE_RUN,
    Groups,
    bomb_value,
    cost,
    sort_out,
)
from spielwerk.games.guandan.bots.policies import rest_of
from spielwerk.games.guandan.cards import FACE_OF, KIND_OF_LEVEL
from spielwerk.games.guandan.combos import Reading, Shape
from spielwerk.games.guandan.ladder import rung_of, value_of
from spielwerk.games.guandan.messages import ReturnCard
from spielwerk.games.guandan.views import View

CANDIDATES: Final = 7
SAMPLES: Final = 24
"""Ways to deal the unseen cards; each candidate is played out against all of them."""

_CODES: Final = {
    Shape.SINGLE: SINGLE,
    Shape.PAIR: PAIR,
    Shape.TRIPLE: TRIPLE,
    Shape.STRAIGHT: STRAIGHT,
    Shape.PAIR_RUN: PAIR_RUN,
    Shape.TRIPLE_RUN: TRIPLE_RUN,
    Shape.FULL_HOUSE: FULL_HOUSE,
}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A play, or passing (None), and the hand that it leaves."""

    offer: Offer | None
    laid: Laid | None
    left: int
    groups: Groups
    price: int
    """What the rest still costs; of ordinary plays that leave as much the lower is cheaper."""


def lay_with_foresight(view: View, offers: list[Offer], chance: Chance) -> Offer | None:
    """The candidate that does best over all imagined hands; of equals the tidiest."""
    candidates = _candidates(view, offers)
    if len(candidates) == 1:
        return candidates[0].offer
    totals = [0] * len(candidates)
    for hands in guesses(view, chance, SAMPLES):
        table = _table(view, hands)
        for number, candidate in enumerate(candidates):
            totals[number] += _outcome(table.copy(), candidate)
    best = max(range(len(candidates)), key=lambda n: (totals[n], -candidates[n].price))
    return candidates[best].offer


def give_back_tidily(view: View, returns: list[ReturnCard], chance: Chance) -> ReturnCard:  # noqa: ARG001
    """The card that the rest of the hand misses least; of equals the weakest."""
    level = KIND_OF_LEVEL[view.level]
    faces = [FACE_OF[card] for card in view.hand]

    def untidiness(command: ReturnCard) -> int:
        rest = faces.copy()
        rest.remove(FACE_OF[command.card])
        return cost(sort_out(rest, level))

    return min(returns, key=untidiness)


def _candidates(view: View, offers: list[Offer]) -> list[_Candidate]:
    tried = sorted((_candidate(view, offer) for offer in offers), key=lambda c: c.price)
    last = [candidate for candidate in tried if not candidate.left]
    if last:
        return last[:1]
    passing = [_candidate(view, None)] if view.top else []
    return [*tried[:CANDIDATES], *passing]


def _candidate(view: View, offer: Offer | None) -> _Candidate:
    level = KIND_OF_LEVEL[view.level]
    faces = rest_of(view, offer) if offer else [FACE_OF[card] for card in view.hand]
    groups = sort_out(faces, level)
    laid = _laid(offer.reading, level) if offer else None
    value = offer.value // 4 if offer and not offer.bomb else 0
    return _Candidate(offer, laid, len(faces), groups, cost(groups) + value)


def _table(view: View, hands: list[list[int]]) -> Table:
    level = KIND_OF_LEVEL[view.level]
    assert view.seat is not None, "a bot has a seat"
    groups = [
        [] if seat == view.seat else sort_out(faces, level) for seat, faces in enumerate(hands)
    ]
    top = view.top
    return Table(
        hands=groups,
        left=list(view.hand_counts),
        turn=view.seat,
        top=_laid(top.combination.reading, level) if top else None,
        owner=top.seat if top else view.seat,
        passes=len(view.passes),
        order=list(view.order),
    )


def _outcome(table: Table, candidate: _Candidate) -> int:
    seat: Seat = table.turn
    table.hands[seat] = [group[:] for group in candidate.groups]
    table.left[seat] = candidate.left
    if candidate.laid is None:
        step(table, None)
    else:
        settle(table, candidate.laid)
    return worth(play_out(table), seat)


def _laid(reading: Reading, level: int) -> Laid:
    value = value_of(reading, level)
    if rung_of(reading):
        return Laid(BOMB, bomb_value(rung_of(reading), value, reading.size))
    return Laid(_CODES[reading.shape], value)
