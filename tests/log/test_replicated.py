"""Answers that only a replicated log gives: appends that meet each other on their way, and reads
from a replica that lags."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import grpc
import pytest
from nats.aio.client import Client

from faults.cluster import REPLICAS, running_cluster, until_takes_streams
from faults.proxy import Proxy, is_append_answer, proxy_before
from faults.servers import nats_server
from rules.conftest import ALICE, BOB, Rules, play_on, refused
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Conflict, Kind, OutcomeUnknown
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import ensure_stream
from spielwerk.log.subjects import new_match_id
from spielwerk_accounts import keys as signing

MATCH: Final = new_match_id(1_790_000_000_000, b"0123456789")
SINGLE: Final = LogSettings(append_timeout_s=1.0)
# The settings of a cluster, before a single broker: reads compare with the leader.
REPLICATED: Final = SINGLE.model_copy(update={"replicas": REPLICAS})
_SEQUENCE: Final = re.compile(rb"Nats-Sequence: (\d+)")
UNDER_WAY: Final = json.dumps(
    {
        "error": {"code": 400, "err_code": 10164, "description": "wrong last sequence"},
        "stream": "MATCHES",
        "seq": 0,
    }
).encode()


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[Proxy]:
    async with nats_server(tmp_path) as server, proxy_before(server.url) as running:
        yield running


@pytest.fixture
async def connection(proxy: Proxy) -> AsyncIterator[Connection]:
    async with connect(NatsSettings(url=proxy.url)) as opened:
        await ensure_stream(opened, SINGLE, known=None, allow_new=True)
        yield opened


class Spurious:
    """The broker says of appends that others are under way, instead of what it has to say."""

    def __init__(self, proxy: Proxy, nc: Client, *, stored: bool, times: int) -> None:
        self.given = 0
        self._nc = nc
        self._times = times
        self._sent: set[asyncio.Task[None]] = set()
        if stored:
            proxy.answers.drop = lambda message: (
                is_append_answer(message) and self._replaced(message.split()[1])
            )
        else:
            proxy.requests.drop = lambda message: (
                message.startswith(b"HPUB match.") and self._replaced(message.split()[2])
            )

    def _replaced(self, reply: bytes) -> bool:
        if self.given == self._times:
            return False
        self.given += 1
        self._sent.add(asyncio.create_task(self._nc.publish(reply.decode(), UNDER_WAY)))
        return True


@pytest.fixture
async def beside(proxy: Proxy) -> AsyncIterator[Client]:
    """Another connection, whose messages the proxy does not touch."""
    async with connect(NatsSettings(url=proxy.url)) as opened:
        yield opened.nc


async def test_es_04_an_append_that_met_another_on_its_way_is_tried_again(
    proxy: Proxy, connection: Connection, beside: Client
) -> None:
    log = JetStreamLog(connection, SINGLE)
    spurious = Spurious(proxy, beside, stored=False, times=3)
    assert await log.append(MATCH, Kind.OPEN, b"1", {}, expected=0) == 1
    assert spurious.given == 3
    assert [m.data for m in await log.read(MATCH)] == [b"1"]


async def test_es_04_an_append_that_was_stored_and_called_under_way_conflicts_with_itself(
    proxy: Proxy, connection: Connection, beside: Client
) -> None:
    log = JetStreamLog(connection, SINGLE)
    Spurious(proxy, beside, stored=True, times=1)
    with pytest.raises(Conflict):
        await log.append(MATCH, Kind.OPEN, b"1", {}, expected=0)
    assert [m.data for m in await log.read(MATCH)] == [b"1"]


async def test_es_04_an_append_that_never_gets_another_answer_has_an_unknown_outcome(
    proxy: Proxy, connection: Connection, beside: Client
) -> None:
    log = JetStreamLog(connection, SINGLE)
    Spurious(proxy, beside, stored=False, times=10_000)
    with pytest.raises(OutcomeUnknown):
        await log.append(MATCH, Kind.OPEN, b"1", {}, expected=0)


@pytest.mark.parametrize("stored", [False, True], ids=["not stored", "stored"])
async def test_es_04_a_player_does_not_notice_such_an_answer(
    proxy: Proxy, beside: Client, stored: bool
) -> None:
    async with AsyncExitStack() as stack:
        rules = Rules(proxy.url, signing.generate(), stack)
        await rules.start()
        match_id = await rules.started_match()
        stubs = {player: await rules.stub(player) for player in (ALICE, BOB)}
        spurious = Spurious(proxy, beside, stored=stored, times=1)
        assert await play_on(stubs, match_id, 3) == 3
        assert spurious.given == 1
        request = pb.GetHistoryRequest(match_id=match_id)
        history = await stubs[ALICE].GetHistory(request)
    assert [update.version for update in history.updates] == [1, 2, 3, 4, 5, 6]


class Lagging:
    """Reads are answered by a replica that does not have what stands `above` a sequence."""

    def __init__(self, above: int, times: int = 10_000) -> None:
        self._above = above
        self.left = times

    def __call__(self, message: bytes) -> bool:
        sequence = _SEQUENCE.search(message) if message.startswith(b"HMSG _INBOX") else None
        if sequence is None or int(sequence[1]) <= self._above or not self.left:
            return False
        self.left -= 1
        return True


async def test_es_12_a_read_from_a_replica_that_lags_is_completed_by_the_leader(
    proxy: Proxy, connection: Connection
) -> None:
    log = JetStreamLog(connection, REPLICATED)
    for version in range(4):
        await log.append(MATCH, Kind.MOVE, b"%d" % version, {}, expected=version)
    proxy.answers.drop = Lagging(above=2)
    assert [m.sequence for m in await JetStreamLog(connection, SINGLE).read(MATCH)] == [1, 2]
    assert [m.sequence for m in await log.read(MATCH)] == [1, 2, 3, 4]


async def test_es_12_a_view_waits_for_a_replica_that_lags(proxy: Proxy) -> None:
    async with AsyncExitStack() as stack:
        rules = Rules(proxy.url, signing.generate(), stack)
        await rules.start()
        await rules.start()
        match_id = await rules.started_match()
        proxy.answers.drop = lagging = Lagging(above=2, times=3)
        other = await rules.stub(ALICE, instance=1)
        view = await other.GetView(pb.GetViewRequest(match_id=match_id))
    assert view.view.version == 3
    assert lagging.left == 0


async def test_es_12_a_replica_that_stays_behind_is_unavailable_and_no_wrong_answer(
    proxy: Proxy,
) -> None:
    async with AsyncExitStack() as stack:
        rules = Rules(proxy.url, signing.generate(), stack)
        await rules.start()
        await rules.start()
        match_id = await rules.started_match()
        proxy.answers.drop = Lagging(above=2)
        other = await rules.stub(ALICE, instance=1)
        view = other.GetView(pb.GetViewRequest(match_id=match_id), timeout=60)
        code, error = await refused(view)
    assert (code, error.reason) == (grpc.StatusCode.UNAVAILABLE, "log_behind")


async def test_two_appends_that_meet_in_a_cluster_are_one_and_a_conflict(tmp_path: Path) -> None:
    settings = LogSettings(replicas=REPLICAS)
    async with running_cluster(tmp_path) as cluster, connect(cluster.settings) as nc:
        await until_takes_streams(nc)
        await ensure_stream(nc, settings, known=None, allow_new=True)
        log = JetStreamLog(nc, settings)
        last = 0
        for _ in range(20):
            outcomes = await asyncio.gather(
                *(log.append(MATCH, Kind.MOVE, data, {}, expected=last) for data in (b"a", b"b")),
                return_exceptions=True,
            )
            (last,) = [sequence for sequence in outcomes if isinstance(sequence, int)]
            (lost,) = [error for error in outcomes if not isinstance(error, int)]
            assert isinstance(lost, Conflict)
        assert len(await log.read(MATCH)) == 20
