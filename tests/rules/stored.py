"""Matches in memory whose log also holds what other releases, or strangers, have written."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping

from audit.playing import NOW, secrets_of
from spielwerk.api.log.v1 import record_pb2
from spielwerk.chance import commitment
from spielwerk.codec.match import record_message
from spielwerk.games import registry
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Kind
from spielwerk.log.routing import headers_of
from spielwerk.log.subjects import new_match_id, subject
from spielwerk.match import decide
from spielwerk.match.decide import Decided
from spielwerk.match.fold import Registry
from spielwerk.match.model import Human, Match, Opened, WatchPolicy
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.appending import Appended
from spielwerk_rules.matches import Matches

Change = Callable[[record_pb2.Record], object]
"""Makes another release's record of one of ours."""


def replica(log: MemoryLog, find: Registry = registry.version) -> Matches:
    return Matches(log, find, Metrics(), capacity=100, command_s=2)


def opening(now: int = NOW) -> Decided:
    """The first record of a new match of cribbage."""
    game, hidden = registry.newest("cribbage"), secrets_of(1)
    opened = Opened(
        game=game.key,
        rules_version=game.rules_version,
        options=game.options(),
        occupants=(Human("alice"), Human("bob")),
        watch=WatchPolicy.ANYONE,
        rated=True,
        commitment=commitment(hidden.seed),
        bot_commitment=commitment(hidden.bot_seed),
        seating_ms=15_000,
    )
    match_id = new_match_id(now, secrets.token_bytes(10))
    return decide.open_match(match_id, game, opened, hidden, now)


async def opened_match(matches: Matches) -> str:
    decided = opening()
    await matches.open(decided.record.match_id, decided)
    return decided.record.match_id


async def join(matches: Matches, match_id: str, seat: int) -> Appended | Match:
    return await matches.change(match_id, lambda match: joining(match, seat) or match)


def joining(match: Match, seat: int) -> Decided | None:
    return decide.join(match, seat, b"", NOW)


def written(decided: Decided, change: Change) -> tuple[bytes, dict[str, str]]:
    """Bytes and headers of a record that a release with this change stores."""
    message = record_message(decided.after.game, decided.record)
    change(message)
    data = message.SerializeToString(deterministic=True)
    return data, headers_of(decided.after, decided.record, data).write()


def put(log: MemoryLog, match_id: str, data: bytes, headers: Mapping[str, str]) -> None:
    log.put(subject(match_id, Kind.MOVE), data, headers)


async def versions(log: MemoryLog, match_id: str) -> list[int]:
    """Of all that the log holds of a match."""
    stored = await log.read(match_id)
    return [record_pb2.Record.FromString(message.data).version for message in stored]
