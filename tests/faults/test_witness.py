"""What was acknowledged or refused, against the log: planted faults in a recorded match."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from faults.witness import Witness, check_acknowledged, check_refused
from match.playing import MATCH_ID, a_played_match
from spielwerk.log.headers import MARK
from spielwerk.log.port import Kind, Stored
from spielwerk.log.subjects import subject


@pytest.fixture
def witness() -> Witness:
    found = Witness()
    for sequence, data in enumerate(a_played_match().stored, start=1):
        message = Stored(sequence, subject(MATCH_ID, Kind.MOVE), {MARK: "1"}, data)
        found.stored[MATCH_ID].append(message)
    return found


def acknowledged(witness: Witness) -> dict[tuple[str, str], int]:
    records = witness.records(MATCH_ID)
    return {(MATCH_ID, r.cause.command_id): r.version for r in records if r.cause.command_id}


def test_a_right_history_has_no_faults(witness: Witness) -> None:
    assert check_acknowledged(witness, acknowledged(witness)) == []
    assert check_refused(witness, [(MATCH_ID, "never")]) == []


def lose(messages: list[Stored]) -> None:
    del messages[9]


def double(messages: list[Stored]) -> None:
    messages.insert(10, messages[9])


@pytest.mark.parametrize("fault", [lose, double])
def test_lost_and_doubled_commands_are_found(
    witness: Witness, fault: Callable[[list[Stored]], None]
) -> None:
    told = acknowledged(witness)
    fault(witness.stored[MATCH_ID])
    assert check_acknowledged(witness, told)


def test_an_answer_with_another_version_is_found(witness: Witness) -> None:
    told = acknowledged(witness)
    told[next(iter(told))] += 1
    assert len(check_acknowledged(witness, told)) == 1


def test_a_dishonest_refusal_is_found(witness: Witness) -> None:
    assert len(check_refused(witness, list(acknowledged(witness))[:1])) == 1
