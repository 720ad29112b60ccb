"""Opens and plays matches in memory, as rules does it, for the tests of the match layer."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from typing import Any

from spielwerk.chance import commitment
from spielwerk.codec.match import read_record, write_record
from spielwerk.games import registry
from spielwerk.games.game import BotInformation
from spielwerk.match import decide
from spielwerk.match.decide import Decided
from spielwerk.match.fold import finish
from spielwerk.match.model import (
    Bot,
    CauseKind,
    Human,
    Match,
    Occupant,
    Opened,
    Origin,
    Phase,
    Record,
    Secrets,
    WatchPolicy,
)

NOW = 1_790_000_000_000
MATCH_ID = "01m0000000000000000000000a"
ALICE, BOB = Human("alice"), Human("bob")
A_BOT = Bot("normal", "normal@1", BotInformation.OWN_VIEW)


@dataclass
class Log:
    """The stored bytes of one match and the match folded from them."""

    match: Match | None = None
    stored: list[bytes] = field(default_factory=list)

    @property
    def now(self) -> Match:
        assert self.match is not None
        return self.match

    def append(self, decided: Decided | None) -> Record:
        assert decided is not None
        data = write_record(decided.after.game, decided.record)
        sha256 = hashlib.sha256(data).digest()
        self.stored.append(data)
        self.match = finish(decided.after, decided.record, sha256, len(self.stored))
        return decided.record

    def records(self) -> list[tuple[Record, bytes, int]]:
        """Everything read back: (record, hash, sequence)."""
        found, game = [], None
        for sequence, data in enumerate(self.stored, start=1):
            record, game = read_record(data, game, registry.version)
            found.append((record, hashlib.sha256(data).digest(), sequence))
        return found


def opened(*occupants: Occupant, **options: Any) -> tuple[Opened, Secrets]:
    game = registry.newest("cribbage")
    secrets = Secrets(b"s" * 32, b"b" * 32)
    return Opened(
        game=game.key,
        rules_version=game.rules_version,
        options=game.options(**options),
        occupants=occupants or (ALICE, BOB),
        watch=WatchPolicy.PARTICIPANTS,
        rated=True,
        commitment=commitment(secrets.seed),
        bot_commitment=commitment(secrets.bot_seed),
        seating_ms=15_000,
        origin=Origin.QUEUE,
    ), secrets


def a_match(*occupants: Occupant, **options: Any) -> Log:
    """A match that waits for its players."""
    log = Log()
    header, secrets = opened(*occupants, **options)
    game = registry.newest("cribbage")
    log.append(decide.open_match(MATCH_ID, game, header, secrets, NOW))
    return log


def a_started_match(**options: Any) -> Log:
    log = a_match(**options)
    log.append(decide.join(log.now, 0, b"0" * 32, NOW + 10))
    log.append(decide.join(log.now, 1, b"", NOW + 20))
    return log


def a_played_match(seed: int = 1, **options: Any) -> Log:
    """A whole match with random legal play."""
    log = a_started_match(**options)
    rng, step = random.Random(seed), 0
    while log.now.phase is not Phase.ENDED:
        step += 1
        seat = rng.choice(sorted(log.now.turns))
        command = rng.choice(list(log.now.game.legal(log.now.state, seat)))
        key = log.now.turns[seat].key
        at = NOW + 100 * step
        log.append(decide.submit(log.now, CauseKind.PLAYER, seat, f"c{step}", command, key, at))
    return log
