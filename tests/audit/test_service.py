"""AuditService over real gRPC: who sees what, when, and what is written down of it."""

from __future__ import annotations

import json
import random
from typing import Any

import grpc
import pytest

from audit.damaging import drop
from audit.playing import played
from rules.conftest import ALICE, BOB, CAROL, Rules, play_on, refused
from spielwerk.api.v1 import audit_pb2 as pb
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.audit_pb2_grpc import AuditServiceStub
from spielwerk.audit.checking import verify_stored
from spielwerk.games import registry
from spielwerk.log.api import ask
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Stored
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import kind_of
from spielwerk.rpc.channel import open_channel

DENIED = grpc.StatusCode.PERMISSION_DENIED
EVERYTHING, SPECTATOR = pb.Everything(), pb.Spectator()


async def stub(rules: Rules, subject: str, role: str = "player") -> Any:
    token = rules.keys.issue(subject, role, 3600)
    channel = open_channel(rules.addresses[0], lambda: token)
    rules.stack.push_async_callback(channel.close)
    return AuditServiceStub(channel)


async def records(service: Any, match_id: str, after: int = 0) -> list[Stored]:
    request = pb.GetRecordsRequest(match_id=match_id, after_sequence=after)
    return [
        Stored(m.sequence, m.subject, dict(m.headers), m.data)
        async for response in service.GetRecords(request)
        for m in response.messages
    ]


async def looks(rules: Rules) -> list[dict[str, Any]]:
    """Everything in the audit log."""
    async with connect(NatsSettings(url=rules.nats_url)) as connection:
        info = await ask(connection, "STREAM.INFO.AUDIT", None, timeout=5)
        entries = []
        for sequence in range(1, info["state"]["last_seq"] + 1):
            message = await connection.nc.jetstream().get_msg("AUDIT", sequence)
            entries.append(json.loads(message.data or b""))
        return entries


async def ended_match(rules: Rules, **more: Any) -> str:
    match_id = await rules.started_match(**more)
    players = {player: await rules.stub(player) for player in (ALICE, BOB)}
    await play_on(players, match_id, 6)
    await players[ALICE].Resign(match_pb2.ResignRequest(match_id=match_id, command_id="r"))
    return match_id


async def test_after_the_end_a_player_gets_records_that_verify(rules: Rules) -> None:
    match_id = await ended_match(rules)
    stored = await records(await stub(rules, ALICE), match_id)
    assert verify_stored(match_id, stored, registry.version).records == len(stored)
    rest = await records(await stub(rules, ALICE), match_id, after=stored[3].sequence)
    assert rest == stored[4:]
    assert await looks(rules) == []


async def test_a_running_match_is_for_auditors_alone_and_each_look_is_written_down(
    rules: Rules,
) -> None:
    match_id = await rules.started_match()
    for caller in (await stub(rules, ALICE), await stub(rules, "ops", "operator")):
        assert (await refused(records(caller, match_id)))[1].reason == "match_running"
        request = pb.ReplayRequest(match_id=match_id, everything=EVERYTHING)
        assert (await refused(caller.Replay(request)))[1].reason == "match_running"
        verdict = caller.Verify(pb.VerifyRequest(match_id=match_id))
        assert (await refused(verdict))[1].reason == "match_running"
    auditor = await stub(rules, "eve", "auditor")
    assert len(await records(auditor, match_id)) == 3
    await auditor.Replay(pb.ReplayRequest(match_id=match_id, version=2, everything=EVERYTHING))
    await auditor.Replay(pb.ReplayRequest(match_id=match_id, seat=1))
    written = [(look["caller"], look["viewer"], look["version"]) for look in await looks(rules)]
    assert written == [("eve", "records", 3), ("eve", "everything", 2), ("eve", "seat 1", 3)]
    assert {look["match_id"] for look in await looks(rules)} == {match_id}


async def test_what_cannot_be_written_down_is_not_shown(rules: Rules) -> None:
    match_id = await rules.started_match()
    async with connect(NatsSettings(url=rules.nats_url)) as connection:
        await ask(connection, "STREAM.DELETE.AUDIT", None, timeout=5)
    code, error = await refused(records(await stub(rules, "eve", "auditor"), match_id))
    assert (code, error.reason) == (grpc.StatusCode.UNAVAILABLE, "audit_unavailable")


async def test_strangers_learn_nothing_and_the_public_sees_what_it_may_watch(
    rules: Rules,
) -> None:
    private = await ended_match(rules)
    public = await ended_match(rules, watch=match_pb2.WATCH_POLICY_ANYONE)
    carol = await stub(rules, CAROL)
    replay = pb.ReplayRequest(match_id=private, spectator=SPECTATOR)
    for call in (
        records(carol, private),
        records(carol, "nonsense"),
        carol.Replay(replay),
        carol.Verify(pb.VerifyRequest(match_id=private)),
    ):
        code, error = await refused(call)
        assert (code, error.reason) == (DENIED, "no_such_match")
    assert await records(carol, public)


async def test_a_replay_shows_each_version_as_its_viewer_saw_it(rules: Rules) -> None:
    match_id = await rules.started_match()
    players = {player: await rules.stub(player) for player in (ALICE, BOB)}
    seen = []
    for _ in range(4):
        view = await players[ALICE].GetView(match_pb2.GetViewRequest(match_id=match_id))
        seen.append(view.view)
        await play_on(players, match_id, 1)
    alice = await stub(rules, ALICE)
    for view in seen:
        request = pb.ReplayRequest(match_id=match_id, version=view.version, seat=0)
        assert (await alice.Replay(request)).view == view
    other = alice.Replay(pb.ReplayRequest(match_id=match_id, seat=1))
    assert (await refused(other))[1].reason == "match_running"
    watched = await alice.Replay(pb.ReplayRequest(match_id=match_id, spectator=SPECTATOR))
    assert not watched.view.HasField("seat")
    assert watched.last_version == seen[-1].version + 1


