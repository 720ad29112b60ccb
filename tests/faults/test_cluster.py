"""A cluster of three brokers loses the server that leads the log, again and again, then two at
once: no acknowledged move is lost or doubled, and play goes on by itself."""

from __future__ import annotations

import asyncio
import os
import random
import time
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from faults.checks_log import check_versions
from faults.cluster import (
    NAMES,
    REPLICAS,
    leader,
    running_cluster,
    until_in_step,
    until_takes_streams,
)
from faults.history import History
from faults.replicated import Replicated, replicated
from faults.witness import Witness, check_acknowledged, check_refused
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.client import Spielwerk
from spielwerk.client.match import MatchClient
from spielwerk.client.retrying import Patience
from spielwerk.client.values import Watched
from spielwerk.errors import FailedPrecondition, Unavailable
from spielwerk.log.api import ApiError, ask
from spielwerk.log.connect import Connection, connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Conflict, Kind
from spielwerk.log.stream import ensure_stream
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import Phase
from spielwerk.rpc.channel import open_channel
from spielwerk.settings import LogSettings

LOG: Final = LogSettings(replicas=REPLICAS)
PATIENCE: Final = Patience(total_s=120, longest_pause_s=0.5)
MATCH: Final = new_match_id(1_790_000_000_000, b"0123456789")
OPTIONS: Final = {"target": 61, "action_timeout_s": 0}
SEED: Final = 20261130


