"""Whoever may only read the broker can still make it store something under a match's subject: it is
reported, nobody takes it for a record, and the match plays on."""

from __future__ import annotations

import asyncio
import json

import pytest

from rules.conftest import ALICE, BOB, Rules, play_on
from spielwerk.audit.checking import verify_stored
from spielwerk.games import registry
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.subjects import every_kind, subject
from spielwerk.settings import LogSettings, NatsSettings


async def by_plain_publish(broker: Connection, match_id: str) -> None:
    await broker.nc.publish(subject(match_id, Kind.MOVE), b"no record")


async def by_an_api_reply(broker: Connection, match_id: str) -> None:
    await broker.nc.publish("$JS.API.INFO", b"", reply=subject(match_id, Kind.MOVE))


async def by_a_consumer_fetch(broker: Connection, match_id: str) -> None:
    """The match's own records are sent to its own subject, with all their headers."""
    config = {"name": "thief", "filter_subject": every_kind(match_id), "ack_policy": "none"}
    body = json.dumps({"stream_name": "MATCHES", "config": config}).encode()
    await broker.nc.request("$JS.API.CONSUMER.CREATE.MATCHES.thief", body)
    fetch = "$JS.API.CONSUMER.MSG.NEXT.MATCHES.thief"
    await broker.nc.publish(fetch, b'{"batch": 3}', reply=subject(match_id, Kind.END))
    async with asyncio.timeout(10):
        while True:
            answer = await broker.nc.request("$JS.API.CONSUMER.INFO.MATCHES.thief", b"")
            if json.loads(answer.data)["delivered"]["consumer_seq"] == 3:
                return  # all three were sent to the match's subject
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("put", "stored"),
    [(by_plain_publish, True), (by_an_api_reply, True), (by_a_consumer_fetch, False)],
)
async def test_a_foreign_message_is_reported_and_the_match_plays_on(
    rules: Rules, put: object, stored: bool
) -> None:
    await rules.start()
    match_id = await rules.started_match()
    players = {name: await rules.stub(name) for name in (ALICE, BOB)}
    others = {name: await rules.stub(name, instance=1) for name in (ALICE, BOB)}
    async with connect(NatsSettings(url=rules.nats_url)) as broker:
        log = JetStreamLog(broker, LogSettings())
        before = len(await log.read(match_id))
        await put(broker, match_id)  # type: ignore[operator]
        await broker.nc.flush()
        assert await play_on(players, match_id, 10) == 10
        await play_on(others, match_id, 1_000)
        messages = await log.read(match_id)
        found = verify_stored(match_id, messages, registry.version)
    assert bool(found.foreign) is stored
    assert len(messages) == found.records + len(found.foreign)
    assert before == 3
    reported = sum(h.metrics.value("spielwerk_foreign_messages_total") for h in rules.hosts)
    assert bool(reported) is stored
