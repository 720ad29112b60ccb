"""Forgeries whose chain is whole: causes, times, repeats, ends and bytes that cannot be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from audit.damaging import rechained, record_of
from audit.playing import NOW, Table, opened_table, played, seated, with_bots
from spielwerk.api.v1 import match_pb2
from spielwerk.audit.checking import verify_stored
from spielwerk.games import registry
from spielwerk.match import decide
from spielwerk.match.model import GRACE_MS, CauseKind, Human
from spielwerk.match.verify import Mismatch

CRIBBAGE = registry.newest("cribbage")
Forge = Callable[[list[Any]], None]


def found(table: Table, forge: Forge) -> str:
    """What the verification says of the forged records."""
    records = [record_of(message) for message in table.stored]
    forge(records)
    with pytest.raises(Mismatch) as mismatch:
        verify_stored(table.match_id, rechained(table.stored, records), registry.version)
    return str(mismatch.value)


def with_timeout() -> Table:
    """Record 5 ends a turn of seat 0 or 1 that is overdue."""
    players = [Human("a"), Human("b")]
    table = seated(opened_table(CRIBBAGE, players, CRIBBAGE.options(), 1), 1)
    turn = table.now.turns[0]
    discard = table.now.game.legal(table.now.state, 1)[0]
    table.append(decide.submit(table.now, CauseKind.PLAYER, 1, "c", discard, "", NOW + 100))
    assert turn.deadline_ms is not None
    due = turn.deadline_ms + GRACE_MS
    table.append(decide.expire(table.now, 0, turn.key, due))
    table.append(decide.abort(table.now, "enough", due + 1))
    return table


def test_a_match_with_a_timeout_passes() -> None:
    table = with_timeout()
    assert verify_stored(table.match_id, table.stored, registry.version).records == 6


def test_a_timeout_before_deadline_and_grace_is_found() -> None:
    def forge(records: list[Any]) -> None:
        late = records[4].recorded_at_ms
        records[4].recorded_at_ms -= 1
        for turn in records[4].turns:  # those that the timeout opens follow from its time
            if turn.since_ms == late:
                turn.since_ms -= 1
                turn.deadline_ms -= 1

    assert found(with_timeout(), forge) == "record 5: the rules refuse its cause: not_overdue"


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (match_pb2.CAUSE_KIND_BOT, "the bot cannot act for seat"),
        (match_pb2.CAUSE_KIND_OPERATOR, "the operator cannot act for seat"),
        (match_pb2.CAUSE_KIND_SYSTEM, "the system cannot act for seat"),
        (match_pb2.CAUSE_KIND_TIMER, "not_overdue"),
    ],
)
def test_only_the_player_moves_for_its_seat(kind: Any, why: str) -> None:
    def forge(records: list[Any]) -> None:
        records[5].cause.kind = kind

    assert why in found(played(CRIBBAGE, 0, 20), forge)


def test_a_player_cannot_move_for_a_bot() -> None:
    def forge(records: list[Any]) -> None:
        records[2].cause.kind = match_pb2.CAUSE_KIND_PLAYER

    table = with_bots(CRIBBAGE, "beginner", 1, 10)
    assert "record 3: the player cannot act for seat" in found(table, forge)


def test_a_seat_that_there_is_not_causes_nothing() -> None:
    def forge(records: list[Any]) -> None:
        records[5].cause.seat = 7

    assert "a seat that there is not" in found(played(CRIBBAGE, 0, 20), forge)


@pytest.mark.parametrize("command_id", ["", "with space", "x" * 65])
def test_a_command_id_that_rules_would_not_take_is_found(command_id: str) -> None:
    def forge(records: list[Any]) -> None:
        records[5].cause.command_id = command_id

    assert "record 6: its command id is none" in found(played(CRIBBAGE, 0, 20), forge)


def test_a_command_id_that_was_used_before_is_found() -> None:
    def forge(records: list[Any]) -> None:
        first, *others = [r for r in records if r.cause.command_id and not r.cause.seat]
        others[0].cause.command_id = first.cause.command_id

    assert "its command id was used before" in found(played(CRIBBAGE, 0, 20), forge)


@pytest.mark.parametrize(
    "change",
    [
        {"rated": False},
        {"reason": "aborted"},
        {"game": "skat"},
        {"rules_version": "9"},
        {"origin": match_pb2.ORIGIN_ROOM},
        {"bot_seed": b"b" * 32},
        {"joined": [0]},
    ],
)
def test_the_end_repeats_what_was_opened_and_nothing_else(change: dict[str, Any]) -> None:
    def forge(records: list[Any]) -> None:
        ended = records[-1].events[-1].ended
        for name, value in change.items():
            ended.ClearField(name)
            if isinstance(value, list):
                getattr(ended, name).extend(value)
            else:
                setattr(ended, name, value)

    table = played(CRIBBAGE, 0, 20)
    assert found(table, forge) == f"record {len(table.stored)}: the rules lead to other events"


def test_a_player_that_was_exchanged_in_the_end_is_found() -> None:
    def forge(records: list[Any]) -> None:
        records[-1].events[-1].ended.occupants[0].human.player_id = "mallory"

    assert "other events" in found(played(CRIBBAGE, 0, 20), forge)


def test_nothing_comes_after_the_end() -> None:
    table = played(CRIBBAGE, 0, 20)
    after = record_of(table.stored[-1])
    after.version += 1
    after.previous_sha256 = hashlib.sha256(table.stored[-1].data).digest()
    extra = replace(
        table.stored[-1],
        sequence=table.stored[-1].sequence + 1,
        data=after.SerializeToString(deterministic=True),
    )
    with pytest.raises(Mismatch, match="the match had ended"):
        verify_stored(table.match_id, [*table.stored, extra], registry.version)


def test_a_seed_of_another_length_is_found_even_with_its_commitment() -> None:
    def forge(records: list[Any]) -> None:
        records[0].secrets.bot_seed = b"short"
        records[0].events[0].opened.bot_commitment = hashlib.sha256(b"short").digest()
        records[-1].events[-1].ended.bot_seed = b"short"

    assert found(played(CRIBBAGE, 0, 20), forge) == "record 1: a seed has not 32 bytes"


@pytest.mark.parametrize(
    "more",
    [
        b"\xf8\x01\x01",  # field 31, which there is not
        b"\x10\x80\x00",  # a version again, and too long a number
        b"\x32\x00",  # an empty turn
    ],
)
def test_bytes_that_are_not_canonical_are_found_in_the_last_record(more: bytes) -> None:
    """Their header agrees, and no later record contradicts."""
    table = played(CRIBBAGE, 0, 20)
    last = table.stored[-1]
    data = last.data + more
    headers = {**last.headers, "Sw-Sha256": hashlib.sha256(data).hexdigest()}
    forged = replace(last, data=data, headers=headers)
    with pytest.raises(Mismatch) as mismatch:
        verify_stored(table.match_id, [*table.stored[:-1], forged], registry.version)
    assert mismatch.value.version == len(table.stored)


@pytest.mark.parametrize(
    ("header", "value"),
    [("Sw-Time", "1"), ("Sw-Game", "skat"), ("Sw-Turns", "[]"), ("Sw-Version", "7")],
)
def test_headers_that_do_not_say_what_the_bytes_say_are_found(header: str, value: str) -> None:
    """Timer and bots act by them."""
    table = played(CRIBBAGE, 0, 20)
    lying = replace(table.stored[5], headers={**table.stored[5].headers, header: value})
    with pytest.raises(Mismatch, match="record 6: its headers do not say what its bytes say"):
        verify_stored(
            table.match_id, [*table.stored[:5], lying, *table.stored[6:]], registry.version
        )
