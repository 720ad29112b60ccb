"""Where the timer begins: at a checkpoint that fits the log, else with the log alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest

from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.background import running
from spielwerk.clock import Clock
from spielwerk.log.broker_clock import running_clock
from spielwerk.log.census import unfinished
from spielwerk.log.connect import Connection
from spielwerk.log.headers import OpenTurn, RecordHeaders
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind, Stored, StreamIdentity, Tail
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import GRACE_MS
from spielwerk.rpc.channel import open_channel
from spielwerk.store import open_redis
from spielwerk.telemetry.metrics import Metrics
from spielwerk_timer.checkpoint import Checkpoint, Checkpoints, mark_of
from spielwerk_timer.firing import Firing
from spielwerk_timer.following import Follower
from spielwerk_timer.heap import Deadline, Deadlines

from .conftest import Table

NOW = 1_790_000_000_000
KEY = "sw:{timer}:checkpoint"


class Following:
    """A follower on the real log and the real store."""

    def __init__(self, log: JetStreamLog, nats: Connection, settings: LogSettings, url: str):
        self.log = log
        self.store = open_redis(url)
        self.checkpoints = Checkpoints(self.store)
        self.deadlines = Deadlines()
        self._census = partial(unfinished, nats, settings)
        self.tail: Tail = log
        self.follower = self._new()

    def _new(self) -> Follower:
        return Follower(self.tail, self._census, self.checkpoints, self.deadlines, Metrics())

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self.follower = self._new()
        async with running(self.follower.run(), self.follower.keep(0.01)):
            async with asyncio.timeout(10):
                while not self.follower.ready():
                    await asyncio.sleep(0.005)
            yield

    async def open(self, number: int, *, end: bool = False) -> str:
        """A match that waits, or is over."""
        match_id = new_match_id(NOW, bytes([number] * 10))
        turns = (OpenTurn(0, "1", NOW + number, False),)
        first = RecordHeaders("skat", 1, NOW + number, turns).write()
        last = await self.log.append(match_id, Kind.OPEN, b"", first, expected=0)
        if end:
            head = RecordHeaders("skat", 2, NOW + number, ()).write()
            await self.log.append(match_id, Kind.END, b"", head, expected=last)
        return match_id

    async def kept(self) -> Checkpoint:
        """Wait until the checkpoint is as new as the log."""
        identity = await self.log.identity()
        async with asyncio.timeout(10):
            while True:
                checkpoint = await self.checkpoints.load()
                if checkpoint and checkpoint.position == identity.last_sequence:
                    return checkpoint
                await asyncio.sleep(0.005)

    def known(self) -> set[str]:
        return {deadline.match_id for deadline in self.deadlines}


@pytest.fixture
async def following(
    log: JetStreamLog, nats: Connection, stream_settings: LogSettings, redis_url: str
) -> AsyncIterator[Following]:
    parts = Following(log, nats, stream_settings, redis_url)
    async with aclosing(parts.store):
        yield parts


async def test_a_checkpoint_holds_the_open_turns_and_the_place_in_the_log(
    following: Following,
) -> None:
    async with following.running():
        waiting = {await following.open(n) for n in range(5)}
        await following.open(9, end=True)
        checkpoint = await following.kept()
    assert {deadline.match_id for deadline in checkpoint.deadlines} == waiting
    assert following.known() == waiting


async def test_a_start_believes_a_checkpoint_that_fits(following: Following) -> None:
    async with following.running():
        await following.open(1)
        checkpoint = await following.kept()
    extra = Deadline(new_match_id(NOW, bytes(10)), 3, "7", NOW)
    await following.checkpoints.save(replace(checkpoint, deadlines=(extra,)))
    after = await following.open(2)
    async with following.running():
        assert following.known() == {extra.match_id, after}


@pytest.mark.parametrize(
    "change",
    [
        {"mark": "match.2026-09.1.other.move 5"},
        {"created": "2001-01-01T00:00:00Z"},
        {"stream": "OTHER"},
        {"position": 99},
        {"position": 0},
        {"position": 1},
    ],
)
async def test_a_checkpoint_of_another_log_is_not_believed(
    following: Following, change: dict[str, object]
) -> None:
    async with following.running():
        waiting = {await following.open(n) for n in range(3)}
        checkpoint = await following.kept()
    extra = Deadline(new_match_id(NOW, bytes(10)), 3, "7", NOW)
    false = replace(checkpoint, deadlines=(extra,), **change)  # type: ignore[arg-type]
    await following.checkpoints.save(false)
    async with following.running():
        assert following.known() == waiting


class Overtaken:
    """A tail after whose first look another instance keeps a checkpoint of a newer record."""

    def __init__(self, following: Following, checkpoint: Checkpoint) -> None:
        self.follow = following.log.follow
        self._following = following
        self._checkpoint: Checkpoint | None = checkpoint

    async def identity(self) -> StreamIdentity:
        seen = await self._following.log.identity()
        if self._checkpoint is not None:
            newer = replace(self._checkpoint, position=seen.last_sequence + 1)
            await self._following.checkpoints.save(newer)
            self._checkpoint = None
        return seen


async def test_a_checkpoint_that_another_instance_keeps_meanwhile_is_no_misfit(
    following: Following,
) -> None:
    async with following.running():
        waiting = await following.open(1)
        checkpoint = await following.kept()
    extra = Deadline(new_match_id(NOW, bytes(10)), 3, "7", NOW)
    believed = replace(checkpoint, deadlines=(*checkpoint.deadlines, extra))
    await following.checkpoints.save(believed)
    following.tail = Overtaken(following, believed)
    async with following.running():
        assert following.known() == {waiting, extra.match_id}


@pytest.mark.parametrize("text", ["", "{}", "[1,2]", "nonsense", '{"open":[[1]]}'])
async def test_a_damaged_checkpoint_is_not_believed(following: Following, text: str) -> None:
    waiting = {await following.open(n) for n in range(3)}
    await following.store.set(KEY, text)
    async with following.running():
        assert following.known() == waiting


async def test_without_a_checkpoint_finished_matches_drop_out(following: Following) -> None:
    waiting = {await following.open(n) for n in range(3)}
    for number in range(10, 20):
        await following.open(number, end=True)
    async with following.running():
        assert following.known() == waiting
        later = await following.open(5)
        await following.kept()
        assert following.known() == waiting | {later}


def test_a_mark_tells_records_of_one_position_apart() -> None:
    def stored(subject: str, time_ms: int) -> Stored:
        return Stored(5, subject, RecordHeaders("skat", 1, time_ms, ()).write(), b"")

    marks = {mark_of(stored("a", 1)), mark_of(stored("a", 2)), mark_of(stored("b", 1))}
    assert len(marks) == 3
    assert mark_of(Stored(5, "a", {}, b"")) not in marks


class Shifted:
    """A clock that is wrong."""

    def __init__(self, clock: Clock, ms: int) -> None:
        self._clock, self._ms = clock, ms

    def now_ms(self) -> int:
        return self._clock.now_ms() + self._ms


async def test_a_timer_whose_clock_is_fast_ends_no_turn_early(
    table: Table, following: Following, nats: Connection, stream_settings: LogSettings
) -> None:
    settings = table.timer_settings()
    token = settings.auth.token.get_secret_value() if settings.auth.token else ""
    async with (
        running_clock(nats, stream_settings) as clock,
        open_channel(table.address, lambda: token) as channel,
        following.running(),
    ):
        shifted, metrics = Shifted(clock, 90_000), Metrics()
        api = MatchServiceStub(channel)
        firing = Firing(api, following.deadlines, shifted, settings.timer, metrics)
        async with running(firing.run()):
            matches = await table.matches([700, 1_000, 1_300])
            lateness = await table.lateness_ms(matches)
    assert all(GRACE_MS <= ms <= GRACE_MS + 1_000 for ms in lateness), lateness
    assert metrics.value("spielwerk_deadlines_fired_total", outcome="stale") >= 3
