"""Commands of a running match: once per id, judged by turns, timed by the log's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from match.playing import A_BOT, ALICE, NOW, Log, a_match, a_played_match, a_started_match
from spielwerk.errors import (
    AlreadyExists,
    FailedPrecondition,
    Illegal,
    MatchDamaged,
    PermissionDenied,
    StaleTurn,
)
from spielwerk.games import registry
from spielwerk.games.game import Resign, TimeOut
from spielwerk.match import decide
from spielwerk.match.fold import fold_all
from spielwerk.match.model import (
    RECEIPTS,
    Aborted,
    CauseKind,
    ClockShifted,
    Ended,
    Outage,
    Phase,
    Receipt,
)


def legal(log: Log, seat: int, index: int = 0) -> Any:
    return log.now.game.legal(log.now.state, seat)[index]


def submit(log: Log, seat: int, command_id: str, command: Any, key: str = "", at: int = 0) -> None:
    kind = CauseKind.PLAYER
    log.append(decide.submit(log.now, kind, seat, command_id, command, key, NOW + at))


def test_an_accepted_command_leaves_a_receipt() -> None:
    log = a_started_match()
    command = legal(log, 0)
    submit(log, 0, "first", command)
    receipt = decide.receipt_of(log.now, 0, "first", command)
    assert receipt == Receipt("first", command, 4, 4)
    assert decide.receipt_of(log.now, 1, "first", command) is None


def test_the_same_id_with_another_command_is_refused() -> None:
    log = a_started_match()
    submit(log, 0, "first", legal(log, 0))
    with pytest.raises(AlreadyExists) as refused:
        decide.receipt_of(log.now, 0, "first", Resign())
    assert refused.value.reason == "command_id_reused"


def test_the_last_sixteen_commands_of_a_seat_are_remembered() -> None:
    receipts = a_played_match().now.receipts
    assert [len(of_seat) for of_seat in receipts] == [RECEIPTS, RECEIPTS]


def test_a_command_for_a_closed_turn_is_stale_and_names_the_open_one() -> None:
    log = a_started_match()
    key = log.now.turns[0].key
    submit(log, 0, "c1", legal(log, 0), key)
    with pytest.raises(StaleTurn) as refused:
        decide.submit(log.now, CauseKind.PLAYER, 0, "c2", Resign(), key, NOW)
    assert refused.value.metadata["turn_key"] == ""


def test_a_refused_command_changes_nothing() -> None:
    log = a_started_match()
    before = log.now
    command = legal(log, 0)
    submit(log, 0, "c1", command)
    for _ in range(50):
        with pytest.raises(Illegal):
            decide.submit(log.now, CauseKind.PLAYER, 0, "c2", command, "", NOW)
    assert log.now.version == before.version + 1


def test_a_player_cannot_end_a_turn_as_the_timer_does() -> None:
    log = a_started_match()
    with pytest.raises(PermissionDenied):
        decide.submit(log.now, CauseKind.PLAYER, 0, "c", TimeOut(1, log.now.turns[1].key), "", NOW)


def test_another_seats_move_does_not_shift_a_deadline() -> None:
    log = a_started_match(action_timeout_s=60)
    before = log.now.turns[1]
    submit(log, 0, "c1", legal(log, 0), at=30_000)
    assert log.now.turns[1] == before


def test_a_new_turn_gets_its_allowance_from_the_time_of_its_record() -> None:
    log = a_started_match(action_timeout_s=60)
    submit(log, 0, "c1", legal(log, 0), at=5_000)
    submit(log, 1, "c2", legal(log, 1), at=9_000)
    (turn,) = log.now.turns.values()
    assert turn.deadline_ms == NOW + 9_000 + 60_000


def test_an_overdue_turn_is_ended_by_the_rules_of_the_game() -> None:
    log = a_started_match(action_timeout_s=60)
    turn = log.now.turns[0]
    assert turn.deadline_ms is not None
    record = log.append(decide.expire(log.now, 0, turn.key, turn.deadline_ms + 250))
    assert record.cause.kind is CauseKind.TIMER
    assert record.cause.command == TimeOut(0, turn.key)
    with pytest.raises(StaleTurn):
        decide.expire(log.now, 0, turn.key, turn.deadline_ms + 250)


def test_a_move_after_the_deadline_counts_while_no_timeout_is_recorded() -> None:
    log = a_started_match(action_timeout_s=60)
    submit(log, 0, "late", legal(log, 0), at=600_000)
    assert log.now.version == 4


def test_a_turn_without_deadline_is_never_overdue() -> None:
    log = a_started_match(action_timeout_s=0)
    with pytest.raises(FailedPrecondition) as refused:
        decide.expire(log.now, 0, log.now.turns[0].key, NOW + 10**9)
    assert refused.value.reason == "not_overdue"


def test_bots_have_turns_but_no_deadlines() -> None:
    log = a_match(ALICE, A_BOT, action_timeout_s=60)
    log.append(decide.join(log.now, 0, b"", NOW))
    assert log.now.turns[0].deadline_ms is not None
    assert log.now.turns[1].deadline_ms is None


def test_a_shift_of_the_clock_moves_all_deadlines_alike() -> None:
    log = a_started_match(action_timeout_s=60)
    before = dict(log.now.turns)
    outage = Outage(NOW + 20_000, NOW + 27_000)
    record = log.append(decide.shift_clock(log.now, outage, NOW + 30_000))
    assert record.events == (ClockShifted(12_000, "outage", NOW + 20_000, NOW + 27_000),)
    for seat, turn in log.now.turns.items():
        old = before[seat].deadline_ms
        assert old is not None
        assert turn.deadline_ms == old + 12_000
        assert turn.since_ms == before[seat].since_ms + 12_000


def test_the_time_of_records_never_goes_back() -> None:
    log = a_started_match()
    submit(log, 0, "c1", legal(log, 0), at=-99_000)
    assert log.now.recorded_at_ms == NOW + 20


def test_an_operator_ends_a_match_without_result_but_with_its_seed() -> None:
    log = a_started_match()
    record = log.append(decide.abort(log.now, "server moved", NOW + 50))
    assert record.events[0] == Aborted("server moved")
    ended = record.events[1]
    assert isinstance(ended, Ended)
    assert (ended.result, ended.reason, ended.seed) == (None, "aborted", b"s" * 32)


def test_nothing_follows_the_end() -> None:
    log = a_played_match()
    refusals: list[Callable[[], object]] = [
        lambda: decide.resign(log.now, 0, "x", NOW),
        lambda: decide.abort(log.now, "x", NOW),
        lambda: decide.shift_clock(log.now, Outage(NOW, NOW + 1), NOW),
    ]
    for refused in refusals:
        with pytest.raises(FailedPrecondition, match="match over"):
            refused()


def test_the_end_is_self_contained() -> None:
    log = a_played_match()
    ended = log.now.ended
    assert ended is not None
    assert ended.result is not None
    assert sorted(s.place for s in ended.result.standings) == [1, 2]
    assert ended.occupants == log.now.opened.occupants
    assert log.now.phase is Phase.ENDED


def test_a_match_folded_from_its_bytes_is_the_match_that_was_played() -> None:
    log = a_played_match(seed=7)
    assert fold_all(log.records(), registry.version) == log.now


def test_a_gap_in_the_log_freezes_the_match() -> None:
    records = a_played_match().records()
    with pytest.raises(MatchDamaged, match="version 3 is due"):
        fold_all(records[:2] + records[3:], registry.version)


def test_digests_stand_in_every_sixteenth_record_and_in_the_last() -> None:
    records = [record for record, _, _ in a_played_match().records()]
    assert all(r.state_sha256 for r in records if r.version % 16 == 0 and r.version > 3)
    assert records[-1].state_sha256
