"""While releases run side by side nobody appends over a record that he does not understand."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from rules.conftest import ALICE, BOB, Rules, play_on, refused
from rules.stored import Change, join, joining, opened_match, opening, put, replica, versions
from rules.stored import written as written_by
from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.audit.checking import StoredVerifier, verify_stored
from spielwerk.audit.replaying import match_at, steps
from spielwerk.codec import match as match_codec
from spielwerk.errors import MatchDamaged, NotFound, Unavailable
from spielwerk.games import registry
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Kind, Stored
from spielwerk.log.subjects import every_kind, subject
from spielwerk.match.model import CauseKind
from spielwerk.match.verify import Mismatch
from spielwerk.settings import LogSettings, NatsSettings
from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.matches import Matches
from spielwerk_scoring.results import Damaged, read_outcome

LATER_KIND = 77


def later_cause(record: record_pb2.Record) -> None:
    record.cause.kind = LATER_KIND  # type: ignore[assignment]


def later_event(record: record_pb2.Record) -> None:
    """A field of MatchEvent's oneof that is not known here."""
    record.events.add().MergeFromString(b"\xf2\x07\x00")


def later_game_event(record: record_pb2.Record) -> None:
    record.events.add().game.cribbage.MergeFromString(b"\xf2\x07\x00")


def later_command(record: record_pb2.Record) -> None:
    record.cause.command.MergeFromString(b"\xf2\x07\x00")


LATER = pytest.mark.parametrize(
    "change", [later_cause, later_event, later_game_event, later_command]
)


async def stored_later(log: MemoryLog, matches: Matches, change: Change) -> str:
    """An opened match whose second record is a later release's."""
    match_id = await opened_match(matches)
    decided = joining(await matches.fresh(match_id), 0)
    assert decided is not None
    put(log, match_id, *written_by(decided, change))
    return match_id


async def reason_of(call: Any) -> str:
    with pytest.raises(Unavailable) as unavailable:
        await call
    return unavailable.value.reason


@LATER
async def test_nothing_is_appended_over_a_record_of_a_later_release(change: Change) -> None:
    log = MemoryLog()
    matches = replica(log)
    match_id = await stored_later(log, matches, change)
    for process in (matches, replica(log)):  # one that knows the match before, and a new one
        assert await reason_of(join(process, match_id, 1)) == "record_unknown"
        assert await reason_of(process.fresh(match_id)) == "record_unknown"
        assert await reason_of(process.records(match_id, 0)) == "record_unknown"
    assert await versions(log, match_id) == [1, 2]


async def test_a_first_record_of_a_later_release_is_not_opened_over() -> None:
    log = MemoryLog()
    decided = opening()
    match_id = decided.record.match_id
    data, headers = written_by(decided, lambda record: setattr(record.events[0].opened, "watch", 9))
    log.put(subject(match_id, Kind.OPEN), data, headers)
    assert await reason_of(replica(log).open(match_id, decided)) == "record_unknown"
    assert await versions(log, match_id) == [1]


async def test_the_match_goes_on_where_the_record_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryLog()
    matches = replica(log)
    match_id = await stored_later(log, matches, later_cause)
    assert await reason_of(join(matches, match_id, 1)) == "record_unknown"
    known = match_codec._CAUSE_OF | {LATER_KIND: CauseKind.PLAYER}
    monkeypatch.setattr(match_codec, "_CAUSE_OF", known)
    for process in (matches, replica(log)):
        await join(process, match_id, 1)
    assert await versions(log, match_id) == [1, 2, 3]


async def test_an_unknown_record_is_logged_once_however_often_it_is_met() -> None:
    log = MemoryLog()
    matches = replica(log)
    with capture_logs() as lines:
        match_id = await stored_later(log, matches, later_cause)
        for _ in range(3):
            await reason_of(join(matches, match_id, 1))
    unknown = [line for line in lines if line["event"] == "unknown_record"]
    assert [(line["match_id"], line["reason"]) for line in unknown] == [
        (match_id, "record_unknown")
    ]


async def test_a_game_of_a_later_release_is_left_to_others_and_not_called_missing() -> None:
    def opened_as_poker(record: record_pb2.Record) -> None:
        record.events[0].opened.game = "poker"

    log = MemoryLog()
    decided = opening()
    match_id = decided.record.match_id
    log.put(subject(match_id, Kind.OPEN), *written_by(decided, opened_as_poker))
    assert await reason_of(replica(log).fresh(match_id)) == "rules_version_unknown"
    with pytest.raises(NotFound):  # but nobody opens a new match of it here
        registry.newest("poker")


