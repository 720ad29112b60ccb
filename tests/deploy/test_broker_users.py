"""The broker as compose runs it: rules writes the log, everybody else can only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.guarded import READERS, Broker, account_service
from log.tails import following, sequences
from spielwerk.api.v1 import account_pb2 as pb
from spielwerk.errors import Unavailable
from spielwerk.log.api import ask
from spielwerk.log.broker_clock import BrokerClock
from spielwerk.log.census import unfinished
from spielwerk.log.connect import connect
from spielwerk.log.forgotten import ForgottenPlayers, Position
from spielwerk.log.headers import RecordHeaders
from spielwerk.log.health_stream import HealthStream
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind, OutcomeUnknown
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import ensure_stream
from spielwerk.log.streams import until_streams

STREAMS = ("MATCHES", "MATCHES_3")
MATCH_ID = "0kqb6j9x8v3m2n1p4r5s6t7w8y"
RECORD = RecordHeaders("skat", 1, 1_790_000_000_000, ()).write()
HURRIED = LogSettings(append_timeout_s=0.5)


async def test_rules_makes_the_log_and_writes_it(broker: Broker) -> None:
    async with connect(broker.as_user("rules")) as rules:
        await ensure_stream(rules, HURRIED, known=None, allow_new=True)
        log = JetStreamLog(rules, HURRIED)
        assert await log.append(MATCH_ID, Kind.OPEN, b"record", {}, expected=0) == 1


@pytest.mark.parametrize("reader", READERS)
async def test_every_other_service_reads_the_log_with_its_own_user(
    broker: Broker, reader: str
) -> None:
    async with connect(broker.as_user("rules")) as rules, connect(broker.as_user(reader)) as other:
        await ensure_stream(rules, HURRIED, known=None, allow_new=True)
        writer, log = JetStreamLog(rules, HURRIED), JetStreamLog(other, HURRIED)
        await writer.append(MATCH_ID, Kind.OPEN, b"record", RECORD, expected=0)
        await until_streams(other, HURRIED)
        await BrokerClock(other, HURRIED).measure()
        census = await unfinished(other, HURRIED)
        assert [stored.sequence for stored in census.messages] == [1]
        async with following(log, tuple(Kind), after=0, headers_only=True) as tail:
            assert await sequences(tail, 1) == [1]
            await writer.append(MATCH_ID, Kind.MOVE, b"next", RECORD, expected=1)
            assert await sequences(tail, 1) == [2]


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("reader", READERS)
async def test_no_other_service_can_write_or_remove_what_it_reads(
    broker: Broker, reader: str, stream: str
) -> None:
    settings = HURRIED.model_copy(update={"stream": stream})
    async with connect(broker.as_user("rules")) as rules, connect(broker.as_user(reader)) as other:
        await ensure_stream(rules, settings, known=None, allow_new=True)
        await JetStreamLog(rules, settings).append(MATCH_ID, Kind.OPEN, b"record", {}, expected=0)
        log = JetStreamLog(other, settings)
        assert (await log.identity()).last_sequence == 1
        with pytest.raises(OutcomeUnknown):
            await log.append(MATCH_ID, Kind.MOVE, b"forged", {}, expected=1)
        for verb in (f"STREAM.PURGE.{stream}", f"STREAM.DELETE.{stream}"):
            with pytest.raises(Unavailable):
                await ask(other, verb, None, timeout=0.5)
        assert (await JetStreamLog(rules, settings).identity()).last_sequence == 1
        info = await ask(rules, f"STREAM.INFO.{stream}", None, timeout=5)
        assert info["state"]["messages"] == 1


async def test_accounts_has_its_buckets_and_nothing_else(broker: Broker, tmp_path: Path) -> None:
    async with connect(broker.as_user("rules")) as rules:
        await ensure_stream(rules, HURRIED, known=None, allow_new=True)
    async with account_service(broker, tmp_path) as stub:
        made = await stub.CreateGuest(pb.CreateGuestRequest(name="Ada", request_id="r" * 16))
        assert (
            await stub.CreateGuest(pb.CreateGuestRequest(name="Ada", request_id="r" * 16)) == made
        )
        token = [("authorization", f"Bearer {made.token}")]
        await stub.DeleteAccount(pb.DeleteAccountRequest(), metadata=token)
    async with connect(broker.as_user("accounts")) as accounts:
        with pytest.raises(Unavailable):
            await ask(accounts, "STREAM.INFO.MATCHES", None, timeout=0.5)


@pytest.mark.parametrize("reader", READERS)
async def test_no_other_service_sees_an_account(
    broker: Broker, tmp_path: Path, reader: str
) -> None:
    async with account_service(broker, tmp_path) as stub:
        await stub.CreateGuest(pb.CreateGuestRequest(name="Ada"))
    async with connect(broker.as_user(reader)) as other:
        for verb in ("STREAM.MSG.GET.KV_PROFILES", "DIRECT.GET.KV_PROFILES"):
            with pytest.raises(Unavailable):
                await ask(other, verb, {"seq": 1}, timeout=0.5)


async def test_scoring_reads_who_deleted_the_account_and_cannot_add_to_it(
    broker: Broker, tmp_path: Path
) -> None:
    async with account_service(broker, tmp_path) as stub:
        made = await stub.CreateGuest(pb.CreateGuestRequest(name="Ada"))
        token = [("authorization", f"Bearer {made.token}")]
        await stub.DeleteAccount(pb.DeleteAccountRequest(), metadata=token)
    async with connect(broker.as_user("scoring")) as scoring:
        players = ForgottenPlayers(scoring)
        with pytest.raises(TimeoutError):
            await scoring.nc.request("$KV.FORGOTTEN.bo", b"", timeout=0.5)
        deletion = await players.behind(Position())
        assert deletion is not None
        assert deletion.player_id == made.player_id
        assert await players.behind(deletion.position) is None
        everybody = frozenset({made.player_id})
        assert await players.everybody() == (everybody, deletion.position)


async def test_nobody_comes_in_without_a_password(broker: Broker) -> None:
    nobody = broker.as_user("rules").model_copy(update={"password": None, "start_timeout_s": 1.0})
    with pytest.raises(Unavailable):
        async with connect(nobody):
            pass


@pytest.mark.parametrize("reader", READERS)
async def test_no_other_service_can_make_up_or_hide_an_outage(broker: Broker, reader: str) -> None:
    async with connect(broker.as_user("rules")) as rules, connect(broker.as_user(reader)) as other:
        ours, theirs = HealthStream(rules, 1), HealthStream(other, 1)
        await ours.open()
        assert await ours.beat() == 1
        await theirs.open()
        with pytest.raises(Unavailable):
            await theirs.beat()
        for verb in ("STREAM.PURGE.HEALTH", "STREAM.DELETE.HEALTH"):
            with pytest.raises(Unavailable):
                await ask(other, verb, None, timeout=0.5)
        assert [sign.sequence for sign in await ours.read(0)] == [1]
