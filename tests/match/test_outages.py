"""The outage rule as decisions: whose time is given back, how much, once, and to be verified."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from match.playing import NOW, Log, a_match, a_played_match, a_started_match
from match.test_verify import rechained, verify
from spielwerk.api.log.v1 import record_pb2
from spielwerk.codec.match import read_record
from spielwerk.errors import FailedPrecondition, InvalidArgument
from spielwerk.games import registry
from spielwerk.match import decide
from spielwerk.match.fold import fold_all
from spielwerk.match.model import GRACE_MS, CauseKind, ClockShifted, Ended, Outage, Phase
from spielwerk.match.outages import first_due, is_due
from spielwerk.match.verify import Mismatch, Verifier

OPENED = 20
"""When the turns of a started match were opened, in ms after NOW."""


def outage(begin: int, end: int) -> Outage:
    return Outage(NOW + begin, NOW + end)


def account(log: Log, begin: int, end: int, at: int) -> None:
    log.append(decide.shift_clock(log.now, outage(begin, end), NOW + at))


def deadline(log: Log, seat: int) -> int:
    """In ms after NOW."""
    found = log.now.turns[seat].deadline_ms
    assert found is not None
    return found - NOW


def test_an_outage_gives_its_length_and_five_seconds() -> None:
    log = a_started_match(action_timeout_s=60)
    account(log, 10_000, 30_000, at=31_000)
    assert {seat: deadline(log, seat) for seat in (0, 1)} == dict.fromkeys((0, 1), OPENED + 85_000)
    assert {turn.since_ms - NOW for turn in log.now.turns.values()} == {OPENED + 25_000}


def test_an_outage_is_accounted_for_once() -> None:
    log = a_started_match(action_timeout_s=60)
    assert is_due(log.now, outage(10_000, 30_000))
    account(log, 10_000, 30_000, at=31_000)
    assert not is_due(log.now, outage(10_000, 30_000))
    with pytest.raises(FailedPrecondition, match="took no time"):
        account(log, 10_000, 30_000, at=32_000)


def test_several_outages_are_accounted_for_in_the_order_of_their_ends() -> None:
    log = a_started_match(action_timeout_s=60)
    known = [outage(10_000, 20_000), outage(22_000, 40_000)]
    for expected in known:
        due = first_due(log.now, known)
        assert due == expected
        log.append(decide.shift_clock(log.now, due, NOW + 41_000))
    assert first_due(log.now, known) is None
    assert deadline(log, 0) == OPENED + 60_000 + 15_000 + 23_000


def test_an_outage_before_the_turn_was_opened_gives_nothing() -> None:
    log = a_started_match(action_timeout_s=60)
    assert not is_due(log.now, outage(-20_000, OPENED))
    assert is_due(log.now, outage(-20_000, OPENED + 1))


def test_an_outage_from_before_the_match_gives_nothing_to_its_first_turns() -> None:
    assert not is_due(a_match().now, outage(-20_000, 0))


def test_a_turn_that_was_overdue_before_the_outage_is_still_lost() -> None:
    log = a_started_match(action_timeout_s=60)
    late = OPENED + 60_000 + GRACE_MS
    assert not is_due(log.now, outage(late, late + 30_000))
    assert is_due(log.now, outage(late - 1, late + 30_000))
    record = log.append(decide.expire(log.now, 0, log.now.turns[0].key, NOW + late + 30_000))
    assert record.cause.kind is CauseKind.TIMER


def test_an_overdue_turn_stays_so_when_another_ones_time_is_given_back() -> None:
    log = a_started_match(action_timeout_s=60)
    turns = dict(log.now.turns)
    turns[1] = replace(turns[1], deadline_ms=NOW + 200_000)
    log.match = replace(log.now, turns=turns)
    late = OPENED + 60_000 + GRACE_MS
    account(log, late + 1_000, late + 31_000, at=late + 32_000)
    assert (deadline(log, 0), deadline(log, 1)) == (OPENED + 60_000, 235_000)


def test_players_who_were_about_to_join_get_their_time_back() -> None:
    log = a_match()
    account(log, 5_000, 60_000, at=60_500)
    assert deadline(log, 0) == 15_000 + 60_000
    with pytest.raises(FailedPrecondition, match="not overdue"):
        decide.expire(log.now, 0, "join", NOW + 61_000)
    record = log.append(decide.expire(log.now, 0, "join", NOW + 75_000 + GRACE_MS))
    assert isinstance(record.events[-1], Ended)


def test_a_match_without_deadlines_is_left_alone() -> None:
    log = a_started_match(action_timeout_s=0)
    assert not is_due(log.now, outage(1_000, 100_000))


def test_a_finished_match_is_left_alone() -> None:
    log = a_played_match()
    assert log.now.phase is Phase.ENDED
    assert not is_due(log.now, outage(0, 10**9))


def test_an_outage_that_ends_before_it_begins_is_none() -> None:
    log = a_started_match(action_timeout_s=60)
    with pytest.raises(InvalidArgument):
        account(log, 30_000, 30_000, at=31_000)


def test_an_outage_is_over_when_it_is_accounted_for() -> None:
    log = a_started_match(action_timeout_s=60)
    account(log, 10_000, 30_000, at=29_900)  # by a clock that is a little behind
    assert log.now.recorded_at_ms == NOW + 30_000


def test_the_folded_match_knows_what_it_has_accounted_for() -> None:
    log = a_started_match(action_timeout_s=60)
    account(log, 10_000, 30_000, at=31_000)
    assert fold_all(log.records(), registry.version) == log.now
    assert log.now.accounted_ms == NOW + 30_000


def with_an_outage() -> Log:
    """A match with an outage in it, up to its end."""
    log = a_started_match(action_timeout_s=60)
    account(log, 10_000, 30_000, at=31_000)
    log.append(decide.abort(log.now, "test", NOW + 32_000))
    return log


def test_a_match_with_an_outage_is_verified() -> None:
    verify(with_an_outage().stored)


def test_an_outage_accounted_for_twice_is_found() -> None:
    log = a_started_match(action_timeout_s=60)
    account(log, 10_000, 30_000, at=31_000)
    log.match = replace(log.now, accounted_ms=0)
    account(log, 10_000, 30_000, at=32_000)
    with pytest.raises(Mismatch, match="record 5: the rules refuse its cause: not_touched"):
        verify(log.stored)


FORGERIES = {
    "more time": (
        ClockShifted(25_001, "outage", NOW + 10_000, NOW + 30_000),
        "the rules lead to other events",
    ),
    "another reason": (
        ClockShifted(25_000, "because", NOW + 10_000, NOW + 30_000),
        "the rules lead to other events",
    ),
    "not over yet": (
        ClockShifted(26_001, "outage", NOW + 10_000, NOW + 31_001),
        "the rules lead to other recorded_at_ms",
    ),
    "no outage": (
        ClockShifted(5_000, "outage", NOW + 30_000, NOW + 30_000),
        "the rules refuse its cause: bad_outage",
    ),
    "before the match": (
        ClockShifted(25_000, "outage", NOW - 20_000, NOW),
        "the rules refuse its cause: not_touched",
    ),
    "of nobody's turn": (
        ClockShifted(15_000, "outage", NOW + 61_000, NOW + 71_000),
        "the rules refuse its cause: not_touched",
    ),
}


@pytest.mark.parametrize(("forged", "why"), FORGERIES.values(), ids=FORGERIES)
def test_a_made_up_shift_is_found(forged: ClockShifted, why: str) -> None:
    stored = with_an_outage().stored
    verifier = Verifier(registry.version)
    message = record_pb2.Record.FromString(stored[3])
    shift = message.events[0].clock_shifted
    shift.ms, shift.reason = forged.ms, forged.reason
    shift.from_ms, shift.until_ms = forged.from_ms, forged.until_ms
    *honest, suspect = rechained([*stored[:3], with_turns(message, forged)])
    for data in honest:
        feed(verifier, data)
    with pytest.raises(Mismatch, match=f"record 4: {why}"):
        feed(verifier, suspect)


def feed(verifier: Verifier, data: bytes) -> None:
    record, _ = read_record(data, registry.newest("cribbage"), registry.version)
    verifier.feed(record, hashlib.sha256(data).digest())


def with_turns(message: record_pb2.Record, forged: ClockShifted) -> bytes:
    """The record with the turns that follow from the forged shift, as a careful forger would."""
    begin, end = forged.from_ms, forged.until_ms
    for turn in message.turns:
        since, until = NOW + OPENED, NOW + OPENED + 60_000
        moved = since < end and begin < until + GRACE_MS
        turn.since_ms = since + forged.ms * moved
        turn.deadline_ms = until + forged.ms * moved
    return message.SerializeToString()