def no_record(_: bytes) -> bytes:
    return b"\xff\xff\xff"


def cut(data: bytes) -> bytes:
    return data[:-5]


def without_id(data: bytes) -> bytes:
    record = record_pb2.Record.FromString(data)
    record.match_id = ""
    return record.SerializeToString(deterministic=True)


BROKEN = pytest.mark.parametrize("broken", [no_record, cut, without_id])


async def stored_broken(log: MemoryLog, matches: Matches, broken: Any) -> str:
    """An opened match whose second record has its headers, but not its bytes."""
    match_id = await opened_match(matches)
    decided = joining(await matches.fresh(match_id), 0)
    assert decided is not None
    data, headers = written_by(decided, lambda _: None)
    put(log, match_id, broken(data), headers)
    return match_id


@BROKEN
async def test_a_record_that_cannot_be_a_releases_freezes_its_match(broken: Any) -> None:
    log, metrics = MemoryLog(), Metrics()
    matches = Matches(log, registry.version, metrics, capacity=10, command_s=2)
    match_id, other = await stored_broken(log, matches, broken), await opened_match(matches)
    for _ in range(2):
        with pytest.raises(MatchDamaged, match="record 2"):
            await join(matches, match_id, 1)
    assert len(await log.read(match_id)) == 2
    assert metrics.value("spielwerk_matches_frozen_total") == 1
    await join(matches, other, 1)
    assert await versions(log, other) == [1, 2]


@BROKEN
async def test_verify_and_replay_report_a_broken_record(broken: Any) -> None:
    log = MemoryLog()
    match_id = await stored_broken(log, replica(log), broken)
    stored = await log.read(match_id)
    with pytest.raises(Mismatch, match="record 2: unreadable"):
        verify_stored(match_id, stored, registry.version)
    with pytest.raises(MatchDamaged):
        list(steps(match_id, stored, registry.version))


@LATER
async def test_verify_and_replay_name_a_record_of_a_later_release(change: Change) -> None:
    log = MemoryLog()
    match_id = await stored_later(log, replica(log), change)
    stored = await log.read(match_id)
    with pytest.raises(Mismatch, match=r"record 2: .* by this release.*\(record_unknown\)"):
        verify_stored(match_id, stored, registry.version)
    with pytest.raises(Unavailable):
        list(steps(match_id, stored, registry.version))
    before = match_at(match_id, stored[:1], registry.version, 1)
    assert before is not None
    assert before.version == 1


async def test_a_record_whose_first_one_is_missing_is_damage() -> None:
    log = MemoryLog()
    matches = replica(log)
    match_id = await opened_match(matches)
    await join(matches, match_id, 0)
    lost = MemoryLog()
    second = (await log.read(match_id))[1]
    lost.put(second.subject, second.data, second.headers)
    with pytest.raises(MatchDamaged, match="record 2 stands in its place"):
        await replica(lost).fresh(match_id)


def more_of_a_turn(headers: dict[str, str]) -> dict[str, str]:
    turns = [[*turn, "more"] for turn in json.loads(headers["Sw-Turns"])]
    return {**headers, "Sw-Turns": json.dumps(turns)}


def another_edition(headers: dict[str, str]) -> dict[str, str]:
    return {**headers, "Sw-Record": "2"}


@pytest.mark.parametrize("later", [more_of_a_turn, another_edition])
async def test_a_record_counts_by_its_bytes_whatever_a_later_release_writes_into_headers(
    later: Any,
) -> None:
    log = MemoryLog()
    matches = replica(log)
    match_id = await opened_match(matches)
    decided = joining(await matches.fresh(match_id), 0)
    assert decided is not None
    data, headers = written_by(decided, lambda _: None)
    put(log, match_id, data, later(headers))
    await join(matches, match_id, 1)
    assert await versions(log, match_id) == [1, 2, 3]
    verifier = StoredVerifier(match_id, registry.version)
    first, second, _ = await log.read(match_id)
    verifier.feed(first)
    with pytest.raises(Mismatch, match="record 2: its headers"):
        verifier.feed(second)


