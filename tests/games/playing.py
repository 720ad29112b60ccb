"""Random matches of any registered game."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import pytest

from spielwerk.chance import Chance, HmacChance
from spielwerk.errors import BadOptions
from spielwerk.games.game import Actor, AnyGame, Context, Seat, TimeOut
from spielwerk.games.options import OptionSpec, specs
from spielwerk.games.registry import GAMES

T = TypeVar("T")

LONGEST = 50_000
"""No match has so many commands."""

EVERY_GAME = pytest.mark.parametrize(
    "game",
    [game for versions in GAMES.values() for game in versions.values()],
    ids=lambda game: f"{game.key}-{game.rules_version}",
)


def facts(game: AnyGame) -> ModuleType:
    """What a game tells the suites about itself: the module `contract` beside its tests."""
    return import_module(f"games.{game.key}.contract")


@dataclass
class Recorder:
    """A chance that remembers the labels of its shuffles and may swap two items of one outcome."""

    inner: Chance
    swap: tuple[str, int, int] | None = None
    shuffled: list[tuple[str, int]] = field(default_factory=list)
    """Label and number of items."""

    def shuffle(self, label: str, order: Sequence[T]) -> tuple[T, ...]:
        self.shuffled.append((label, len(order)))
        items = list(self.inner.shuffle(label, order))
        if self.swap and self.swap[0] == label:
            _, one, other = self.swap
            items[one], items[other] = items[other], items[one]
        return tuple(items)

    def die(self, label: str) -> int:
        return self.inner.die(label)

    def choose(self, label: str, options: Sequence[T]) -> T:
        return self.inner.choose(label, options)


@dataclass
class Playing:
    """A match under way; `seed` decides the draws."""

    game: AnyGame
    options: Any
    seats: int
    seed: int
    swap: tuple[str, int, int] | None = None
    elapsed: Callable[[Seat], int] = lambda _: 1500  # ms

    def __post_init__(self) -> None:
        key = hashlib.sha256(str(self.seed).encode()).digest()
        self.chance = Recorder(HmacChance(key, f"match{self.seed}"), self.swap)
        self.context = Context(self.chance, self.elapsed)
        self.state = self.game.setup(self.options, self.seats)
        self.events: list[Any] = []
        self.commands: list[tuple[Actor, Any]] = []
        self._fold(self.game.start(self.state, self.context))

    @property
    def over(self) -> bool:
        return self.game.result(self.state) is not None

    @property
    def turns(self) -> Mapping[Seat, Any]:
        return self.game.turns(self.state)

    @property
    def viewers(self) -> tuple[Seat | None, ...]:
        return (*range(self.seats), None)

    def decide(self, actor: Actor, command: Any) -> tuple[Any, ...]:
        """The events, without folding them."""
        return self.game.decide(self.state, actor, command, self.context)

    def give(self, actor: Actor, command: Any) -> tuple[Any, ...]:
        """Decide, fold, and return the events."""
        events = self.decide(actor, command)
        self.commands.append((actor, command))
        self._fold(events)
        return events

    def expire(self, seat: Seat) -> tuple[Any, ...]:
        """Let the seat's open turn time out."""
        return self.give(None, TimeOut(seat, self.turns[seat].key))

    def random_move(self, rng: random.Random, timeouts: float = 0.0) -> tuple[Any, ...]:
        """A random command of a random seat that must act, or its timeout."""
        seat = rng.choice(sorted(self.turns))
        if rng.random() < timeouts:
            return self.expire(seat)
        return self.give(seat, rng.choice(self.game.legal(self.state, seat)))

    def seen(self, events: Sequence[Any], viewer: Seat | None) -> list[Any]:
        """The events as the viewer may see them."""
        return [self.game.redact(self.options, event, viewer) for event in events]

    def _fold(self, events: Sequence[Any]) -> None:
        for event in events:
            self.state = self.game.evolve(self.state, event)
        self.events.extend(events)


def begin(game: AnyGame, seed: int, swap: tuple[str, int, int] | None = None) -> Playing:
    """A match with random house rules and a random number of seats; seed 0 has the defaults."""
    rng = random.Random(f"options {game.key} {seed}")
    seats = rng.choice(game.seats)
    return Playing(game, random_options(game, rng) if seed else game.options(), seats, seed, swap)


def random_options(game: AnyGame, rng: random.Random) -> Any:
    """Values from the option table; combinations that the game refuses are drawn again."""
    table = specs(game.options)
    while True:
        chosen = {name: random_value(spec, rng) for name, spec in table.items() if restricts(spec)}
        try:
            return game.options(**chosen)
        except BadOptions:
            continue


def restricts(spec: OptionSpec) -> bool:
    return bool(spec.values) or spec.minimum is not None


def random_value(spec: OptionSpec, rng: random.Random) -> Any:
    """One of the values, or a small one of the range."""
    values = list(spec.values)
    if spec.minimum is not None:
        highest = spec.minimum + 3 if spec.maximum is None else min(spec.minimum + 3, spec.maximum)
        values += range(spec.minimum, highest + 1)
    return rng.choice(values)


def moments(game: AnyGame, seed: int) -> Iterator[Playing]:
    """One match from the first turn to the end, yielded before each command and at the end.

    With an odd seed some turns time out, which may end the match early.
    """
    match, rng = begin(game, seed), random.Random(f"moves {game.key} {seed}")
    timeouts = 0.02 * (seed % 2)
    for _ in range(LONGEST):
        yield match
        if match.over:
            return
        match.random_move(rng, timeouts)
    raise AssertionError(f"no end after {LONGEST} commands")
