"""Matches on given stocks, moved on command by command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from spielwerk.cards import RED_JOKER, AnyCard, Card
from spielwerk.errors import Illegal
from spielwerk.games.game import Actor, Context, Seat, TimeOut
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.messages import Command, Event, Finish, Floor, Replace, Roof
from spielwerk.games.house_of_cards.model import STOCK_ORDER, Ending, Site, State
from spielwerk.games.house_of_cards.options import Options

CASES = Path(__file__).parents[1] / "vectors" / "house_of_cards" / "cases.jsonl"


def rows(kind: str) -> list[Any]:
    """All cases of a kind, named by their ids."""
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in cases if case["kind"] == kind]


class GivenStock:
    """A chance whose only draw is the stock, which may be a short one."""

    def __init__(self, cards: tuple[AnyCard, ...]) -> None:
        self._cards = cards
        self.drawn: list[str] = []

    def shuffle(self, label: str, order: Sequence[Any]) -> tuple[Any, ...]:
        """The given stock."""
        assert tuple(order) == STOCK_ORDER
        self.drawn.append(label)
        return self._cards

    def die(self, label: str) -> int:
        """There are no dice."""
        raise LookupError(label)

    def choose(self, label: str, options: Sequence[Any]) -> Any:
        """There are no choices."""
        raise LookupError((label, options))


def card(text: str) -> Card:
    """`5H`."""
    return Card.parse(text)


def stock(text: str | Iterable[str]) -> tuple[AnyCard, ...]:
    """`stock("5H XX JD")`; `XX` is a joker."""
    names = text.split() if isinstance(text, str) else text
    return tuple(RED_JOKER if name == "XX" else Card.parse(name) for name in names)


def code(item: AnyCard) -> str:
    """The opposite of an item of `stock`."""
    return str(item) if isinstance(item, Card) else "XX"


class Match:
    """A match under test: its state and everything that has happened."""

    def __init__(
        self,
        cards: str | Sequence[str],
        *,
        seats: int = 1,
        elapsed: Callable[[Seat], int] = lambda _: 0,
        **options: Any,
    ) -> None:
        self.chance = GivenStock(stock(cards))
        self.context = Context(self.chance, elapsed)
        self.state: State = GAME.setup(Options(**options), seats)
        self.events: list[Event] = []
        self._fold(GAME.start(self.state, self.context))

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Decide and fold; raises what the game refuses."""
        events = GAME.decide(self.state, actor, command, self.context)
        self._fold(events)
        return events

    def do(self, *steps: str, seat: Seat = 0) -> tuple[Event, ...]:
        """Commands as `roof 1 0 0 1`, `floor 1 0 4`, `replace`, `finish`; events of the last."""
        events: tuple[Event, ...] = ()
        for step in steps:
            events = self.give(seat, command(step.split()))
        return events

    def refused(self, step: str, seat: Seat = 0) -> str:
        """The reason for which the step is refused."""
        with pytest.raises(Illegal) as refused:
            GAME.decide(self.state, seat, command(step.split()), self.context)
        return refused.value.reason

    def expire(self, seat: Seat = 0) -> tuple[Event, ...]:
        """Let the seat's open turn time out."""
        return self.give(None, TimeOut(seat, GAME.turns(self.state)[seat].key))

    @property
    def site(self) -> Site:
        """Of seat 0."""
        return self.state.sites[0]

    @property
    def open(self) -> list[str]:
        """The open cards of seat 0, by slot."""
        return [str(item.card) for item in self.site.open]

    @property
    def ending(self) -> Ending:
        """Of seat 0, whose game has ended."""
        assert self.site.ending is not None
        return self.site.ending

    def _fold(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events.extend(events)


def perfect_game() -> Match:
    """21 roofs of 426 points, and the two jokers still in the stock."""
    lines = CASES.read_text("utf-8").splitlines()
    case = next(case for case in map(json.loads, lines) if case["id"] == "hc-0147")
    game = Match(case["stock"])
    for step in case["steps"]:
        game.give(0, command(step["do"]))
    return game


def command(do: Sequence[Any]) -> Command:
    """The command of a step."""
    name, *numbers = do
    match name:
        case "roof":
            return Roof(*map(int, numbers))
        case "floor":
            return Floor(*map(int, numbers))
        case "replace":
            return Replace()
        case _:
            return Finish()