@dataclass
class Load:
    """Guests who play match after match until told to stop, and what they were told."""

    stop: asyncio.Event = field(default_factory=asyncio.Event)
    acknowledged: dict[tuple[str, str], int] = field(default_factory=dict)
    refused: set[tuple[str, str]] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    times: list[float] = field(default_factory=list)
    """When commands were acknowledged, in seconds."""

    async def guest(self, client: Spielwerk, rng: random.Random, *, alone: bool) -> None:
        """Against another guest of the queue, or against a bot."""
        await client.create_guest("Ada")
        while not self.stop.is_set():
            match = await (_practice(client) if alone else self._matched(client))
            seat = await _joined(match) if match else None
            if match is not None and seat is not None:
                await self._play(match, seat, rng)

    async def goes_on(self, commands: int) -> None:
        """Wait until this many more commands were acknowledged."""
        wanted = len(self.times) + commands
        while len(self.times) < wanted:
            await asyncio.sleep(0.02)

    @property
    def longest_gap_s(self) -> float:
        """Longest time without an acknowledged command."""
        return max(after - before for before, after in pairwise(self.times))

    async def _matched(self, client: Spielwerk) -> MatchClient | None:
        """None if nobody comes before the end of the load, or the last match is not over there."""
        try:
            ticket = await client.matchmaking.enqueue("cribbage", OPTIONS)
        except FailedPrecondition as busy:  # matchmaking reads the end of a match after its players
            if busy.reason != "already_in_match":
                raise
            return None
        waiting = asyncio.ensure_future(client.matchmaking.wait_ticket(ticket.ticket_id))
        over = asyncio.ensure_future(self.stop.wait())
        await asyncio.wait({waiting, over}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        if not waiting.done():
            waiting.cancel()
            await asyncio.wait({waiting})
            with suppress(FailedPrecondition):  # the match came first
                await client.matchmaking.cancel(ticket.ticket_id)
            ticket = await client.matchmaking.ticket(ticket.ticket_id)
        else:
            ticket = waiting.result()
        return client.match(ticket.match_id) if ticket.match_id else None

    async def _play(self, match: MatchClient, seat: int, rng: random.Random) -> None:
        async with match.watch() as updates:
            async for update in updates:
                await self._act(match, seat, update, rng)
        if (await match.view()).phase is Phase.ENDED:
            self.finished.add(match.match_id)

    async def _act(self, match: MatchClient, seat: int, seen: Watched, rng: random.Random) -> None:
        if all(turn.seat != seat or turn.key == "join" for turn in seen.turns):
            return
        legal = await match.legal()
        if legal.turn_key is None:
            return
        key = (match.match_id, f"{rng.getrandbits(64):016x}")
        command = rng.choice(legal.commands)
        try:
            done = await match.submit(command, legal.turn_key, command_id=key[1])
        except FailedPrecondition as stale:  # the turn was answered before
            if stale.reason not in ("stale_turn", "match_over"):
                raise
            self.refused.add(key)
        else:
            self.acknowledged[key] = done.version
            self.times.append(time.monotonic())


async def _practice(client: Spielwerk) -> MatchClient:
    return client.match((await client.matchmaking.practice("cribbage", OPTIONS)).match_id)


async def _joined(match: MatchClient) -> int | None:
    try:
        return (await match.join()).seat
    except FailedPrecondition as void:  # the other side, or this one, came too late
        if void.reason != "match_over":
            raise
        return None


async def play_through_kills(there: Replicated, load: Load, guests: int, kills: int) -> None:
    """Kill the server that leads the log under load, and start it again."""
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as playing:
        for number in range(guests):
            connected = Spielwerk.connect(there.endpoints, calls=PATIENCE, streams=PATIENCE)
            client = await stack.enter_async_context(connected)
            rng = random.Random(SEED + number)
            playing.create_task(load.guest(client, rng, alone=number % 3 == 0))
        for _ in range(kills):
            await load.goes_on(100)
            await until_in_step(there.broker, LOG.stream)
            killed = await leader(there.broker, LOG.stream)
            there.cluster.kill(killed)
            await load.goes_on(100)
            await there.cluster.start(killed)
        load.stop.set()


async def check_everything(there: Replicated, load: Load) -> None:
    """The log against what the guests were told."""
    witness = await Witness.of(JetStreamLog(there.broker, LOG))
    assert check_acknowledged(witness, load.acknowledged) == []
    assert check_refused(witness, load.refused) == []
    assert check_versions(witness, History()) == []
    assert load.finished
    for match_id in load.finished:
        assert witness.verified(match_id).phase is Phase.ENDED
    assert {match_id for match_id, _ in load.acknowledged} <= load.finished
    assert there.bugs() == []
    streams = (await ask(there.broker, "STREAM.LIST", {}, timeout=5))["streams"]
    assert {stream["config"]["num_replicas"] for stream in streams} == {REPLICAS}
    assert len(streams) >= 5  # matches, signs of life, looks, and two buckets of accounts


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("guests", "kills"), [(12, 3), pytest.param(60, 12, marks=pytest.mark.slow)]
)
async def test_es_01_killing_the_leader_of_the_log_loses_and_doubles_no_move(
    tmp_path: Path, guests: int, kills: int
) -> None:
    load = Load()
    async with replicated(tmp_path) as there:
        await play_through_kills(there, load, guests, kills)
        await until_in_step(there.broker, LOG.stream)
        await check_everything(there, load)
    print(
        f"{len(load.acknowledged)} commands of {len(load.finished)} matches over {kills} kills of "
        f"the leader; longest time without an acknowledgement {load.longest_gap_s:.1f} s"
    )


async def join_again_and_again(
    there: Replicated, match_id: str, player: str, told: set[grpc.StatusCode]
) -> None:
    """A player's command until it is acknowledged; `told` are the answers until then."""
    token = there.keys.issue(player, "player", 3600)
    async with open_channel(there.address("rules"), lambda: token) as channel:
        request = match_pb2.JoinRequest(match_id=match_id)
        while True:
            try:
                await MatchServiceStub(channel).Join(request, timeout=10)
            except grpc.aio.AioRpcError as failed:
                told.add(failed.code())
                await asyncio.sleep(0.1)
            else:
                return


