"""Matches of any game that differ in one draw or one choice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from audit.playing import NOW, Table, opened_table, seated
from games.playing import facts
from spielwerk.api.v1 import match_pb2
from spielwerk.audit.replaying import Step, steps
from spielwerk.chance import Chance, HmacChance, draw_key
from spielwerk.codec.match import fill_update, fill_view
from spielwerk.errors import SpielwerkError
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, BotInformation, Seat
from spielwerk.match import decide
from spielwerk.match.model import CauseKind, Human, Match, Phase, Record, WatchPolicy

T = TypeVar("T")


@dataclass
class OtherChance:
    """The draws of a match, but for one: two items change places, or a die falls otherwise."""

    inner: Chance
    label: str
    rng: random.Random
    note: Callable[[str], None]

    def shuffle(self, label: str, order: Sequence[T]) -> tuple[T, ...]:
        items = list(self.inner.shuffle(label, order))
        self.note(label)
        if label == self.label:
            one, other = self.rng.sample(range(len(items)), 2)
            items[one], items[other] = items[other], items[one]
        return tuple(items)

    def die(self, label: str) -> int:
        self.note(label)
        thrown = self.inner.die(label)
        return 1 + (thrown + self.rng.randrange(5)) % 6 if label == self.label else thrown

    def choose(self, label: str, options: Sequence[T]) -> T:
        return self.inner.choose(label, options)


@dataclass
class World:
    """A match as it is stored, with the commands and labels that led to it."""

    table: Table
    commands: list[tuple[Seat, Any]]
    drawn: list[tuple[int, str]]
    """Labels with the versions in which they were drawn."""

    @property
    def now(self) -> Match:
        """The match after the last record."""
        *_, last = self._walk()
        return last.after

    @property
    def seats(self) -> int:
        return len(self.table.now.opened.occupants)

    def records(self) -> list[Record]:
        return [step.record for step in self._walk()]

    def hidden_choices(self) -> list[int]:
        """Numbers of the commands of which somebody is not told all."""
        known, options = facts(self.table.now.game), self.table.now.opened.options
        viewers = (*range(self.seats), None)
        records = self.records()[1 + self.seats :]  # after opening and joins
        return [
            number
            for number, record in enumerate(records)
            if any(known.told(options, e, v) != e for e in record.events for v in viewers)
        ]

    def told(self, viewer: Seat | None) -> list[tuple[bytes, bytes]]:
        """What the viewer is told and shown, record by record: update and view."""
        found = []
        for step in self._walk():
            update, view, match = match_pb2.MatchUpdate(), match_pb2.MatchView(), step.after
            fill_update(match.game, match.opened.options, step.record, viewer, update)
            fill_view(match, viewer, view)
            found.append((update.SerializeToString(), view.SerializeToString()))
        return found

    def _walk(self) -> Iterator[Step]:
        return steps(self.table.match_id, self.table.stored, registry.version)

    def cut_to(self, records: int) -> World:
        return World(
            Table(self.table.match_id, self.table.match, self.table.stored[:records]),
            self.commands,
            self.drawn,
        )


@dataclass(frozen=True)
class Plan:
    """A match to be played: `number` decides everything that is random in it."""

    game: AnyGame
    number: int
    options: Any
    enough: Callable[[Table], bool]
    """Whether it has gone on for long enough."""
    wits: float = 0.0
    """So often a bot chooses the move: random ones do not end every game."""
    finishing: bool = False
    """A seat may end its own game."""


@dataclass(frozen=True)
class Change:
    """What is otherwise in the other world: a draw (by its label) or a choice (by the number of the
    command); the seed says how."""

    seed: int
    label: str = ""
    choice: int = -1


NOTHING = Change(0)


def world(
    plan: Plan,
    monkeypatch: pytest.MonkeyPatch,
    *,
    commands: Sequence[tuple[Seat, Any]] = (),
    change: Change = NOTHING,
) -> World:
    """A match with random commands, or with given ones as far as they are possible."""
    table, drawn = _opened(plan), list[tuple[int, str]]()
    rng = random.Random(f"worlds {plan.game.key} {plan.number}")

    def chance(match_id: str, seed_bytes: bytes, entropies: tuple[bytes | None, ...]) -> Chance:
        def note(label: str) -> None:
            drawn.append((len(table.stored) + 1, label))

        key, other = draw_key(seed_bytes, [e or b"" for e in entropies]), random.Random(change.seed)
        return OtherChance(HmacChance(key, match_id), change.label, other, note)

    with monkeypatch.context() as patched:
        patched.setattr(decide, "_chance", chance)
        found = World(seated(table, plan.number), [], drawn)
        given = commands or random_commands(table, rng, plan)
        for number, (seat, planned) in enumerate(given):
            command = planned
            if number == change.choice:
                command = _another(table, seat, planned, random.Random(change.seed))
            if not _submit(table, seat, command, number):
                break
            found.commands.append((seat, command))
    return found


def _another(table: Table, seat: Seat, command: Any, rng: random.Random) -> Any:
    """Another command of the same kind, if the seat has one."""
    legal = table.now.game.legal(table.now.state, seat)
    same = [other for other in legal if type(other) is type(command) and other != command]
    return rng.choice(same) if same else command


def _submit(table: Table, seat: Seat, command: Any, number: int) -> bool:
    """Whether the command is possible and stored."""
    match, now = table.now, NOW + 1_000 + 100 * number
    key = match.turns[seat].key if seat in match.turns else ""
    try:
        decided = decide.submit(match, CauseKind.PLAYER, seat, f"c{number}", command, key, now)
    except SpielwerkError:
        return False
    table.append(decided)
    return True


def _opened(plan: Plan) -> Table:
    players = [Human(f"p{seat}") for seat in range(max(2, plan.game.seats[0]))]
    options, anyone = plan.options, WatchPolicy.ANYONE
    return opened_table(plan.game, players, options, plan.number, watch=anyone)


def random_commands(table: Table, rng: random.Random, plan: Plan) -> Iterator[tuple[Seat, Any]]:
    """Moves of who must act."""
    fair = BotInformation.OWN_VIEW
    policies = [bot for bot in plan.game.bots.values() if bot.information is fair]
    while table.now.phase is not Phase.ENDED and not plan.enough(table):
        match = table.now
        seat = rng.choice(sorted(match.turns))
        legal = match.game.legal(match.state, seat)
        if rng.random() < plan.wits:
            chance = HmacChance(rng.randbytes(32), match.match_id)
            view = match.game.view(match.state, seat)
            yield seat, policies[0].choose(view, legal, chance)
            continue
        going_on = [c for c in legal if plan.finishing or type(c).__name__ != "Finish"]
        yield seat, rng.choice(going_on)
