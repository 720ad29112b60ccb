"""Deals with given cards, and matches moved on command by command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

from spielwerk.cards import Card, french_pack
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import Command, Discard, Event, Play
from spielwerk.games.cribbage.model import Cards, State
from spielwerk.games.cribbage.options import STANDARD, FirstDealer, Options, Variant
from spielwerk.games.game import Actor, Context
from spielwerk.testing.chance import FixedChance

VECTORS = Path(__file__).parents[1] / "vectors" / "cribbage"
FIRST_DEALER = (FirstDealer.SEAT_0, FirstDealer.SEAT_1)


def rows(name: str) -> list[dict[str, Any]]:
    """All cases of a vector file."""
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def cards(text: str | Iterable[str]) -> Cards:
    """`cards("5H JD")`, or any list of names."""
    names = text.split() if isinstance(text, str) else text
    return tuple(Card.parse(name) for name in names)


def deck(dealer: int, sixes: Sequence[Cards], starter: Card) -> Cards:
    """The first 13 cards of a pack that deals these hands and turns this starter."""
    pone, own = sixes[1 - dealer], sixes[dealer]
    dealt = [card for pair in zip(pone, own, strict=True) for card in pair]
    assert len(dealt) == 12
    return (*dealt, starter)


class Match:
    """A match under test: its state and everything that has happened."""

    def __init__(
        self,
        options: Options,
        *,
        decks: dict[str, Cards] | None = None,
        variant: Variant = STANDARD,
    ) -> None:
        known = {"cut/1/1": cards("AC KD")} | (decks or {})
        self.chance = FixedChance(known, in_order=repeat(french_pack()))
        self.context = Context(self.chance, lambda _: 0)
        self.state: State = replace(GAME.setup(options, 2), variant=variant)
        self.events: list[Event] = []
        self._fold(GAME.start(self.state, self.context))

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Decide and fold; raises what the game refuses."""
        events = GAME.decide(self.state, actor, command, self.context)
        self._fold(events)
        return events

    def play(self, *names: str) -> tuple[Event, ...]:
        """Cards laid one after another by whoever is on turn; the events of the last one."""
        events: tuple[Event, ...] = ()
        for name in names:
            assert self.state.table.turn is not None
            events = self.give(self.state.table.turn, Play(Card.parse(name)))
        return events

    def at(self, front: tuple[int, int]) -> Match:
        """The same match with other scores."""
        self.state = replace(self.state, front=front, back=front)
        return self

    def _fold(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events.extend(events)


def dealt(
    *sixes: str,
    starter: str = "",
    dealer: int = 0,
    variant: Variant = STANDARD,
    **options: Any,
) -> Match:
    """A first deal with these six cards for seat 0 and seat 1, before the discards."""
    hands = [cards(six) for six in sixes]
    taken = {card for hand in hands for card in hand}
    up = Card.parse(starter) if starter else _free(taken, 1)[0]
    rules = Options(first_dealer=FIRST_DEALER[dealer], **options)
    return Match(rules, decks={"deal/1/1": deck(dealer, hands, up)}, variant=variant)


def kept(
    *fours: str | Sequence[str],
    starter: str = "",
    dealer: int = 0,
    front: tuple[int, int] = (0, 0),
    away: Sequence[str] = (),
    **options: Any,
) -> Match:
    """A first deal after the discards, with these four cards kept by seat 0 and seat 1."""
    hands = [cards(four) for four in fours]
    taken = {card for hand in hands for card in hand}
    taken |= {Card.parse(starter)} if starter else set()
    pairs = [cards(pair) for pair in away]
    if not pairs:
        loose = _free(taken, 4)
        pairs = [loose[:2], loose[2:]]
    sixes = [" ".join(map(str, hand + pair)) for hand, pair in zip(hands, pairs, strict=True)]
    match = dealt(*sixes, starter=starter, dealer=dealer, **options).at(front)
    for seat in (0, 1):
        match.give(seat, Discard(pairs[seat]))
    return match


def _free(taken: set[Card], number: int) -> Cards:
    """Cards that lie in nobody's hand; no jacks, so that no starter scores heels."""
    free = [card for card in french_pack() if card not in taken and card.rank.value != "J"]
    return tuple(free[-number:])