async def new_match(there: Replicated, *players: str) -> str:
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    people = [match_pb2.Occupant(human=match_pb2.Human(player_id=player)) for player in players]
    request = match_pb2.CreateMatchRequest(
        match_id=match_id,
        game="cribbage",
        occupants=people,
        watch=match_pb2.WATCH_POLICY_PARTICIPANTS,
    )
    token = there.keys.issue("op", "operator", 3600)
    async with open_channel(there.address("rules"), lambda: token) as channel:
        await MatchServiceStub(channel).CreateMatch(request)
    return match_id


@pytest.mark.timeout(240)
async def test_es_09_a_cluster_without_a_majority_is_unavailable_and_comes_back_by_itself(
    tmp_path: Path,
) -> None:
    async with replicated(tmp_path, "rules") as there:
        match_id = await new_match(there, "ada", "ben")
        told: set[grpc.StatusCode] = set()
        await join_again_and_again(there, match_id, "ada", told)
        assert not told
        await until_in_step(there.broker, LOG.stream)
        survivor = await leader(there.broker, LOG.stream)
        lost = [name for name in NAMES if name != survivor]
        for name in lost:
            there.cluster.kill(name)
        joining = asyncio.create_task(
            join_again_and_again(there, match_id, "ben", told), name="joining"
        )
        async with asyncio.timeout(60):
            await there.until_ready("rules", ready=False)
        assert not joining.done()
        await there.cluster.start(*lost)
        async with asyncio.timeout(60):
            await joining
            await there.until_ready("rules", ready=True)
        witness = await Witness.of(JetStreamLog(there.broker, LOG))
        assert there.bugs() == []
    assert told == {grpc.StatusCode.UNAVAILABLE}
    assert [record.version for record in witness.records(match_id)] == [1, 2, 3]


async def test_es_08_a_tail_goes_on_when_the_server_of_its_consumer_is_killed(
    tmp_path: Path,
) -> None:
    async with running_cluster(tmp_path) as cluster, connect(cluster.settings) as broker:
        await until_takes_streams(broker)
        await ensure_stream(broker, LOG, known=None, allow_new=True)
        log, seen = JetStreamLog(broker, LOG), list[int]()
        async with asyncio.timeout(120), asyncio.TaskGroup() as group:
            group.create_task(read_until(log, seen, 60))
            last = await append_on(log, 0, 20)
            for _ in range(2):
                while len(seen) < last:
                    await asyncio.sleep(0.02)
                await until_in_step(broker, LOG.stream)
                killed = await server_of_consumer(broker)
                cluster.kill(killed)
                last = await append_on(log, last, 20)
                await cluster.start(killed)
    assert seen == list(range(1, 61))


async def read_until(log: JetStreamLog, seen: list[int], last: int) -> None:
    tail: Any = log.follow([Kind.MOVE], after=0, headers_only=True)
    async with aclosing(tail) as batches:
        async for batch in batches:
            seen.extend(message.sequence for message in batch.messages)
            if batch.position >= last:
                return


async def append_on(log: JetStreamLog, last: int, count: int) -> int:
    """Append to one match through every outage; returns its last sequence."""
    for _ in range(count):
        while True:
            try:
                last = await log.append(MATCH, Kind.MOVE, b"record", {}, expected=last)
            except Conflict:  # with itself: an answer was lost
                found = await log.last(MATCH)
                assert found is not None
                last = found.sequence
            except Unavailable:
                await asyncio.sleep(0.05)
                continue
            break
    return last


async def server_of_consumer(broker: Connection) -> str:
    """Where the newest consumer of the log is; older ones may wait for nobody on a server that came
    back."""
    while True:
        names = await ask(broker, f"CONSUMER.NAMES.{LOG.stream}", None, timeout=5, again_s=0.5)
        found = []
        for name in names["consumers"]:
            with suppress(ApiError, Unavailable):
                verb = f"CONSUMER.INFO.{LOG.stream}.{name}"
                found.append(await ask(broker, verb, None, timeout=1, again_s=0.5))
        newest = max(found, key=lambda info: str(info["created"]), default=None)
        if newest is not None and newest["cluster"].get("leader"):
            return str(newest["cluster"]["leader"])
        await asyncio.sleep(0.05)
