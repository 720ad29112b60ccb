"""The bots' shared frame, and the two that need no imagination: beginner and normal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from spielwerk.chance import Chance
from spielwerk.games.guandan.bots.offers import Offer, offers_of
from spielwerk.games.guandan.bots.planning import plays_left, sort_out
from spielwerk.games.guandan.cards import FACE_OF, KIND_OF_FACE, KIND_OF_LEVEL, Face
from spielwerk.games.guandan.messages import Command, Pass, ReturnCard
from spielwerk.games.guandan.model import partner_of, team_of
from spielwerk.games.guandan.views import View

BOMB_WHEN_LEFT: Final = 10
"""Bombs are kept until an opponent holds so few cards."""

Choose: TypeAlias = Callable[[View, Sequence[Command], Chance], Command]
Lay: TypeAlias = Callable[[View, list[Offer], Chance], Offer | None]
"""Chooses a play; None passes. Only asked where there is a play."""
GiveBack: TypeAlias = Callable[[View, list[ReturnCard], Chance], ReturnCard]


def policy(lay: Lay, give_back: GiveBack) -> Choose:
    """A bot from its two skills; a decision without alternative needs neither."""

    def choose(view: View, legal: Sequence[Command], chance: Chance) -> Command:
        if len(legal) == 1:
            return legal[0]
        returns = [command for command in legal if isinstance(command, ReturnCard)]
        if returns:
            return give_back(view, returns, chance)
        offer = lay(view, offers_of(legal, view.level), chance)
        return next(c for c in legal if isinstance(c, Pass)) if offer is None else offer.command

    return choose


def lay_carelessly(view: View, offers: list[Offer], chance: Chance) -> Offer | None:
    """Half the time anything, else the weakest cards that will do."""
    leads = view.top is None
    if chance.choose("careless", (True, False)):
        return chance.choose("play", [*offers] if leads else [None, *offers])
    return min(offers, key=lambda offer: (offer.rung, len(offer.faces), offer.value, offer.wilds))


def give_back_anything(view: View, returns: list[ReturnCard], chance: Chance) -> ReturnCard:  # noqa: ARG001
    """Any card that may be returned."""
    return chance.choose("return", returns)


def lay_by_rule(view: View, offers: list[Offer], chance: Chance) -> Offer | None:  # noqa: ARG001
    """Clause 14.2: long combinations first, low cards first, bombs late, never on the partner."""
    ordinary = [offer for offer in offers if not offer.bomb]
    if view.top is None:
        return _lead(view, offers)
    if view.seat is None or view.top.seat == partner_of(view.seat):
        return None
    if ordinary:
        lowest = min(offer.value for offer in ordinary)
        return _tidiest(view, [offer for offer in ordinary if offer.value == lowest])
    if _an_opponent_is_short(view):
        weakest = min((offer.rung, offer.value) for offer in offers)
        return _tidiest(view, [o for o in offers if (o.rung, o.value) == weakest])
    return None


def give_back_weakest(view: View, returns: list[ReturnCard], chance: Chance) -> ReturnCard:  # noqa: ARG001
    """The weakest card that may be returned: they are listed from the weakest up."""
    return returns[0]


def rest_of(view: View, offer: Offer) -> list[Face]:
    """The hand without the cards of the play."""
    left = [FACE_OF[card] for card in view.hand]
    for face in offer.faces:
        left.remove(face)
    return left


def _lead(view: View, offers: list[Offer]) -> Offer:
    """The longest without wild cards, the lowest first; bombs stay whole, and are led last."""
    natural = [offer for offer in offers if not offer.wilds] or offers
    kinds = Counter(KIND_OF_FACE[FACE_OF[card]] for card in view.hand)
    loose = [o for o in natural if not o.bomb and all(kinds[kind] < 4 for kind in o.kinds)]
    natural = loose or natural
    longest = max(len(offer.faces) for offer in natural)
    natural = [offer for offer in natural if len(offer.faces) == longest]
    lowest = min((offer.rung, offer.height) for offer in natural)
    return _tidiest(view, [offer for offer in natural if (offer.rung, offer.height) == lowest])


def _tidiest(view: View, offers: list[Offer]) -> Offer:
    """Of plays that are equally good, the one that leaves the fewest plays, then no wild card."""
    level = KIND_OF_LEVEL[view.level]

    def untidiness(offer: Offer) -> tuple[int, int]:
        return plays_left(sort_out(rest_of(view, offer), level)), offer.wilds

    return min(offers, key=untidiness) if len(offers) > 1 else offers[0]


def _an_opponent_is_short(view: View) -> bool:
    assert view.seat is not None, "a bot has a seat"
    own = team_of(view.seat)
    return any(
        0 < left <= BOMB_WHEN_LEFT
        for seat, left in enumerate(view.hand_counts)
        if team_of(seat) != own
    )
