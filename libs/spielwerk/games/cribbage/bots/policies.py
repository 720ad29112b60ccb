"""The three ways to play: beginner, normal and expert."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from spielwerk.cards import Card
from spielwerk.chance import Chance
from spielwerk.games.cribbage.bots.discards import best_mean, best_with_crib
from spielwerk.games.cribbage.bots.foresight import Pips, card_points, greedy, outlook, pips_of
from spielwerk.games.cribbage.bots.guessing import guesses
from spielwerk.games.cribbage.messages import Command, Discard, Go, Play
from spielwerk.games.cribbage.model import ORDER, PIPS, Cards
from spielwerk.games.cribbage.rules import best_static_discard
from spielwerk.games.cribbage.views import View

SAMPLES: Final = 60
"""Opponent's hands that the expert imagines for a card; ten cost it three points of win share."""

LayAway: TypeAlias = Callable[[View, Chance], Cards]
LayDown: TypeAlias = Callable[[View, Cards, Chance], Card]
"""Chooses one of the playable cards, which are in canonical order."""


def policy(
    lay_away: LayAway, lay_down: LayDown
) -> Callable[[View, Sequence[Command], Chance], Command]:
    """A bot from its two skills; a decision without alternative needs neither."""

    def choose(view: View, legal: Sequence[Command], chance: Chance) -> Command:
        playable = {command.card: command for command in legal if isinstance(command, Play)}
        if playable:
            cards = tuple(sorted(playable, key=ORDER.__getitem__))
            return playable[lay_down(view, cards, chance) if len(cards) > 1 else cards[0]]
        ways = {frozenset(way.cards): way for way in legal if isinstance(way, Discard)}
        if ways:
            return ways[frozenset(lay_away(view, chance))]
        return next(command for command in legal if isinstance(command, Go))

    return choose


def lay_away_carelessly(view: View, chance: Chance) -> Cards:
    """Half the time any two cards, else the best four as they lie."""
    if chance.choose("careless", (True, False)):
        return chance.shuffle("away", sorted(view.dealt, key=ORDER.__getitem__))[:2]
    return best_static_discard(view.dealt)


def lay_away_for_the_hand(view: View, chance: Chance) -> Cards:  # noqa: ARG001 (nothing to draw)
    """The best hand over all starters."""
    return best_mean(view.dealt)


def lay_away_for_hand_and_crib(view: View, chance: Chance) -> Cards:  # noqa: ARG001 (nothing to draw)
    """The best hand over all starters, with the crib's worth for its owner."""
    return best_with_crib(view.dealt, own_crib=view.dealer == view.seat)


def lay_down_carelessly(view: View, cards: Cards, chance: Chance) -> Card:
    """Half the time any card, else most points at once."""
    if chance.choose("careless", (True, False)):
        return chance.choose("card", cards)
    played = _sequence(view)
    return max(cards, key=lambda card: card_points((*played, PIPS[card.rank])))


def lay_down_greedily(view: View, cards: Cards, chance: Chance) -> Card:  # noqa: ARG001 (nothing to draw)
    """Most points at once; of equals the highest count value."""
    return _first(cards, greedy(pips_of(cards), _sequence(view)))


def lay_down_with_foresight(view: View, cards: Cards, chance: Chance) -> Card:
    """The best outlook for the rest of the deal against hands that the opponent may hold."""
    mine, played = pips_of(view.hand), _sequence(view)
    choices = sorted(set(pips_of(cards)))
    if len(choices) == 1:
        return cards[0]
    hands = guesses(view, chance, SAMPLES)

    def total(pip: int) -> int:
        return sum(times * outlook(mine, hand, played, pip) for hand, times in hands.items())

    return _first(cards, max(choices, key=total))


def _sequence(view: View) -> Pips:
    return tuple(PIPS[laid.card.rank] for laid in view.seq)


def _first(cards: Cards, pip: int) -> Card:
    return next(card for card in cards if PIPS[card.rank] == pip)
