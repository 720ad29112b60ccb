"""OpenSpiel's crazy eights, an independent program: what may be laid there must fit here."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import pyspiel
import pytest

from spielwerk.cards import Card, Rank, Suit
from spielwerk.games.maumau.cards import fits, is_jack

HAPPENED = re.compile(r"Player (\d+) (is dealt|draws|plays) (\w\w)")
EXCHANGED = {Rank.EIGHT: Rank.JACK, Rank.JACK: Rank.EIGHT}
"""Eights are wild there and jacks here; an eight here matches like any other card."""


def card_of(text: str) -> Card:
    """There a card is written suit then rank."""
    rank = Rank(text[1])
    return Card(EXCHANGED.get(rank, rank), Suit(text[0]))


def hand_of(told: str, player: int) -> list[Card]:
    """The cards that the player got and did not lay.

    Before the first turn the dealer draws the open card, again and again until it is no eight.
    """
    begun = re.search("starts drawing|plays", told)
    begin = begun.start() if begun else len(told)
    hand: list[Card] = []
    for event in HAPPENED.finditer(told):
        seat, what, text = event.groups()
        if int(seat) != player or (what == "draws" and event.start() < begin):
            continue
        (hand.remove if what == "plays" else hand.append)(card_of(text))
    return hand


def open_card(told: str) -> tuple[Card, Suit]:
    """The last card and the suit that must follow."""
    last = re.findall(r"Last card: (\w\w)", told)[-1]
    suit = re.findall(r"Last suit: (\w)", told)[-1]
    return card_of(last), Suit(suit)


def decisions(players: int, seed: int) -> Iterator[pyspiel.State]:
    """Every state of a random game in which a player lays or draws."""
    game, rng = pyspiel.load_game("crazy_eights", {"players": players}), random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        action = rng.choice(state.legal_actions())
        words = {state.action_to_string(possible) for possible in state.legal_actions()}
        if not state.is_chance_node() and not any(word.startswith("Nom") for word in words):
            yield state
        state.apply_action(action)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(20))
def test_13_1_the_same_cards_may_be_laid_but_for_a_jack_on_a_jack(players: int, seed: int) -> None:
    seen: Counter[str] = Counter()
    for state in decisions(players, seed):
        told = str(state)
        top, suit = open_card(told)
        words = [state.action_to_string(action) for action in state.legal_actions()]
        there = {card_of(word[5:]) for word in words if word.startswith("Play")}
        wish = suit if is_jack(top) else None
        hand = hand_of(told, state.current_player())
        here = {card for card in hand if fits(card, top, wish, 0)}

        assert suit is (wish or top.suit)
        assert there - here == {card for card in hand if is_jack(top) and is_jack(card)}
        assert here <= there
        seen["fitting"] += len(here)
        seen["other"] += len(hand) - len(here)
    assert min(seen["fitting"], seen["other"]) > 10
