"""Two installations whose matches differ only in what a viewer may not know answer it alike."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from audit.looking import Eyes, eyes, look_at_everything
from audit.playing import NOW, Table, opened_table, seated
from games.playing import EVERY_GAME
from rules.conftest import Rules
from spielwerk.api.v1 import match_pb2
from spielwerk.audit.replaying import steps
from spielwerk.chance import Chance, HmacChance, draw_key
from spielwerk.codec.match import fill_update
from spielwerk.errors import SpielwerkError
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, Seat
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import kind_of
from spielwerk.match import decide
from spielwerk.match.model import CauseKind, Human, Phase, WatchPolicy
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import start_nats

T = TypeVar("T")

_MOVES = 14
_ENOUGH = 4
"""So many records after the deal must look alike."""
_TRIES = 60


@dataclass
class OtherChance:
    """The draws of a match, but for one: two items change places, or a die falls otherwise."""

    inner: Chance
    label: str
    rng: random.Random
    labels: list[str]

    def shuffle(self, label: str, order: Sequence[T]) -> tuple[T, ...]:
        items = list(self.inner.shuffle(label, order))
        self.labels.append(label)
        if label == self.label:
            one, other = self.rng.sample(range(len(items)), 2)
            items[one], items[other] = items[other], items[one]
        return tuple(items)

    def die(self, label: str) -> int:
        self.labels.append(label)
        thrown = self.inner.die(label)
        return 1 + (thrown + self.rng.randrange(5)) % 6 if label == self.label else thrown

    def choose(self, label: str, options: Sequence[T]) -> T:
        return self.inner.choose(label, options)


@dataclass
class World:
    """A match as it is stored, with the commands and labels that led to it."""

    table: Table
    commands: list[tuple[Seat, Any]]
    labels: list[str]

    def updates(self, viewer: Seat | None) -> list[bytes]:
        """What the viewer was told, record by record."""
        told = []
        for step in steps(self.table.match_id, self.table.stored, registry.version):
            update, match = match_pb2.MatchUpdate(), step.after
            fill_update(match.game, match.opened.options, step.record, viewer, update)
            told.append(update.SerializeToString())
        return told

    def cut_to(self, records: int) -> World:
        return World(
            Table(self.table.match_id, self.table.match, self.table.stored[:records]),
            self.commands,
            self.labels,
        )


def world(
    game: AnyGame,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    *,
    commands: Sequence[tuple[Seat, Any]] | None = None,
    label: str = "",
    seed: int = 0,
) -> World:
    """A match with random commands, or with given ones as far as they are possible."""
    labels: list[str] = []

    def chance(match_id: str, seed_bytes: bytes, entropies: tuple[bytes | None, ...]) -> Chance:
        key = draw_key(seed_bytes, [entropy or b"" for entropy in entropies])
        return OtherChance(HmacChance(key, match_id), label, random.Random(seed), labels)

    with monkeypatch.context() as patched:
        patched.setattr(decide, "_chance", chance)
        players = [Human(f"p{seat}") for seat in range(max(2, game.seats[0]))]
        opened = opened_table(game, players, game.options(), number, watch=WatchPolicy.ANYONE)
        found = World(seated(opened, number), [], labels)
        rng = random.Random(f"worlds {game.key} {number}")
        given = iter(commands) if commands is not None else random_commands(found.table, rng)
        for seat, command in given:
            key = found.table.now.turns[seat].key if seat in found.table.now.turns else ""
            name, now = f"c{len(found.commands)}", NOW + 1_000 + 100 * len(found.commands)
            try:
                found.table.append(
                    decide.submit(found.table.now, CauseKind.PLAYER, seat, name, command, key, now)
                )
            except SpielwerkError:
                break
            found.commands.append((seat, command))
    return found


def random_commands(table: Table, rng: random.Random) -> Iterator[tuple[Seat, Any]]:
    for _ in range(_MOVES):
        if table.now.phase is Phase.ENDED:
            return
        seat = rng.choice(sorted(table.now.turns))
        legal = table.now.game.legal(table.now.state, seat)
        quiet = [c for c in legal if type(c).__name__ not in ("Resign", "Finish")]
        yield seat, rng.choice(quiet)


def alike(one: World, other: World, viewer: Seat | None) -> int:
    """So many records in a row look alike to the viewer."""
    count = 0
    for mine, theirs in zip(one.updates(viewer), other.updates(viewer), strict=False):
        if mine != theirs:
            return count
        count += 1
    return count


def pair_for(
    viewer: Seat | None, game: AnyGame, number: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[World, World]:
    """Different worlds that look alike to the viewer for long enough."""
    one = world(game, monkeypatch, number)
    shortest = len(one.table.now.opened.occupants) + 1 + _ENOUGH
    rng = random.Random(f"pairs {game.key} {viewer}")
    for attempt in range(_TRIES):
        label = rng.choice(one.labels)
        other = world(game, monkeypatch, number, commands=one.commands, label=label, seed=attempt)
        records = alike(one, other, viewer)
        mine, theirs = one.cut_to(records), other.cut_to(records)
        if records >= shortest and mine.table.stored != theirs.table.stored:
            return mine, theirs
    raise AssertionError(f"no two worlds look alike to {viewer}")


@pytest.fixture
async def houses(tmp_path: Path) -> AsyncIterator[list[Rules]]:
    """Two installations with the same keys."""
    keys = signing.generate()
    async with AsyncExitStack() as stack:
        found = []
        for name in ("one", "other"):
            nats, url = await start_nats(tmp_path / name, sync_always=False)
            stack.push_async_callback(nats.stop)
            rules = Rules(url, keys, stack)
            await rules.start()
            found.append(rules)
        yield found


async def store(rules: Rules, table: Table) -> None:
    async with connect(NatsSettings(url=rules.nats_url)) as connection:
        log, sequence = JetStreamLog(connection, LogSettings()), 0
        for message in table.stored:
            kind = kind_of(message.subject)
            sequence = await log.append(
                table.match_id, kind, message.data, message.headers, expected=sequence
            )


async def seen(rules: Rules, one: World, viewer: Seat | None) -> Eyes:
    """Everything that the viewer receives."""
    seats = len(one.table.now.opened.occupants)
    players = [f"p{seat}" for seat in range(seats)]
    async with eyes(rules.addresses[0], rules.keys, *players) as found:
        eye = found["spectator" if viewer is None else f"p{viewer}"]
        await look_at_everything(eye, one.table.match_id, seats, len(one.table.stored))
        return eye


@EVERY_GAME
async def test_worlds_that_look_alike_are_answered_alike(
    game: AnyGame, houses: list[Rules], monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = range(max(2, game.seats[0]))
    for number, viewer in enumerate((*seats, None), start=1):
        worlds = list(zip(houses, pair_for(viewer, game, number, monkeypatch), strict=True))
        for rules, one in worlds:
            await store(rules, one.table)
        mine, theirs = [await seen(rules, one, viewer) for rules, one in worlds]
        assert mine.raw == theirs.raw
        assert len(mine.raw) > 10
