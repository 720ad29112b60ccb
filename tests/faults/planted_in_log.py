"""Faults in the log.

They are well forged: the chain of hashes is made anew, so that the fault itself has to be noticed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from faults.history import Outcome
from faults.planting import planted
from faults.recorded import Run
from spielwerk.codec.match import write_record
from spielwerk.log.headers import read_headers
from spielwerk.match.model import CauseKind, Ended, Outage, Record


@planted("lost", alone=False)
def the_last_acknowledged_records_are_gone(run: Run) -> None:
    del run.messages()[-3:]


@planted("doubled", alone=False)
def a_command_stands_twice(run: Run) -> None:
    again(run, run.asked("submit")[3].version or 0)


@planted("doubled", alone=False)
def a_command_whose_answer_was_lost_stands_twice(run: Run) -> None:
    lost = run.asked("submit", Outcome.UNKNOWN)[0]
    again(run, run.witness.places()[lost.match_id, lost.command_id][0].version)


@planted("versions", alone=False)
def two_records_win_one_version(run: Run) -> None:
    messages = run.messages()
    messages.insert(12, replace(messages[12], sequence=messages[12].sequence - 1))


@planted("versions", alone=False)
def a_record_is_missing(run: Run) -> None:
    del run.messages()[8]


@planted("versions", alone=False)
def two_records_change_places(run: Run) -> None:
    messages = run.messages()
    messages[8], messages[9] = messages[9], messages[8]


@planted("versions", alone=False)
def a_record_was_changed_later(run: Run) -> None:
    record = run.witness.records(run.match_ids[0])[8]
    store(run, 0, 8, replace(record, recorded_at_ms=record.recorded_at_ms + 1))


@planted("versions")
def headers_are_those_of_another_record(run: Run) -> None:
    messages = run.messages()
    messages[8] = replace(messages[8], headers=messages[7].headers)


@planted("recomputed", alone=False)
def a_result_is_not_what_the_rules_make(run: Run) -> None:
    def change(record: Record) -> Record:
        ended = record.events[-1]
        assert isinstance(ended, Ended)
        assert ended.result is not None
        worst = replace(ended.result.standings[0], rank_n_milli=999_000)
        standings = (worst, *ended.result.standings[1:])
        better = replace(ended, result=replace(ended.result, standings=standings))
        return replace(record, events=(*record.events[:-1], better))

    forge(run, 0, len(run.messages()) - 1, change)


@planted("timeouts", alone=False)
def a_turn_times_out_before_its_deadline(run: Run) -> None:
    forge(run, 1, timeout_of(run), lambda r: replace(r, recorded_at_ms=r.recorded_at_ms - 1_000))


@planted("timeouts", alone=False)
def a_turn_times_out_twice(run: Run) -> None:
    messages = run.messages(1)
    messages.insert(timeout_of(run) + 1, messages[timeout_of(run)])


@planted("timeouts", alone=False)
def the_wrong_seat_is_punished(run: Run) -> None:
    def change(record: Record) -> Record:
        other = 1 - (record.cause.seat or 0)
        return replace(record, cause=replace(record.cause, seat=other))

    forge(run, 1, timeout_of(run), change)


@planted("timeouts")
def an_outage_was_not_made_good(run: Run) -> None:
    timer = run.witness.records(run.match_ids[1])[timeout_of(run)]
    until = timer.recorded_at_ms - 5_000
    run.outages.append(Outage(until - 10_000, until))


@planted("double_booking")
def a_player_is_in_two_matches_at_a_time(run: Run) -> None:
    opened = run.messages(1)
    opened[0] = replace(opened[0], sequence=run.messages()[-1].sequence - 1)


def again(run: Run, version: int) -> None:
    """The record stands a second time at the end of the part before the match's last record."""
    messages = run.messages()
    twice = messages[version - 1]
    messages.insert(-1, replace(twice, sequence=messages[-1].sequence - 1))


def timeout_of(run: Run) -> int:
    """Where in the second match its timeout stands."""
    records = run.witness.records(run.match_ids[1])
    return next(at for at, r in enumerate(records) if r.cause.kind is CauseKind.TIMER)


def forge(run: Run, number: int, at: int, change: Callable[[Record], Record]) -> None:
    """Change a record and chain all later ones to it anew."""
    records = list(run.witness.records(run.match_ids[number]))
    records[at] = change(records[at])
    store(run, number, at, records[at])
    for later in range(at + 1, len(records)):
        previous = hashlib.sha256(run.messages(number)[later - 1].data).digest()
        store(run, number, later, replace(records[later], previous_sha256=previous))


def store(run: Run, number: int, at: int, record: Record) -> None:
    """Write a record in the place of another one; a header with its hash is made to fit."""
    messages = run.messages(number)
    data = write_record(game_of(run), record)
    headers = read_headers(messages[at].headers)
    assert headers is not None
    if headers.sha256:
        headers = replace(headers, sha256=hashlib.sha256(data).hexdigest())
    messages[at] = replace(messages[at], data=data, headers=headers.write())


def game_of(run: Run) -> Any:
    match = run.witness.recomputed(run.match_ids[0])
    assert match is not None
    return match.game
