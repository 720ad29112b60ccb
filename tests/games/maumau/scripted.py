"""Tables with given cards, and matches moved on command by command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spielwerk.cards import BLACK_JOKER, RED_JOKER, AnyCard, Suit, parse_any_card
from spielwerk.games.game import Actor, Context, Seat, TimeOut
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import Cards, pack, without
from spielwerk.games.maumau.messages import Announce, Command, Draw, Event, Play
from spielwerk.games.maumau.model import Ending, State, Table
from spielwerk.games.maumau.options import Options
from spielwerk.testing.chance import FixedChance

VECTORS = Path(__file__).parents[1] / "vectors" / "maumau" / "cases.jsonl"
ROWS = [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]

_JOKERS = {"X1": BLACK_JOKER, "X2": RED_JOKER, "X3": BLACK_JOKER, "X4": RED_JOKER}


def rows(*kinds: str) -> list[dict[str, Any]]:
    """All cases of the kinds."""
    return [row for row in ROWS if row["kind"] in kinds]


def card(name: str) -> AnyCard:
    """`5H`, `X1` or `BJ`."""
    return _JOKERS.get(name) or parse_any_card(name)


def cards(text: str | Iterable[str]) -> Cards:
    """`cards("5H X1")`, or any list of names."""
    names = text.split() if isinstance(text, str) else text
    return tuple(map(card, names))


class Match:
    """A match under test: its state and everything that has happened."""

    def __init__(
        self,
        state: State,
        shuffles: Iterable[Cards] = (),
        elapsed: Callable[[Seat], int] = lambda _: 0,
    ) -> None:
        self.chance = FixedChance(in_order=shuffles)
        self.context = Context(self.chance, elapsed)
        self.state = state
        self.events: list[Event] = []

    @property
    def table(self) -> Table:
        assert self.state.table is not None
        return self.state.table

    @property
    def last(self) -> Ending:
        assert self.state.last is not None
        return self.state.last

    def give(self, actor: Actor, command: Command) -> tuple[Event, ...]:
        """Decide and fold; raises what the game refuses."""
        events = GAME.decide(self.state, actor, command, self.context)
        return self.fold(events)

    def do(self, *moves: str) -> tuple[Event, ...]:
        """Moves of whoever is on turn: `5H`, `JC:S` (with a wish), `draw`, `announce`, `timeout`;
        the events of the last one."""
        events: tuple[Event, ...] = ()
        for move in moves:
            seat = self.table.turn
            assert seat is not None
            events = self.expire() if move == "timeout" else self.give(seat, _command(move))
        return events

    def expire(self) -> tuple[Event, ...]:
        """The time of the seat on turn is up."""
        ((seat, turn),) = GAME.turns(self.state).items()
        return self.give(None, TimeOut(seat, turn.key))

    def fold(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Take the events over."""
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events.extend(events)
        return events


def _command(move: str) -> Command:
    if move == "draw":
        return Draw()
    if move == "announce":
        return Announce()
    name, _, wish = move.partition(":")
    return Play(card(name), Suit(wish) if wish else None)


def table(
    *hands: str | Sequence[str],
    up: str = "5H",
    talon: str | Sequence[str] | None = None,
    turn: Seat = 0,
    reshuffles: Iterable[Sequence[str]] = (),
    elapsed: Callable[[Seat], int] = lambda _: 0,
    more: dict[str, Any] | None = None,
    **options: Any,
) -> Match:
    """A game in its first turn with these hands, the open card (and what lies below it, oldest
    first) and the talon; without a talon the rest of the pack in canonical order.

    `more`: other fields of the table.
    """
    rules = Options(**options)
    held = tuple(map(cards, hands))
    pile = cards(up)
    gone = [one for hand in held for one in hand] + list(pile)
    rest = without(pack(rules.jokers), gone) if talon is None else cards(talon)
    state = GAME.setup(rules, len(held))
    nobody = (False,) * len(held)
    begun = Table(1, turn, held, rest, nobody, pile=pile, turn=turn, turn_no=1)
    state = replace(state, table=replace(begun, **(more or {})), played=(1,) * len(held))
    return Match(state, (cards(order) for order in reshuffles), elapsed)


def dealt(seats: int, *decks: Cards, **options: Any) -> Match:
    """A match from its start with these decks (first cards are enough)."""
    rules = Options(**options)
    match = Match(GAME.setup(rules, seats), decks)
    match.fold(GAME.start(match.state, match.context))
    return match


def kinds(events: Iterable[Event]) -> list[str]:
    """The names of the events."""
    return [type(event).__name__ for event in events]


DECK = cards("2H 9S 3H 4S 5H")
"""Two seats with two cards each: seat 0 (or 1) holds 2H 3H, the other 9S 4S, on 5H."""


def series(games: int, seats: int = 2) -> Match:
    """So many games of that deal."""
    return dealt(seats, *[DECK] * games, games=games, hand_size=2)


def win(match: Match) -> None:
    """Whoever begins lays its two hearts."""
    match.do("announce", "2H", "draw", "3H")