async def test_after_the_end_everything_is_shown_to_all_who_may_watch(rules: Rules) -> None:
    match_id = await ended_match(rules)
    bob = await stub(rules, BOB)
    full = await bob.Replay(pb.ReplayRequest(match_id=match_id, version=3, everything=EVERYTHING))
    assert json.loads(full.full.state)[0] == "State"
    assert len(full.full.state_sha256) == 32
    other = await bob.Replay(pb.ReplayRequest(match_id=match_id, version=3, seat=0))
    assert other.view.table.cribbage.hand


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"version": 0, "spectator": SPECTATOR}, "no_such_version"),
        ({"version": 99, "spectator": SPECTATOR}, "no_such_version"),
        ({"seat": 2}, "bad_viewer"),
        ({}, "bad_viewer"),
    ],
)
async def test_a_replay_that_cannot_be_is_refused(
    rules: Rules, asked: dict[str, Any], reason: str
) -> None:
    match_id = await rules.started_match()
    call = (await stub(rules, ALICE)).Replay(pb.ReplayRequest(match_id=match_id, **asked))
    assert (await refused(call))[1].reason == reason


async def test_the_verdict_says_so_far_or_all(rules: Rules) -> None:
    auditor = await stub(rules, "eve", "auditor")
    running, ended = await rules.started_match(), await ended_match(rules)
    so_far = await auditor.Verify(pb.VerifyRequest(match_id=running))
    assert (so_far.records, so_far.running, so_far.HasField("fault")) == (3, True, False)
    verdict = await (await stub(rules, BOB)).Verify(pb.VerifyRequest(match_id=ended))
    assert (verdict.running, verdict.HasField("fault")) == (False, False)
    assert await looks(rules) == []


async def test_a_damaged_match_can_be_looked_at_and_its_first_wrong_record_is_named(
    rules: Rules,
) -> None:
    table = played(registry.newest("cribbage"), 1, 20)
    damaged, places = drop(list(table.stored), random.Random(3))
    async with connect(NatsSettings(url=rules.nats_url)) as connection:
        log, sequence = JetStreamLog(connection, LogSettings()), 0
        for message in damaged:
            kind = kind_of(message.subject)
            sequence = await log.append(
                table.match_id, kind, message.data, message.headers, expected=sequence
            )
    auditor = await stub(rules, "eve", "auditor")
    verdict = await auditor.Verify(pb.VerifyRequest(match_id=table.match_id))
    assert verdict.fault.version in places
    assert verdict.records == verdict.fault.version - 1
    assert len(await records(auditor, table.match_id)) == len(damaged)
    late = auditor.Replay(pb.ReplayRequest(match_id=table.match_id, spectator=SPECTATOR))
    assert (await refused(late))[1].reason == "match_frozen"


async def test_matches_are_listed_in_stable_pages(rules: Rules) -> None:
    ids = [await rules.create(ALICE, BOB) for _ in range(5)]
    await rules.create(BOB, CAROL)
    alice = await stub(rules, ALICE)
    first = await alice.ListMatches(pb.ListMatchesRequest(page_size=2))
    late = await rules.create(ALICE, CAROL)
    found, token = [m.match_id for m in first.matches], first.next_page_token
    while token:
        page = await alice.ListMatches(pb.ListMatchesRequest(page_size=2, page_token=token))
        found, token = found + [m.match_id for m in page.matches], page.next_page_token
    assert found == [*ids, late]
    again = await alice.ListMatches(
        pb.ListMatchesRequest(page_size=2, page_token=first.next_page_token)
    )
    assert [m.match_id for m in again.matches] == ids[2:4]


async def test_matches_are_found_by_game_player_and_time(rules: Rules) -> None:
    one, ended = await rules.create(ALICE, BOB), await ended_match(rules)
    third = await rules.create(BOB, CAROL)
    auditor = await stub(rules, "eve", "auditor")

    async def listed(**asked: Any) -> list[str]:
        answer = await auditor.ListMatches(pb.ListMatchesRequest(**asked))
        return [m.match_id for m in answer.matches]

    everything = await auditor.ListMatches(pb.ListMatchesRequest())
    assert [m.HasField("ended_at_ms") for m in everything.matches] == [False, True, False]
    assert await listed(game="cribbage") == [one, ended, third]
    assert await listed(game="chess") == []
    assert await listed(player_id=CAROL) == [third]
    at = {m.match_id: m.opened_at_ms for m in everything.matches}
    assert await listed(from_ms=at[third], until_ms=at[third] + 1)
    assert await listed(until_ms=at[one]) == []
    assert await listed(from_ms=at[third] + 1) == []
    carol = await (await stub(rules, CAROL)).ListMatches(pb.ListMatchesRequest())
    assert [m.match_id for m in carol.matches] == [third]


@pytest.mark.parametrize("token", ["x", "-1", "999999999", "1" * 30])
async def test_a_foreign_page_token_is_refused(rules: Rules, token: str) -> None:
    call = (await stub(rules, ALICE)).ListMatches(pb.ListMatchesRequest(page_token=token))
    code, error = await refused(call)
    assert (code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "bad_page_token")
