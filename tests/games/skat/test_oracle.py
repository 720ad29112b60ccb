"""OpenSpiel's Skat beside ours: packets, discards, legal cards, winners, points, end of Null."""

from __future__ import annotations

import random
from typing import Any

import pyspiel
import pytest

from games.skat.scripted import Match, rules
from spielwerk.cards import Card
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import Cards, ContractType, in_order
from spielwerk.games.skat.commands import Announce, Discard, Play, TakeSkat
from spielwerk.games.skat.model import TRICKS

GAMES = 300
SUITS = "DHSC"
RANKS = "789QKTAJ"
DECK = tuple(Card.parse(rank + suit) for suit in SUITS for rank in RANKS)
"""By their numbers."""

PASS = 32
CONTRACTS = (
    ContractType.DIAMONDS,
    ContractType.HEARTS,
    ContractType.SPADES,
    ContractType.CLUBS,
    ContractType.GRAND,
    ContractType.NULL,
)


def number(card: Card) -> int:
    """Their number of a card."""
    return 8 * SUITS.index(card.suit.value) + RANKS.index(card.rank.value)


class Pair:
    """The same deal in both engines."""

    def __init__(self, rng: random.Random) -> None:
        self.theirs: Any = pyspiel.load_game("skat").new_initial_state()
        order = rng.sample(range(32), 32)
        for card in order:
            self.theirs.apply_action(card)
        self.ours = Match(rules(), {"deal/1": tuple(DECK[card] for card in order)})
        self.declarer = rng.randrange(3)
        self.kind = rng.choice(CONTRACTS)
        self.same_turn()

    def declare(self, rng: random.Random) -> None:
        """Their auction is to name a contract or pass, once each."""
        self.ours.won_by(self.declarer)
        for _ in range(self.declarer):
            self.theirs.apply_action(PASS)
        self.theirs.apply_action(33 + CONTRACTS.index(self.kind))
        self.ours.act(TakeSkat())
        hand = self.ours.state.table.hands[self.declarer]
        away: Cards = tuple(rng.sample(hand, 2))
        for card in away:
            assert sorted(self.theirs.legal_actions()) == sorted(map(number, hand))
            self.theirs.apply_action(number(card))
            hand = tuple(one for one in hand if one != card)
        self.ours.act(Discard(in_order(away)))
        self.ours.act(Announce(self.kind))

    def play(self, rng: random.Random) -> None:
        """Any legal card, ply by ply, until their game is over."""
        while not self.theirs.is_terminal():
            self.same_turn()
            legal = [
                one.card
                for one in GAME.legal(self.ours.state, self.ours.on_turn)
                if isinstance(one, Play)
            ]
            assert sorted(map(number, legal)) == sorted(self.theirs.legal_actions())
            card = rng.choice(legal)
            self.theirs.apply_action(number(card))
            self.ours.act(Play(card))

    def same_turn(self) -> None:
        """Both engines wait for the same seat in the play."""
        if self.ours.state.table.turn is not None:
            assert self.theirs.current_player() == self.ours.on_turn


def their_points(pair: Pair) -> int:
    share: float = pair.theirs.returns()[pair.declarer]
    return round(120 * share + 60)


@pytest.mark.parametrize("seed", range(GAMES))
def test_a_random_game_goes_alike_in_both_engines(seed: int) -> None:
    rng = random.Random(seed)
    pair = Pair(rng)
    pair.declare(rng)
    pair.play(rng)
    outcome = pair.ours.last
    if pair.kind is ContractType.NULL:
        assert their_points(pair) == (90 if outcome.won else 30)
    else:
        assert their_points(pair) == outcome.points
        assert outcome.declarer_tricks + outcome.defender_tricks == TRICKS
