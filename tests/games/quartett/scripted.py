"""Matches of Quartett with given stacks, command by command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spielwerk.games.game import Actor, Context, Seat
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.deck import Deck
from spielwerk.games.quartett.deckfile import check_content
from spielwerk.games.quartett.installed import installed_deck
from spielwerk.games.quartett.messages import Choose, Command, Event, TurnStarted
from spielwerk.games.quartett.model import SEATS, Stack, State
from spielwerk.games.quartett.options import Options
from spielwerk.testing.chance import FixedChance

VECTORS = Path(__file__).parents[1] / "vectors" / "quartett"
CASES = [json.loads(line) for line in (VECTORS / "cases.jsonl").read_text("utf-8").splitlines()]
SAMPLE = installed_deck("channel-nil")


def cases(kind: str) -> list[dict[str, Any]]:
    """All vectors of one kind."""
    return [case for case in CASES if case["kind"] == kind]


def deck_of(content: Mapping[str, Any]) -> Deck:
    """The deck of a file's content."""
    deck = check_content(content).deck
    assert deck is not None
    return deck


def deck_in(case: Mapping[str, Any]) -> Deck:
    """The deck that a vector plays with."""
    return deck_of(case["deck_inline"]) if "deck_inline" in case else installed_deck(case["deck"])


def mini(text: str = "a 9/3 b 5/5 c 5/3 d 4/7 e 9/7 f 8/4") -> Deck:
    """A deck with the categories hi (the higher wins) and lo (the lower wins): `a 9/3 b 5/5`."""
    words = text.split()
    pairs = [tuple(map(int, pair.split("/"))) for pair in words[1::2]]
    return deck_of(
        {
            "schema": "quartett-deck/1",
            "id": "mini",
            "title": "mini",
            "language": "en",
            "categories": [
                {"id": "hi", "label": "hi", "kind": "integer", "wins": "higher"},
                {"id": "lo", "label": "lo", "kind": "integer", "wins": "lower"},
            ],
            "cards": [
                {"id": card, "title": card, "values": {"hi": high, "lo": low}}
                for card, (high, low) in zip(words[::2], pairs, strict=True)
            ],
        }
    )


def only(deck: Deck, card_ids: Iterable[str]) -> Deck:
    """The deck without the other cards."""
    wanted = set(card_ids)
    return replace(deck, cards=tuple(card for card in deck.cards if card.id in wanted))


class Match:
    """A match under test: its state and everything that has happened."""

    def __init__(
        self,
        options: Options,
        *,
        bots: Iterable[Seat] = (),
        first: Seat = 0,
        drawn: Mapping[str, Any] | None = None,
    ) -> None:
        decks = {f"deal/{game}": () for game in range(1, options.games + 1)}
        known = {"first": first, **decks, **(drawn or {})}
        self.chance = FixedChance(known)
        self.context = Context(self.chance, lambda _: 0, frozenset(bots))
        self.state: State = GAME.setup(options, 2)
        self.events: list[Event] = []
        self._fold(GAME.start(self.state, self.context))

    def at(self, stacks: Sequence[Sequence[str]], first: Seat = 0, pot: str = "") -> Match:
        """The same match with other stacks, the top cards first, and another chooser."""
        cards = (Stack(tuple(stacks[0])), Stack(tuple(stacks[1])))
        self.state = replace(self.state, stacks=cards, turn=first, pot=tuple(pot))
        return self

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Decide and fold; raises what the game refuses."""
        events = GAME.decide(self.state, actor, command, self.context)
        self._fold(events)
        return events

    def choose(self, *categories: str) -> tuple[Event, ...]:
        """Choices of whoever is on turn, one after another; the events of the last one."""
        events: tuple[Event, ...] = ()
        for category in categories:
            events = self.give(self.state.turn, Choose(category))
        return events

    def _fold(self, events: Iterable[Event]) -> None:
        for event in events:
            self.state = GAME.evolve(self.state, event)
            self.events.append(event)


def table(
    stacks: str,
    *,
    deck: Deck | None = None,
    first: Seat = 0,
    pot: str = "",
    timeouts: str = "",
    **options: Any,
) -> Match:
    """A match of one-letter cards: `table("abc def")`; the deck defaults to the mini deck.

    `timeouts` is the category that is drawn for a silent seat.
    """
    rounds = [f"timeout/{game}/{number}" for game in (1, 2) for number in range(1, 9)]
    drawn = dict.fromkeys(rounds, timeouts) if timeouts else {}
    match = Match(Options(deck=deck or mini(), **options), drawn=drawn)
    return match.at(stacks.split(), first, pot)


def digest(state: State) -> dict[str, Any]:
    """What the vectors tell of a state."""
    series = state.series
    ended = series.games > 0
    return {
        "turn": state.turn,
        "counts": list(state.counts),
        "pot": list(state.pot),
        "tops": [state.top(seat) for seat in SEATS],
        "ended": {"winner": series.winner, "reason": series.end_reason} if ended else None,
    }


def chooser_of(events: Iterable[Event]) -> list[tuple[Seat, int]]:
    """Who was on turn in which round."""
    return [(event.seat, event.round) for event in events if isinstance(event, TurnStarted)]
