"""Matches go on, and verify, under the rules they were opened with, while new ones have newer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from audit.damaging import rechained, record_of
from audit.playing import NOW, secrets_of
from spielwerk.audit.checking import verify_stored
from spielwerk.chance import commitment
from spielwerk.errors import Illegal, Unavailable
from spielwerk.games import registry
from spielwerk.games.game import Actor, AnyGame, Context, Resign
from spielwerk.log.memory import MemoryLog
from spielwerk.log.subjects import new_match_id
from spielwerk.match import decide
from spielwerk.match.fold import Registry
from spielwerk.match.model import CauseKind, Human, Match, Opened, Phase, WatchPolicy
from spielwerk.match.verify import Mismatch
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.matches import Matches

OLD = replace(registry.newest("cribbage"), rules_version="toy-1")


def nobody_gives_up(state: Any, actor: Actor, command: Any, context: Context) -> tuple[Any, ...]:
    """The toy game's second edition."""
    if isinstance(command, Resign):
        raise Illegal("no_resigning")
    return OLD.decide(state, actor, command, context)


NEW: AnyGame = replace(OLD, rules_version="toy-2", decide=nobody_gives_up)


def knowing(*games: AnyGame) -> Registry:
    versions: Mapping[str, AnyGame] = {game.rules_version: game for game in games}

    def find(_: str, version: str) -> AnyGame:
        if version not in versions:
            raise Unavailable("rules_version_unknown")
        return versions[version]

    return find


def replica(log: MemoryLog, *games: AnyGame) -> Matches:
    return Matches(log, knowing(*games), Metrics(), capacity=10, command_s=2)


async def open_match(matches: Matches, game: AnyGame, number: int) -> str:
    match_id, secrets = new_match_id(NOW, bytes([number]) * 10), secrets_of(number)
    opened = Opened(
        game=game.key,
        rules_version=game.rules_version,
        options=game.options(),
        occupants=(Human("alice"), Human("bob")),
        watch=WatchPolicy.PARTICIPANTS,
        rated=True,
        commitment=commitment(secrets.seed),
        bot_commitment=commitment(secrets.bot_seed),
        seating_ms=15_000,
    )
    await matches.open(match_id, decide.open_match(match_id, game, opened, secrets, NOW))
    for seat in (0, 1):

        def take(match: Match, seat: int = seat) -> decide.Decided | Match:
            return decide.join(match, seat, b"", NOW) or match

        await matches.change(match_id, take)
    return match_id


async def resign(matches: Matches, match_id: str) -> Match:
    await matches.change(match_id, lambda m: decide.resign(m, 0, "r", NOW + 1))
    return await matches.fresh(match_id)


async def play(matches: Matches, match_id: str, moves: int) -> None:
    for _ in range(moves):

        def step(match: Match) -> decide.Decided:
            command_id = f"c{match.version}"
            seat = min(match.turns)
            command = match.game.legal(match.state, seat)[0]
            return decide.submit(match, CauseKind.PLAYER, seat, command_id, command, "", NOW)

        await matches.change(match_id, step)


async def test_a_match_goes_on_under_its_version_after_an_update() -> None:
    log = MemoryLog()
    before = replica(log, OLD)
    match_id = await open_match(before, OLD, 1)
    await play(before, match_id, 3)
    after = replica(log, NEW, OLD)
    await play(after, match_id, 2)
    assert (await resign(after, match_id)).phase is Phase.ENDED
    stored = await log.read(match_id)
    assert verify_stored(match_id, stored, knowing(NEW, OLD)).match.game is OLD


async def test_a_new_match_has_the_new_rules_at_the_same_time() -> None:
    log = MemoryLog()
    matches = replica(log, NEW, OLD)
    old, new = await open_match(matches, OLD, 1), await open_match(matches, NEW, 2)
    with pytest.raises(Illegal, match="no resigning"):
        await resign(matches, new)
    assert (await resign(matches, old)).phase is Phase.ENDED


async def test_a_replica_that_does_not_know_the_version_leaves_the_match_to_others() -> None:
    log = MemoryLog()
    match_id = await open_match(replica(log, NEW, OLD), NEW, 1)
    with pytest.raises(Unavailable) as refused:
        await resign(replica(log, OLD), match_id)
    assert refused.value.reason == "rules_version_unknown"


async def test_a_match_does_not_verify_under_another_version() -> None:
    log = MemoryLog()
    matches = replica(log, NEW, OLD)
    match_id = await open_match(matches, OLD, 1)
    await resign(matches, match_id)
    stored = list(await log.read(match_id))
    records = [record_of(message) for message in stored]
    records[0].events[0].opened.rules_version = NEW.rules_version
    records[-1].events[-1].ended.rules_version = NEW.rules_version
    with pytest.raises(Mismatch, match="record 4: the rules refuse its cause: no_resigning"):
        verify_stored(match_id, rechained(stored, records), knowing(NEW, OLD))
