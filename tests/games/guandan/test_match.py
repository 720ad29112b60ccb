"""Guandan inside a match: people and bots at one table, clocks, and every record decided again."""

from __future__ import annotations

import random
from typing import Any

import pytest

from match.playing import MATCH_ID, NOW, Log
from spielwerk.chance import commitment
from spielwerk.games import registry
from spielwerk.games.game import BotInformation
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.messages import (
    DealEnded,
    DealStarted,
    MatchRestarted,
    NextDeal,
    Restart,
)
from spielwerk.games.guandan.model import Phase
from spielwerk.match import decide
from spielwerk.match.model import (
    Bot,
    CauseKind,
    Human,
    Occupant,
    Opened,
    Origin,
    Record,
    Secrets,
    WatchPolicy,
)
from spielwerk.match.verify import Verifier

BOT = Bot("normal", "normal@1", BotInformation.OWN_VIEW)
PEOPLE = tuple(Human(name) for name in ("alice", "bob", "carol", "dave"))


def opened(*occupants: Occupant, **options: Any) -> Log:
    """A match that has begun: all people have joined."""
    secrets = Secrets(b"s" * 32, b"b" * 32)
    header = Opened(
        game="guandan",
        rules_version=GAME.rules_version,
        options=GAME.options(**options),
        occupants=occupants,
        watch=WatchPolicy.PARTICIPANTS,
        rated=False,
        commitment=commitment(secrets.seed),
        bot_commitment=commitment(secrets.bot_seed),
        seating_ms=15_000,
        origin=Origin.PRACTICE,
    )
    log = Log()
    log.append(decide.open_match(MATCH_ID, GAME, header, secrets, NOW))
    for seat, occupant in enumerate(occupants):
        if isinstance(occupant, Human):
            log.append(decide.join(log.now, seat, b"", NOW))
    return log


def submit(log: Log, seat: int, command: object) -> Record:
    kind = CauseKind.BOT if log.now.is_bot(seat) else CauseKind.PLAYER
    command_id = f"c{len(log.stored)}"
    return log.append(decide.submit(log.now, kind, seat, command_id, command, "", NOW))


def play_a_deal(log: Log, seed: int = 1) -> Record:
    """Random plays up to the record that ends the deal."""
    rng = random.Random(seed)
    while True:
        seat = min(log.now.turns)
        record = submit(log, seat, rng.choice(GAME.legal(log.now.state, seat)))
        if any(isinstance(event, DealEnded) for event in record.events):
            return record


def test_after_a_deal_only_people_are_asked_and_only_they_have_a_deadline() -> None:
    log = opened(PEOPLE[0], BOT, PEOPLE[2], BOT)
    assert log.now.state.bots == (1, 3)
    play_a_deal(log)

    assert log.now.state.phase is Phase.DEAL_OVER
    assert set(log.now.turns) == {0, 2}
    assert {turn.deadline_ms for turn in log.now.turns.values()} == {NOW + 10_000}


def test_the_pause_ends_by_a_person_or_by_its_deadline() -> None:
    for by_hand in (True, False):
        log = opened(PEOPLE[0], BOT, BOT, BOT)
        play_a_deal(log)
        if by_hand:
            record = submit(log, 0, NextDeal())
        else:
            key = log.now.turns[0].key
            record = log.append(decide.expire(log.now, 0, key, NOW + 10_250))
        started = [event for event in record.events if isinstance(event, DealStarted)]
        assert [event.auto for event in started] == [not by_hand]


def test_four_bots_play_on_without_anybody_asking() -> None:
    record = play_a_deal(opened(BOT, BOT, BOT, BOT))

    assert any(isinstance(event, DealStarted) for event in record.events)


def test_with_one_person_a_restart_needs_nobody_else_and_with_two_it_does() -> None:
    alone = submit(opened(PEOPLE[0], BOT, BOT, BOT), 0, Restart())
    assert MatchRestarted() in alone.events

    log = opened(PEOPLE[0], PEOPLE[1], BOT, BOT)
    assert MatchRestarted() not in submit(log, 1, Restart()).events
    assert MatchRestarted() in submit(log, 0, Restart()).events


@pytest.mark.parametrize("people", [0, 1, 4])
def test_every_record_is_decided_again_from_what_is_stored(people: int) -> None:
    log = opened(*PEOPLE[:people], *[BOT] * (4 - people), max_deals=3)
    for number in range(3):
        play_a_deal(log, number)
        if log.now.ended is None and log.now.state.phase is Phase.DEAL_OVER:
            submit(log, 0, NextDeal())
    assert log.now.ended is not None

    verifier = Verifier(registry.version)
    for record, sha256, _ in log.records():
        verifier.feed(record, sha256)
    assert verifier.close().state == log.now.state
