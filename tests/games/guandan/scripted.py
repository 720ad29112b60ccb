"""Deals with given cards, and matches moved on command by command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from spielwerk.cards import AnyCard, Rank, parse_any_card
from spielwerk.errors import Illegal
from spielwerk.games.game import Actor, Context, TimeOut
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.cards import PACK, Cards, Main, in_order
from spielwerk.games.guandan.combos import Reading, Shape
from spielwerk.games.guandan.messages import (
    Command,
    DealStarted,
    Event,
    LeaderDrawn,
    MatchStarted,
    Pass,
    Play,
    PlayerFinished,
    ReturnCard,
    TrickEnded,
)
from spielwerk.games.guandan.model import DealResult, Holding, Phase, Progress, State
from spielwerk.games.guandan.options import Options
from spielwerk.testing.chance import FixedChance

VECTORS = Path(__file__).parents[1] / "vectors" / "guandan"
DEFAULTS = Options()


def rows(name: str) -> list[dict[str, Any]]:
    """All cases of a vector file."""
    lines = (VECTORS / f"{name}_vectors.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def every_row(name: str) -> pytest.MarkDecorator:
    """A test for each line of a vector file."""
    cases = rows(name)
    return pytest.mark.parametrize("row", cases, ids=[row["id"] for row in cases])


def cards(text: str | Iterable[str]) -> Cards:
    """`cards("5H RJ")`, or any list of names."""
    names = text.split() if isinstance(text, str) else text
    return tuple(map(parse_any_card, names))


def card(name: str) -> AnyCard:
    return parse_any_card(name)


def reading(facts: dict[str, Any]) -> Reading:
    return Reading(Shape(facts["shape"]), facts["size"], Main(facts["main"]))


def facts(found: Iterable[Reading]) -> list[dict[str, Any]]:
    """Readings as the vector files list them."""
    listed = [{"shape": r.shape.value, "size": r.size, "main": r.main.value} for r in found]
    return sorted(listed, key=lambda r: (r["shape"], r["size"], r["main"]))


def play(text: str | Iterable[str], shape: str | None = None, main: str | None = None) -> Play:
    return Play(cards(text), Shape(shape) if shape else None, Main(main) if main else None)


def dealt_in_turn(hands: Sequence[Cards]) -> Cards:
    """The pack that deals these four whole hands."""
    return tuple(held for four in zip(*hands, strict=True) for held in four)


class Match:
    """A match under test: its state and everything that has happened."""

    def __init__(
        self,
        options: Options = DEFAULTS,
        *,
        decks: dict[str, Cards] | None = None,
        leader: int = 0,
        bots: Iterable[int] = (),
    ) -> None:
        leaders = {f"leader/{game}": leader for game in (1, 2, 3)}
        chance = FixedChance(leaders | (decks or {}), in_order=repeat(PACK))
        self.chance = chance
        self.context = Context(chance, lambda _: 0, frozenset(bots))
        self.state: State = GAME.setup(options, 4)
        self.events: list[Event] = []

    def begin(self) -> Match:
        """Start as the platform does."""
        self.tell(*GAME.start(self.state, self.context))
        return self

    def tell(self, *events: Event) -> None:
        """Let events happen."""
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events.extend(events)

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Decide and fold; raises what the game refuses."""
        events = GAME.decide(self.state, actor, command, self.context)
        self.tell(*events)
        return events

    def play(self, text: str, shape: str | None = None, main: str | None = None) -> Any:
        """The seat on turn lays cards, or passes for an empty text."""
        assert self.state.table.turn is not None
        command = play(text, shape, main) if text else Pass()
        return self.give(self.state.table.turn, command)

    def plays(self, *texts: str) -> tuple[Event, ...]:
        """Several one after another; the events of the last one."""
        events: tuple[Event, ...] = ()
        for text in texts:
            events = self.play(text)
        return events

    def expire(self, seat: int) -> tuple[Event, ...]:
        """Let the seat's open turn time out."""
        return self.give(None, TimeOut(seat, GAME.turns(self.state)[seat].key))

    def give_all_back(self) -> None:
        """Every receiver returns its weakest card."""
        while self.state.phase is Phase.RETURN:
            self.expire(min(GAME.turns(self.state)))

    def told(self, kind: type[Any]) -> list[Any]:
        """Everything of one kind that happened."""
        return [event for event in self.events if isinstance(event, kind)]

    def refusal(self, actor: Actor, command: Command) -> str:
        """Why the command is refused; nothing may change."""
        with pytest.raises(Illegal) as refused:
            GAME.decide(self.state, actor, command, self.context)
        return refused.value.reason

    @property
    def hands(self) -> tuple[Cards, ...]:
        return self.state.table.hands

    @property
    def trick_leaders(self) -> list[int]:
        """The seat that led each trick of a first deal."""
        drawn = self.told(LeaderDrawn)[-1].seat
        return [drawn, *(event.leader for event in self.told(TrickEnded))]


def table(*hands: str | Iterable[str], level: str = "2", leader: int = 0, **options: Any) -> Match:
    """A deal with these hands, of any size; a seat without cards has finished before, in order."""
    match = Match(Options(**options))
    held = tuple(Holding(seat, cards(hand)) for seat, hand in enumerate(hands))
    match.tell(MatchStarted((Rank.TWO, Rank.TWO), ()), DealStarted(1, 1, Rank(level), held))
    out = [holding.seat for holding in held if not holding.cards]
    match.tell(*(PlayerFinished(seat, place) for place, seat in enumerate(out, start=1)))
    match.tell(LeaderDrawn(leader))
    return match


def after_deal(
    order: Sequence[int],
    hands: Sequence[Cards] | None = None,
    *,
    level: str = "2",
    levels: tuple[str, str] | None = None,
    declared: int | None = None,
    leader: int = 0,
    bots: Iterable[int] = (),
    **options: Any,
) -> Match:
    """A match between two deals: the last one had these places, the next one is at `level`.

    Its hands are dealt if they are given, else the pack in canonical order.
    """
    decks = {"deal/1/3": dealt_in_turn(hands)} if hands else {}
    match = Match(Options(**options), decks=decks, leader=leader, bots=bots).begin()
    both = tuple(map(Rank, levels or (level, level)))
    team = order[0] % 2 if declared is None else declared
    last = DealResult(tuple(order), team, 1, both, Rank(level), (), (0, 0))
    progress = Progress(1, 2, Rank.TWO, both, None, last_deal=last)
    match.state = replace(match.state, phase=Phase.DEAL_OVER, progress=progress)
    return match


def whole(*starts: str) -> tuple[Cards, ...]:
    """Four hands of 27 that contain the given cards; the rest of the pack fills them up.

    Seat 0 gets the jokers, nines and aces of the rest, so that the others pay what is given.
    """
    wanted = [list(cards(start)) for start in starts]
    rest = sorted(PACK, key=lambda held: str(held)[0] not in "RB9A")
    for hand in wanted:
        for held in hand:
            rest.remove(held)
    filled = []
    for hand in wanted:
        missing = 27 - len(hand)
        filled.append(in_order((*hand, *rest[:missing])))
        del rest[:missing]
    return tuple(filled)


def return_of(name: str) -> ReturnCard:
    return ReturnCard(card(name))