async def test_scoring_reads_an_end_by_its_bytes_too() -> None:
    log = MemoryLog()
    matches = replica(log)
    match_id = await opened_match(matches)
    stored = (await log.read(match_id))[0]
    end = Stored(1, subject(match_id, Kind.END), another_edition(dict(stored.headers)), stored.data)
    with pytest.raises(Damaged, match="does not end"):  # it was read
        read_outcome(end)


async def test_what_has_not_our_mark_or_is_of_another_match_stays_foreign() -> None:
    log, metrics = MemoryLog(), Metrics()
    matches = Matches(log, registry.version, metrics, capacity=10, command_s=2)
    match_id, other = await opened_match(matches), await opened_match(matches)
    theirs = (await log.read(other))[0]
    own = (await log.read(match_id))[0]
    put(log, match_id, theirs.data, theirs.headers)
    put(log, match_id, own.data, {})
    put(log, match_id, b"", theirs.headers)  # as by a consumer that is sent headers only
    put(log, match_id, b"\xff\xff\xff", {"Sw-Record": "1"})
    await join(matches, match_id, 1)
    assert metrics.value("spielwerk_foreign_messages_total") == 4
    found = StoredVerifier(match_id, registry.version)
    for message in await log.read(match_id):
        found.feed(message)
    verified = found.so_far()
    assert verified is not None
    assert (verified.records, len(verified.foreign)) == (2, 4)


async def test_foreign_first_messages_of_an_unknown_game_are_skipped_as_well() -> None:
    log = MemoryLog()
    matches = replica(log)
    decided = opening()
    match_id = decided.record.match_id
    stranger = opening()

    def of_poker(record: record_pb2.Record) -> None:
        record.events[0].opened.game = "poker"

    put(log, match_id, *written_by(stranger, of_poker))
    log.put(subject(match_id, Kind.OPEN), *written_by(decided, lambda _: None))
    assert (await matches.fresh(match_id)).version == 1


async def test_players_are_told_to_try_elsewhere_and_other_matches_play_on(rules: Rules) -> None:
    match_id, other = await rules.create(), await rules.started_match()
    alice, bob = await rules.stub(ALICE), await rules.stub(BOB)
    async with connect(NatsSettings(url=rules.nats_url)) as broker:
        log = JetStreamLog(broker, LogSettings())
        stored = await log.read(match_id)
        match = match_at(match_id, stored, registry.version, 1)
        assert match is not None
        decided = joining(match, 0)
        assert decided is not None
        data, headers = written_by(decided, later_cause)
        sequence = await log.append(
            match_id, Kind.MOVE, data, headers, expected=stored[-1].sequence
        )
        code, error = await refused(bob.Join(pb.JoinRequest(match_id=match_id)))
        assert (code, error.reason) == (grpc.StatusCode.UNAVAILABLE, "record_unknown")
        assert error.metadata == {"match_id": match_id, "version": "2"}
        assert (await log.read(match_id))[-1].sequence == sequence
    assert await play_on({ALICE: alice, BOB: bob}, other, 3) == 3


async def test_who_may_only_read_the_broker_cannot_freeze_a_match(rules: Rules) -> None:
    """The broker refuses headers of ours by their own condition."""
    match_id = await rules.started_match()
    async with connect(NatsSettings(url=rules.nats_url)) as broker:
        config = {
            "name": "thief",
            "filter_subject": every_kind(match_id),
            "ack_policy": "none",
            "headers_only": True,
        }
        body = json.dumps({"stream_name": "MATCHES", "config": config}).encode()
        await broker.nc.request("$JS.API.CONSUMER.CREATE.MATCHES.thief", body)
        target = subject(match_id, Kind.MOVE)
        fetch = "$JS.API.CONSUMER.MSG.NEXT.MATCHES.thief"
        await broker.nc.publish(fetch, b'{"batch": 3}', reply=target)
        async with asyncio.timeout(10):
            while True:
                info = await broker.nc.request("$JS.API.CONSUMER.INFO.MATCHES.thief", b"")
                if json.loads(info.data)["delivered"]["consumer_seq"] == 3:
                    break
        get = json.dumps({"last_by_subj": every_kind(match_id)}).encode()
        await broker.nc.publish("$JS.API.DIRECT.GET.MATCHES", get, reply=target)
        await broker.nc.flush()
        players = {name: await rules.stub(name) for name in (ALICE, BOB)}
        assert await play_on(players, match_id, 10) == 10
        assert all(
            message.data for message in await JetStreamLog(broker, LogSettings()).read(match_id)
        )
