"""The heap of deadlines: folding headers, lazy deletion, bounded memory."""

from __future__ import annotations

from random import Random

from spielwerk.log.headers import OpenTurn, RecordHeaders
from spielwerk.log.port import Kind, Stored
from spielwerk.log.subjects import new_match_id, subject
from spielwerk.match.model import GRACE_MS
from spielwerk_timer.heap import Deadline, Deadlines, Shot

A, B = (new_match_id(1_790_000_000_000, bytes([n] * 10)) for n in (1, 2))


def record(match_id: str, *turns: OpenTurn, sequence: int = 1) -> Stored:
    headers = RecordHeaders("skat", 1, 1_790_000_000_000, turns).write()
    return Stored(sequence, subject(match_id, Kind.MOVE), headers, b"")


def turn(seat: int, key: str, at_ms: int | None, *, bot: bool = False) -> OpenTurn:
    return OpenTurn(seat, key, at_ms, bot)


def fired(deadlines: Deadlines, now_ms: int) -> list[Deadline]:
    found = []
    while shot := deadlines.pop_due(now_ms):
        found.append(shot.deadline)
    return found


def test_a_deadline_is_due_with_its_grace_and_not_before() -> None:
    deadlines = Deadlines()
    assert deadlines.fold(record(A, turn(0, "1", 5_000)))
    assert deadlines.next_ms() == 5_000 + GRACE_MS
    assert fired(deadlines, 5_000 + GRACE_MS - 1) == []
    assert fired(deadlines, 5_000 + GRACE_MS) == [Deadline(A, 0, "1", 5_000)]
    assert fired(deadlines, 99_000) == []


def test_deadlines_fire_in_the_order_of_their_times() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 5_000), turn(1, "1", 3_000)))
    deadlines.fold(record(B, turn(0, "1", 4_000)))
    assert [deadline.at_ms for deadline in fired(deadlines, 9_000)] == [3_000, 4_000, 5_000]


def test_a_new_record_replaces_all_turns_of_its_match() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 1_000), turn(1, "1", 2_000)))
    deadlines.fold(record(B, turn(0, "1", 1_500)))
    deadlines.fold(record(A, turn(1, "1", 2_000)))
    assert fired(deadlines, 9_000) == [Deadline(B, 0, "1", 1_500), Deadline(A, 1, "1", 2_000)]


def test_another_seats_move_does_not_fire_a_kept_turn_twice() -> None:
    deadlines = Deadlines()
    for _ in range(3):
        deadlines.fold(record(A, turn(0, "1", 1_000)))
    assert fired(deadlines, 9_000) == [Deadline(A, 0, "1", 1_000)]


def test_a_shifted_clock_moves_the_deadline() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 1_000)))
    deadlines.fold(record(A, turn(0, "1", 61_000)))
    assert fired(deadlines, 60_000) == []
    assert fired(deadlines, 62_000) == [Deadline(A, 0, "1", 61_000)]


def test_bots_and_turns_without_a_deadline_are_ignored() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", None), turn(1, "1", 1_000, bot=True)))
    assert (len(deadlines), fired(deadlines, 9_000)) == (0, [])


def test_a_finished_match_leaves_nothing_behind() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 1_000)))
    deadlines.fold(record(A))
    assert (len(deadlines), deadlines.next_ms()) == (0, None)


def test_a_foreign_message_changes_nothing() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 1_000)))
    assert not deadlines.fold(Stored(2, subject(A, Kind.END), {}, b""))
    assert not deadlines.fold(Stored(3, subject(A, Kind.MOVE), {"Sw-Record": "1"}, b""))
    assert fired(deadlines, 9_000) == [Deadline(A, 0, "1", 1_000)]


def test_memory_is_bounded_by_the_open_turns() -> None:
    deadlines, chance = Deadlines(), Random(1)
    matches = [new_match_id(1_790_000_000_000, chance.randbytes(10)) for _ in range(50)]
    for number in range(30_000):
        deadlines.fold(record(chance.choice(matches), turn(0, f"{number}", 10**9 + number)))
    assert len(deadlines) == 50
    assert deadlines.waste() < 2_000


def test_overdue_turns_are_counted_until_the_log_shows_their_end() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 1_000), turn(1, "1", 2_000)))
    assert (deadlines.overdue(1_249), deadlines.overdue(1_250), deadlines.overdue(9_000)) == (
        0,
        1,
        2,
    )
    assert len(fired(deadlines, 9_000)) == 2
    assert deadlines.overdue(9_000) == 2
    deadlines.fold(record(A))
    assert deadlines.overdue(9_000) == 0


def test_a_shot_is_tried_again_only_while_the_turn_is_open() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 1_000)))
    shot = deadlines.pop_due(2_000)
    assert shot == Shot(Deadline(A, 0, "1", 1_000))
    deadlines.push(Shot(shot.deadline, 1), 3_000)
    assert deadlines.pop_due(3_000) == Shot(shot.deadline, 1)
    deadlines.push(Shot(shot.deadline, 2), 4_000)
    deadlines.fold(record(A))
    assert deadlines.pop_due(5_000) is None


def test_a_reset_begins_with_the_given_turns() -> None:
    deadlines = Deadlines()
    deadlines.fold(record(A, turn(0, "1", 1_000)))
    deadlines.reset([Deadline(B, 2, "7", 500), Deadline(B, 3, "7", 400)])
    assert [deadline.seat for deadline in fired(deadlines, 9_000)] == [3, 2]
    assert len(deadlines) == 2
