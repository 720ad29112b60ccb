"""The checks of a run find what they are for: faults planted into a right run of real matches."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from faults import planted_in_answers, planted_in_log
from faults.checks_secrets import secrets_of
from faults.history import Outcome, Recorder, read_history
from faults.planting import Planted
from faults.recorded import ROOM_CODE, TOKEN, Run, record_run

PLANTED = [
    fault
    for module in (planted_in_answers, planted_in_log)
    for fault in vars(module).values()
    if isinstance(fault, Planted)
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return record_run(tmp_path / "history.jsonl")


def test_a_right_run_has_no_faults(run: Run) -> None:
    assert run.faults() == {}


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found(run: Run, fault: Planted) -> None:
    fault.plant(run)

    found = run.faults()
    assert fault.kind in found
    assert not fault.alone or set(found) == {fault.kind}, found


def test_every_kind_of_fault_is_planted(run: Run) -> None:
    kinds = {fault.kind for fault in PLANTED} | {"secrets"}
    assert kinds == set(run.every_kind())


def hexadecimal(secret: bytes) -> str:
    return secret.hex()


def base_64(secret: bytes) -> str:
    return base64.b64encode(secret).decode()


def url_base_64(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


@pytest.mark.parametrize("form", [hexadecimal, base_64, url_base_64, repr])
@pytest.mark.parametrize("name", ["seed", "bot seed", "draw key", "entropy of seat 1"])
def test_a_secret_of_a_match_in_a_log_line_is_found(
    run: Run, form: Callable[[bytes], str], name: str
) -> None:
    secret = secrets_of(run.witness)[f"{run.match_ids[0]} {name}"]
    run.logs["rules"].append(f'{{"event":"odd","detail":"({form(secret)})"}}')

    assert run.faults() == {"secrets": [f"rules line 2: {run.match_ids[0]} {name}"]}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"authorization: Bearer {TOKEN}", "alice's token"),
        (f"room {ROOM_CODE} is full", "the room's code"),
        (f"room {ROOM_CODE.replace('-', '')} is full", "the room's code"),
    ],
    ids=["token", "room-code", "room-code-without-hyphens"],
)
def test_a_secret_of_a_client_in_a_log_line_is_found(run: Run, text: str, name: str) -> None:
    run.logs["matchmaking"] = ["", text]

    assert run.faults() == {"secrets": [f"matchmaking line 2: {name}"]}


def test_what_was_asked_is_in_the_file_before_anything_is_answered(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "history.jsonl")
    recorder.begin("alice", "submit", match_id="m", seat=0, command_id="c1", turn_key="k")
    found = read_history(recorder.path)
    recorder.close()

    assert found.invocations == recorder.history.invocations
    assert found.invocations[0].outcome is Outcome.OPEN


@pytest.mark.parametrize("cut", [1, 10, 40])
def test_a_history_that_is_cut_off_in_its_last_line_is_read_up_to_it(
    tmp_path: Path, cut: int
) -> None:
    run = record_run(tmp_path / "history.jsonl")
    text = (tmp_path / "history.jsonl").read_text()
    (tmp_path / "cut.jsonl").write_text(text[:-cut])
    found = read_history(tmp_path / "cut.jsonl")

    assert found.invocations == run.history.invocations
    assert found.watches[:-1] == run.history.watches[:-1]
    assert found.watches[-1].ended == ""


def test_the_file_says_what_the_recorder_knows(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "history.jsonl")
    asked = recorder.begin("alice", "join", player_id="p", match_id="m")
    recorder.end(asked, Outcome.OK, version=2, seat=1)
    log = recorder.watch("alice", "m", 2)
    recorder.saw(log, 3)
    recorder.unwatched(log, "UNAVAILABLE")
    recorder.paired("p", "m", "t")
    recorder.close()

    assert read_history(recorder.path) == recorder.history


def test_an_operation_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "history.jsonl")
    with pytest.raises(ValueError, match="sumbit"):
        recorder.begin("alice", "sumbit")
    recorder.close()
