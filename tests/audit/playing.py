"""Plays a match of any registered game in memory and keeps it as the log would."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from games.playing import begin
from spielwerk.audit.bots import choice_of
from spielwerk.chance import commitment
from spielwerk.codec.match import write_record
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, Resign
from spielwerk.log.port import Stored
from spielwerk.log.routing import headers_of, kind_of_record
from spielwerk.log.subjects import new_match_id, subject
from spielwerk.match import decide
from spielwerk.match.decide import Decided
from spielwerk.match.fold import finish
from spielwerk.match.model import (
    GRACE_MS,
    Bot,
    CauseKind,
    Human,
    Match,
    Occupant,
    Opened,
    Origin,
    Phase,
    Secrets,
    WatchPolicy,
)

NOW = 1_790_000_000_000
GAP = 3
"""Stream sequences between two records of the match: others play at the same time."""


@dataclass
class Table:
    """One match under way and what is stored of it."""

    match_id: str
    match: Match | None = None
    stored: list[Stored] = field(default_factory=list)

    @property
    def now(self) -> Match:
        assert self.match is not None
        return self.match

    def append(self, decided: Decided | None) -> None:
        assert decided is not None
        record, game = decided.record, decided.after.game
        data = write_record(game, record)
        headers = headers_of(decided.after, record, data).write()
        sequence = GAP * (len(self.stored) + 1)
        to = subject(self.match_id, kind_of_record(record))
        self.stored.append(Stored(sequence, to, headers, data))
        self.match = finish(decided.after, record, hashlib.sha256(data).digest(), sequence)


def secrets_of(seed: int) -> Secrets:
    rng = random.Random(f"secrets {seed}")
    return Secrets(rng.randbytes(32), rng.randbytes(32))


def opened_table(
    game: AnyGame,
    occupants: Sequence[Occupant],
    options: Any,
    seed: int,
    watch: WatchPolicy = WatchPolicy.PARTICIPANTS,
) -> Table:
    """A match that waits for its players."""
    secrets = secrets_of(seed)
    table = Table(new_match_id(NOW + seed, random.Random(seed).randbytes(10)))
    opened = Opened(
        game=game.key,
        rules_version=game.rules_version,
        options=options,
        occupants=tuple(occupants),
        watch=watch,
        rated=True,
        commitment=commitment(secrets.seed),
        bot_commitment=commitment(secrets.bot_seed),
        seating_ms=15_000,
        origin=Origin.QUEUE,
    )
    table.append(decide.open_match(table.match_id, game, opened, secrets, NOW))
    return table


def seated(table: Table, seed: int) -> Table:
    """Everybody joins, some with entropy."""
    rng = random.Random(f"entropy {seed}")
    for seat, who in enumerate(table.now.opened.occupants):
        if isinstance(who, Human):
            entropy = rng.randbytes(32) if rng.random() < 0.7 else b""
            table.append(decide.join(table.now, seat, entropy, NOW + 10 + seat))
    return table


def played(game: AnyGame, seed: int, longest: int = 10_000) -> Table:
    """A whole match with random house rules, random moves and a few timeouts.

    After `longest` records everybody gives up.
    """
    sample = begin(game, seed)
    return played_with(game, sample.options, sample.seats, seed, longest)


def long_match(records: int) -> Table:
    """A series of cribbage that nobody wins within so many records."""
    game = registry.newest("cribbage")
    return played_with(game, game.options(games_to_win=100), 2, 1, records)


def played_with(game: AnyGame, options: Any, seats: int, seed: int, longest: int) -> Table:
    """A whole match with these house rules."""
    players = [Human(f"player-{seat}") for seat in range(seats)]
    table = seated(opened_table(game, players, options, seed), seed)
    rng, clock = random.Random(f"play {game.key} {seed}"), NOW + 1_000
    while table.now.phase is not Phase.ENDED:
        clock = move(table, rng, clock, giving_up=len(table.stored) >= longest)
    return table


def move(table: Table, rng: random.Random, clock: int, *, giving_up: bool = False) -> int:
    """One random command of who must act, now and then a timeout; returns the time."""
    match = table.now
    seat = rng.choice(sorted(match.turns))
    turn = match.turns[seat]
    clock += rng.randrange(50, 2_000)
    if turn.deadline_ms is not None and rng.random() < 0.01:
        clock = max(clock, turn.deadline_ms + GRACE_MS)
        table.append(decide.expire(match, seat, turn.key, clock))
        return clock
    legal = list(match.game.legal(match.state, seat))
    command = Resign() if giving_up else rng.choice(legal)
    kind = CauseKind.BOT if match.is_bot(seat) else CauseKind.PLAYER
    number = f"c{len(table.stored)}"
    table.append(decide.submit(match, kind, seat, number, command, turn.key, clock))
    return clock


def with_bots(game: AnyGame, strength: str, seed: int, longest: int = 10_000) -> Table:
    """A whole match among bots of one strength, each choosing as the bots' service does."""
    sample = begin(game, seed)
    policy = game.bots[strength]
    bots = [Bot.of(policy)] * sample.seats
    table = opened_table(game, bots, sample.options, seed)
    while table.now.phase is not Phase.ENDED:
        match, now = table.now, NOW + 100 * len(table.stored)
        if len(table.stored) >= longest:
            table.append(decide.abort(match, "long enough", now))
            continue
        seat = min(match.turns)
        command = choice_of(match, seat, bots[seat], policy)
        number, key = f"b{len(table.stored)}", match.turns[seat].key
        table.append(decide.submit(match, CauseKind.BOT, seat, number, command, key, now))
    return table
