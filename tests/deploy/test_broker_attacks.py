"""Who has the password of a service that only reads must not get beyond reading the log."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from deploy.guarded import READERS, Broker, account_service
from spielwerk.api.v1 import account_pb2 as pb
from spielwerk.clock import ManualClock
from spielwerk.errors import Unavailable
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection, connect
from spielwerk.log.health_stream import BEAT, OUTAGE, HealthStream
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings
from spielwerk.log.snapshots import stream_names
from spielwerk.log.stream import ensure_stream
from spielwerk.log.subjects import subject
from spielwerk_rules.audit_trail import SUBJECT as LOOK
from spielwerk_rules.audit_trail import AuditTrail, Look, open_trail

LOG: Final = LogSettings()
MATCH_ID: Final = "0kqb6j9x8v3m2n1p4r5s6t7w8y"
OTHERS: Final = ("accounts", *READERS)
WAIT_S: Final = 20.0


@dataclass
class Installation:
    """Rules with one record, one sign of life and one look; a player with an account."""

    broker: Broker
    rules: Connection
    accounts: Any
    player: pb.CreateGuestResponse

    @asynccontextmanager
    async def intruder(self, user: str) -> AsyncIterator[Client]:
        """Somebody with a service's password and any client."""
        password = self.broker.passwords[f"NATS_{user.upper()}_PASSWORD"]
        client = await nats.connect(self.broker.url, user=user, password=password)
        yield client
        await client.close()

    async def state(self) -> dict[str, Any]:
        """What the streams hold, once all that was sent to them before has been taken."""
        await HealthStream(self.rules, 1).beat()
        await AuditTrail(self.rules, ManualClock(0)).write(A_LOOK)
        infos = {
            name: await ask(self.rules, f"STREAM.INFO.{name}", {"subjects_filter": ">"}, timeout=5)
            for name in await stream_names(self.rules)
        }
        return {name: contents(info["state"]) for name, info in infos.items()}

    async def profile(self) -> str:
        """The player's name as the service of accounts reads it."""
        request = pb.GetProfileRequest(player_id=self.player.player_id)
        token = [("authorization", f"Bearer {self.player.token}")]
        answer = await self.accounts.GetProfile(request, metadata=token)
        return str(answer.profile.name)


A_LOOK: Final = Look("op", "operator", "Export", MATCH_ID, 1, "records")


@pytest.fixture
async def installed(broker: Broker, tmp_path: Path) -> AsyncIterator[Installation]:
    async with AsyncExitStack() as stack:
        rules = await stack.enter_async_context(connect(broker.as_user("rules")))
        await ensure_stream(rules, LOG, known=None, allow_new=True)
        await JetStreamLog(rules, LOG).append(MATCH_ID, Kind.OPEN, b"hands", {}, expected=0)
        await HealthStream(rules, 1).open()
        await open_trail(rules, 1)
        accounts = await stack.enter_async_context(account_service(broker, tmp_path))
        player = await accounts.CreateGuest(pb.CreateGuestRequest(name="Ada"))
        yield Installation(broker, rules, accounts, player)


def subjects_of(player_id: str) -> tuple[str, ...]:
    """Where nobody else may put anything: one of each stream."""
    kinds = (subject(MATCH_ID, Kind.MOVE), BEAT, OUTAGE, LOOK)
    buckets = (f"$KV.PROFILES.{player_id}", "$KV.FORGOTTEN.pbob", "$KV.ACCOUNT_REQUESTS.r")
    return kinds + buckets


@pytest.mark.parametrize("user", OTHERS)
async def test_nobody_sees_what_the_broker_answers_to_others(
    installed: Installation, user: str
) -> None:
    async with installed.intruder(user) as intruder:
        heard = [await intruder.subscribe(subjects) for subjects in (">", "_INBOX.>", "live.>")]
        await intruder.flush()
        log = JetStreamLog(installed.rules, LOG)
        await log.append(MATCH_ID, Kind.MOVE, b"hands", {}, expected=1)
        await log.read(MATCH_ID)
        if user != "accounts":  # it sees its own
            assert await installed.profile() == "Ada"
        await intruder.flush()
        assert [one.pending_msgs for one in heard] == [0, 0, 0]


