"""The time budget through the match layer: deadlines, timeouts and shifts by recorded times."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from spielwerk.chance import commitment
from spielwerk.codec.match import read_record, write_record
from spielwerk.errors import FailedPrecondition
from spielwerk.games import registry
from spielwerk.games.game import BotInformation
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import DiceRolled, Enter, NextThrow, Roll
from spielwerk.games.yatzee.model import Row
from spielwerk.games.yatzee.options import Options
from spielwerk.match import decide
from spielwerk.match.decide import Decided
from spielwerk.match.fold import finish, fold_all
from spielwerk.match.model import (
    GRACE_MS,
    Bot,
    CauseKind,
    Human,
    Match,
    Occupant,
    Opened,
    Origin,
    Outage,
    Phase,
    Record,
    Secrets,
    WatchPolicy,
)
from spielwerk.match.verify import Mismatch, Verifier

NOW = 1_790_000_000_000
A_BOT = Bot("expert", "expert@1", BotInformation.OWN_VIEW)


class Log:
    """The stored bytes of a Yatzee match; times are ms after its start."""

    def __init__(self, *occupants: Occupant, **options: Any) -> None:
        secrets = Secrets(b"s" * 32, b"b" * 32)
        self.stored: list[bytes] = []
        self.match: Match
        people = occupants or (Human("alice"), Human("bob"))
        opened = Opened(
            game=GAME.key,
            rules_version=GAME.rules_version,
            options=Options(**options),
            occupants=people,
            watch=WatchPolicy.ANYONE,
            rated=True,
            commitment=commitment(secrets.seed),
            bot_commitment=commitment(secrets.bot_seed),
            seating_ms=15_000,
            origin=Origin.QUEUE,
        )
        self._append(decide.open_match("01m0000000000000000000000y", GAME, opened, secrets, NOW))
        for seat, person in enumerate(people):
            if isinstance(person, Human):
                self._append(decide.join(self.match, seat, b"", NOW))

    def give(self, seat: int, command: Any, at: int) -> None:
        kind = CauseKind.BOT if self.match.is_bot(seat) else CauseKind.PLAYER
        self._append(decide.submit(self.match, kind, seat, f"c{at}", command, "", NOW + at))

    def expire(self, seat: int, at: int) -> None:
        key = self.match.turns[seat].key
        self._append(decide.expire(self.match, seat, key, NOW + at))

    def outage(self, begin: int, end: int, at: int) -> None:
        outage = Outage(NOW + begin, NOW + end)
        self._append(decide.shift_clock(self.match, outage, NOW + at))

    @property
    def deadlines(self) -> dict[int, int | None]:
        """By seat, in ms after the start."""
        return {
            seat: None if turn.deadline_ms is None else turn.deadline_ms - NOW
            for seat, turn in self.match.turns.items()
        }

    @property
    def used(self) -> list[int]:
        return [place.used_ms for place in self.match.state.places]

    def records(self) -> list[tuple[Record, bytes, int]]:
        """Everything read back: (record, hash, sequence)."""
        found, game = [], None
        for sequence, data in enumerate(self.stored, start=1):
            record, game = read_record(data, game, registry.version)
            found.append((record, hashlib.sha256(data).digest(), sequence))
        return found

    def replayed(self) -> Match:
        """The match folded from the stored bytes."""
        match = fold_all(self.records(), registry.version)
        assert match is not None
        return match

    def _append(self, decided: Decided | None) -> None:
        assert decided is not None
        data = write_record(decided.after.game, decided.record)
        self.stored.append(data)
        sha256 = hashlib.sha256(data).digest()
        self.match = finish(decided.after, decided.record, sha256, len(self.stored))


def test_5_1_a_deadline_is_the_rest_of_the_seats_own_budget() -> None:
    log = Log()
    assert log.deadlines == {0: 900_000, 1: 900_000}
    log.give(0, Roll(), 10_000)

    assert log.deadlines == {0: 900_000, 1: 900_000}
    log.give(0, NextThrow(()), 15_000)
    log.give(1, Roll(), 60_000)
    log.give(1, NextThrow(()), 70_000)  # from here both clocks run again

    assert log.used == [15_000, 70_000]
    assert log.deadlines == {0: 70_000 + 885_000, 1: 70_000 + 830_000}


def test_5_1_waiting_costs_nothing_however_long_it_takes() -> None:
    log = Log()
    log.give(0, Roll(), 1000)
    log.give(0, Enter(Row.CHANCE), 2000)
    assert log.deadlines == {1: 900_000}
    log.give(1, Roll(), 800_000)
    log.give(1, Enter(Row.CHANCE), 800_500)

    assert log.used == [2000, 800_500]
    assert log.deadlines == {0: 800_500 + 898_000, 1: 800_500 + 99_500}


@pytest.mark.parametrize("early_ms", [1, 5_000, 900_000])
def test_5_1_a_timeout_before_the_deadline_and_its_grace_is_refused(early_ms: int) -> None:
    log = Log()

    with pytest.raises(FailedPrecondition) as refused:
        log.expire(0, 900_000 + GRACE_MS - early_ms)
    assert refused.value.reason == "not_overdue"


def test_5_4_a_roll_within_the_grace_counts_and_the_engine_enters_it() -> None:
    log = Log()
    log.give(0, Roll(), 900_000 + GRACE_MS - 1)

    place = log.match.state.places[0]
    assert (place.used_ms, place.exhausted, len(place.own.throws)) == (900_000, True, 1)
    assert 0 not in log.match.turns


def test_5_5_the_timer_ends_a_seats_time_and_the_others_play_on() -> None:
    log = Log(*map(Human, "abcde"))
    log.give(0, Roll(), 899_999)
    log.expire(0, 900_250)
    assert log.used[0] == 900_000
    assert sorted(log.match.turns) == [1, 2, 3, 4]

    for seat in (1, 2, 3, 4):
        log.expire(seat, 900_300 + seat)
    assert log.match.phase is Phase.ENDED
    assert log.match.ended is not None
    assert log.match.ended.result is not None
    assert {s.score_milli % 1000 for s in log.match.ended.result.standings} == {0}


def test_an_outage_of_ours_does_not_eat_the_budget() -> None:
    log = Log()
    log.give(0, Roll(), 10_000)
    log.outage(10_000, 505_000, at=510_000)  # and five seconds to come back
    assert log.deadlines == {0: 1_400_000, 1: 1_400_000}
    log.give(0, Enter(Row.CHANCE), 512_000)
    log.give(1, Roll(), 515_000)

    assert log.used == [12_000, 15_000]


def test_five_seats_in_parallel_each_use_their_own_time() -> None:
    log = Log(*map(Human, "abcde"))
    for seat in range(5):
        log.give(seat, Roll(), 1000 * (seat + 1))
    for seat in reversed(range(5)):
        log.give(seat, Enter(Row.CHANCE), 100_000 - 10_000 * seat)

    assert log.used == [100_000, 90_000, 80_000, 70_000, 60_000]
    assert log.deadlines == dict(enumerate(100_000 + 900_000 - used for used in log.used))


def a_played_match(seats: int = 2, **options: Any) -> Log:
    """Random play; now and then a seat runs out of time."""
    log, at, rng = Log(*map(Human, "abcde"[:seats]), **options), 0, random.Random(seats)
    while log.match.phase is not Phase.ENDED:
        seat = rng.choice(sorted(log.match.turns))
        at += 700
        if rng.random() < 0.02:
            at += 1_000_000
            log.expire(seat, at)
        else:
            log.give(seat, rng.choice(GAME.legal(log.match.state, seat)), at)
    return log


@pytest.mark.parametrize("seats", GAME.seats)
def test_5_2_replay_reads_the_times_from_the_events(seats: int) -> None:
    log = a_played_match(seats)
    again = log.replayed()

    assert again.state == log.match.state
    assert again.ended == log.match.ended


@pytest.mark.parametrize("seats", GAME.seats)
def test_every_die_and_every_ms_can_be_recomputed_from_the_records(seats: int) -> None:
    verifier = Verifier(registry.version)
    for record, sha256, _ in a_played_match(seats).records():
        verifier.feed(record, sha256)

    assert verifier.close().ended is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda event: replace(event, dice=tuple(7 - pips for pips in event.dice)),
        lambda event: replace(event, spent_ms=event.spent_ms - 1),
    ],
    ids=["another die", "less time"],
)
def test_another_die_or_time_in_a_record_is_found(change: Callable[[Any], Any]) -> None:
    """Whoever rewrites the whole log cannot make the rules lead to it."""
    verifier = Verifier(registry.version)
    for record, sha256, _ in a_played_match().records():
        first = record.events[0]
        if isinstance(first, DiceRolled):
            forged = replace(record, events=(change(first), *record.events[1:]))
            with pytest.raises(Mismatch):
                verifier.feed(forged, sha256)
            return
        verifier.feed(record, sha256)
    raise AssertionError("nobody rolled")


def test_a_bot_has_no_deadline_but_its_time_counts_as_well() -> None:
    log = Log(Human("alice"), A_BOT)
    assert log.deadlines == {0: 900_000, 1: None}
    log.give(1, Roll(), 3000)
    log.give(1, Enter(Row.CHANCE), 1_000_000)

    assert log.used == [0, 900_000]