@pytest.mark.parametrize("user", OTHERS)
async def test_nobody_answers_in_the_brokers_place(installed: Installation, user: str) -> None:
    inbox = installed.rules.inbox
    answers: list[bytes] = []
    true = asyncio.Event()

    def answered(message: Msg | None) -> None:
        answers.append(message.data if message else b"lost")
        if answers[-1] == b"true":
            true.set()

    await inbox.open()
    reply = inbox.expect(answered)
    async with installed.intruder(user) as intruder:
        await intruder.publish(reply, b'{"stream": "MATCHES", "seq": 4711}')
        await intruder.flush()
        await installed.rules.nc.publish(reply, b"true")
        async with asyncio.timeout(WAIT_S):
            await true.wait()
    inbox.forget(reply)
    assert answers == [b"true"]


@pytest.mark.parametrize("user", OTHERS)
async def test_nobody_has_the_broker_send_an_answer_into_a_stream(
    installed: Installation, user: str
) -> None:
    before = await installed.state()
    questions = ["INFO", "STREAM.NAMES", "STREAM.INFO.MATCHES", "STREAM.INFO.KV_FORGOTTEN"]
    questions += ["STREAM.MSG.GET.KV_FORGOTTEN", "STREAM.MSG.GET.KV_PROFILES"]
    questions += ["CONSUMER.CREATE.MATCHES.x", "CONSUMER.MSG.NEXT.MATCHES.x"]
    async with installed.intruder(user) as intruder:
        for to in subjects_of(installed.player.player_id):
            for question in questions:
                await intruder.publish(f"$JS.API.{question}", b"", reply=to)
                await intruder.publish(f"core.{question}", b"", reply=to)
        await intruder.flush()
    assert await installed.state() == after_one_more(before)
    assert await installed.profile() == "Ada"


@pytest.mark.parametrize("user", READERS)
async def test_nobody_has_a_consumer_send_records_into_another_stream(
    installed: Installation, user: str
) -> None:
    before = await installed.state()
    async with installed.intruder(user) as intruder:
        for number, to in enumerate(subjects_of(installed.player.player_id)):
            # Consumers send where somebody listens; that rules does is the worst case.
            arrived = await installed.rules.nc.subscribe(to)
            await installed.rules.nc.flush()
            for headers_only in (False, True):
                name = f"x{number}{headers_only:d}"
                config = {
                    "name": name,
                    "deliver_subject": to,
                    "deliver_policy": "all",
                    "ack_policy": "none",
                    "headers_only": headers_only,
                }
                answer = await intruder.request(
                    f"$JS.API.CONSUMER.CREATE.MATCHES.{name}",
                    json.dumps({"stream_name": "MATCHES", "config": config}).encode(),
                    timeout=WAIT_S,
                )
                if "error" not in json.loads(answer.data):
                    await arrived.next_msg(timeout=WAIT_S)
            await arrived.unsubscribe()
    assert await installed.state() == after_one_more(before)
    assert await installed.profile() == "Ada"


@pytest.mark.parametrize("user", READERS)
async def test_streams_that_are_no_log_are_closed_to_readers(
    installed: Installation, user: str
) -> None:
    others = set(await stream_names(installed.rules)) - {LOG.stream}
    assert others == {"HEALTH", "AUDIT", "KV_PROFILES", "KV_ACCOUNT_REQUESTS", "KV_FORGOTTEN"}
    config = {"name": "x", "deliver_policy": "all", "ack_policy": "none"}
    create = {"config": config}
    async with connect(installed.broker.as_user(user)) as other:
        closed = [
            refused(other, f"CONSUMER.CREATE.{name}.x", {"stream_name": name, **create})
            for name in others
        ]
        closed += [refused(other, f"CONSUMER.MSG.NEXT.{name}.x", {"batch": 1}) for name in others]
        closed += [refused(other, f"DIRECT.GET.{name}", {"seq": 1}) for name in others]
        private = others - {"HEALTH", "KV_FORGOTTEN"}
        closed += [refused(other, f"STREAM.INFO.{name}", None) for name in private]
        closed += [refused(other, f"STREAM.MSG.GET.{name}", {"seq": 1}) for name in private]
        await asyncio.gather(*closed)


async def refused(user: Connection, verb: str, body: dict[str, Any] | None) -> None:
    with pytest.raises(Unavailable):
        await ask(user, verb, body, timeout=1.0)


def contents(state: dict[str, Any]) -> dict[str, int]:
    """Messages by subject, and how many there ever were."""
    return {**state.get("subjects", {}), "ever": state["last_seq"]}


def after_one_more(state: dict[str, Any]) -> dict[str, Any]:
    """After the sign of life and the look by which the state is asked for."""
    written = {"HEALTH", "AUDIT"}
    return {
        name: {key: count + 1 for key, count in found.items()} if name in written else found
        for name, found in state.items()
    }
