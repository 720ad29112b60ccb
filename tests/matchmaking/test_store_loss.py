"""What remains true when the store is restarted, emptied, set back in time or out of reach."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest
import structlog

from matchmaking.instances import Maker, cribbage, over, until
from matchmaking.servers import RedisServer
from matchmaking.table import LogMatches, WallClock
from spielwerk.errors import FailedPrecondition, NotFound, SpielwerkError, Unavailable
from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import StreamIdentity
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.parts import Parts, running
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store


@pytest.fixture
async def fragile(
    tmp_path: Path, log: JetStreamLog, matches: LogMatches
) -> AsyncIterator[tuple[RedisServer, Maker]]:
    """A store that the test may crash; it keeps only what was saved."""
    server = RedisServer(tmp_path)
    async with AsyncExitStack() as stack:
        yield server, Maker(server.url, log, matches, stack)
    server.kill()


async def enqueued(parts: Parts, player: str, request_id: str) -> str:
    """As a client does it: repeat the same request until there is a definite answer."""
    while True:
        try:
            return await parts.use.queue.enqueue(player, cribbage(), request_id)
        except Unavailable:
            await asyncio.sleep(0.02)


async def test_running_queue_matches_are_known_again_after_a_loss_of_the_store(
    fragile: tuple[RedisServer, Maker], matches: LogMatches
) -> None:
    server, maker = fragile
    parts = await maker(end_patience_ms=50)
    first = await enqueued(parts, "ann", "r1")
    await enqueued(parts, "bob", "r1")
    match_id = (await over(parts, "ann", first)).match_id
    over_by_now = await _match(parts, matches, "cleo", "dan")
    await matches.end(over_by_now, "finished", (0, 1))
    server.kill()
    server.start()
    with pytest.raises(FailedPrecondition) as refused:
        await enqueued(parts, "ann", "r2")
    assert refused.value.reason == "already_in_match"
    assert refused.value.metadata == {"match_id": match_id}
    assert await enqueued(parts, "cleo", "r2")


async def test_after_a_loss_of_the_store_tickets_are_unknown_and_can_be_had_again(
    fragile: tuple[RedisServer, Maker],
) -> None:
    server, maker = fragile
    parts = await maker()
    lost = await enqueued(parts, "ann", "r1")
    server.kill()
    server.start()
    await until(lambda: _readable(parts))
    with pytest.raises(NotFound) as unknown:
        await parts.use.tickets.get("ann", lost)
    assert unknown.value.reason == "ticket_unknown"
    again = await enqueued(parts, "ann", "r1")
    await enqueued(parts, "bob", "r1")
    assert (await over(parts, "ann", again)).state == "matched"


async def test_nobody_is_paired_twice_when_the_store_is_set_back_in_time(
    fragile: tuple[RedisServer, Maker], matches: LogMatches
) -> None:
    """The pairing of ann is lost, her ticket waits again, but her match is in the log."""
    server, maker = fragile
    parts = await maker(end_patience_ms=50)
    ticket = await enqueued(parts, "ann", "r1")
    await parts.store.redis.save()
    await enqueued(parts, "bob", "r1")
    assert (await over(parts, "ann", ticket)).state == "matched"
    server.kill()
    server.start()
    other = await enqueued(parts, "cleo", "r1")
    end = await over(parts, "ann", ticket)
    assert (end.state, end.reason) == ("cancelled", "already_in_match")
    assert (await parts.use.tickets.get("cleo", other)).state == "waiting"
    assert len(matches.created) == 1


async def test_a_match_under_way_into_the_log_is_waited_for_after_a_loss(
    fragile: tuple[RedisServer, Maker], matches: LogMatches
) -> None:
    """The store is lost while the match of ann and bob is being created: it still counts."""
    server, maker = fragile
    begun, release = asyncio.Event(), asyncio.Event()

    async def hold(_: object) -> None:
        begun.set()
        await release.wait()

    parts = await maker(settle_ms=1000, end_patience_ms=50)
    await _match(parts, matches, "x", "y")
    matches.before = hold
    await enqueued(parts, "ann", "r1")
    await enqueued(parts, "bob", "r1")
    await begun.wait()
    server.kill()
    server.start()
    again = asyncio.create_task(enqueued(parts, "ann", "r2"))
    await until(lambda: not parts.follower.ready)
    release.set()
    with pytest.raises(FailedPrecondition) as refused:
        await again
    assert refused.value.reason == "already_in_match"
    assert len(matches.created) == 2


async def test_tickets_survive_a_restart_of_the_store_that_keeps_its_data(
    tmp_path: Path, log: JetStreamLog, matches: LogMatches
) -> None:
    server = RedisServer(tmp_path, append=True)
    async with AsyncExitStack() as stack:
        parts = await Maker(server.url, log, matches, stack)()
        ticket = await enqueued(parts, "ann", "r1")
        server.kill()
        server.start()
        await enqueued(parts, "bob", "r1")
        assert (await over(parts, "ann", ticket)).state == "matched"
    server.kill()


async def test_without_the_store_calls_are_unavailable_and_the_service_is_not_ready(
    fragile: tuple[RedisServer, Maker],
) -> None:
    server, maker = fragile
    parts = await maker()
    assert parts.store.reachable
    server.freeze()
    try:
        with pytest.raises(Unavailable) as unclear:
            await parts.use.queue.enqueue("ann", cribbage(), "r1")
        assert unclear.value.reason == "store_unavailable"
        assert not parts.store.reachable
    finally:
        server.thaw()
    ticket = await enqueued(parts, "ann", "r1")
    assert await enqueued(parts, "ann", "r1") == ticket
    assert parts.store.reachable


async def test_a_store_that_refuses_writes_is_unavailable_and_the_service_is_not_ready(
    fragile: tuple[RedisServer, Maker],
) -> None:
    """In a script the refusal comes as a plain ResponseError."""
    _, maker = fragile
    parts = await maker()
    await parts.store.redis.config_set("maxmemory", 1)
    with pytest.raises(Unavailable) as unclear:
        await parts.use.queue.enqueue("ann", cribbage(), "r1")
    assert unclear.value.reason == "store_unavailable"
    assert not parts.store.reachable
    await parts.store.redis.config_set("maxmemory", 0)
    await enqueued(parts, "ann", "r1")
    assert parts.store.reachable


def test_a_promised_match_can_no_longer_be_made_when_a_lost_store_has_settled() -> None:
    settings = MatchmakingSettings()
    assert settings.settle_ms > settings.lease_ms > settings.create_ms


async def test_a_checkpoint_of_another_log_is_never_used(maker: Maker, log: JetStreamLog) -> None:
    parts = await maker()
    await until(lambda: _settled(parts))
    await parts.store.redis.hset(keys.CHECKPOINT, "created", "2020-01-01T00:00:00Z")
    with structlog.testing.capture_logs() as logs:
        other = await maker(wait=False)
        await until(lambda: any(e["event"] == "checkpoint_does_not_fit" for e in logs))
    assert not other.follower.ready
    told = next(e["why"] for e in logs if e["event"] == "checkpoint_does_not_fit")
    assert "2020-01-01" in told
    assert (await log.identity()).created in told


async def test_a_checkpoint_beyond_the_end_of_the_log_is_never_used(maker: Maker) -> None:
    parts = await maker()
    await until(lambda: _settled(parts))
    await parts.store.redis.hset(keys.CHECKPOINT, "position", "1000")
    other = await maker(wait=False)
    with structlog.testing.capture_logs() as logs:
        await until(lambda: any(e["event"] == "checkpoint_does_not_fit" for e in logs), seconds=5)
    assert not other.follower.ready


class Overtaken:
    """A tail after whose first looks another instance reads records that were stored since."""

    def __init__(self, log: JetStreamLog, other: Parts, matches: LogMatches) -> None:
        self.follow = log.follow
        self.looks = 0
        self._log = log
        self._other = other
        self._matches = matches

    async def identity(self) -> StreamIdentity:
        seen = await self._log.identity()
        self.looks += 1
        if self.looks <= 2:
            await _match(self._other, self._matches, f"ann{self.looks}", f"bob{self.looks}")
            await until(lambda: _read_beyond(self._other, seen.last_sequence))
        return seen


async def test_records_that_another_instance_reads_meanwhile_are_no_misfit(
    maker: Maker, matches: LogMatches, log: JetStreamLog, redis_url: str
) -> None:
    tail = Overtaken(log, await maker(), matches)
    with structlog.testing.capture_logs() as logs:
        async with (
            aclosing(Store(redis_url)) as store,
            running(
                store, {"": tail}, matches, WallClock(), MatchmakingSettings(), Metrics()
            ) as late,
        ):
            await until(lambda: late.follower.ready)
    assert tail.looks >= 2
    assert not [entry for entry in logs if entry["event"] == "checkpoint_does_not_fit"]


async def test_foreign_messages_in_the_log_are_skipped(
    maker: Maker, matches: LogMatches, nats: Connection, log: JetStreamLog
) -> None:
    for subject in ("match.2026-11.1.0000000000000000000000000a.open",):
        await nats.nc.publish(subject, b"\xff not a record")
        await nats.nc.publish(subject, b"\xff", headers={"Sw-Record": "1"})
    await nats.nc.flush()
    await until(lambda: _length(log, 2))
    parts = await maker()
    assert await _match(parts, matches, "ann", "bob")


async def test_two_instances_apply_each_record_once(maker: Maker, matches: LogMatches) -> None:
    one, two = await maker(), await maker()
    for n in range(30):
        match_id = await _match(one if n % 2 else two, matches, f"a{n}", f"b{n}")
        if n % 3:
            await matches.end(match_id, "finished", (0, 1))
    await until(lambda: _running(one, 10))
    open_matches = await asyncio.gather(*(two.use.overview.of(f"a{n}") for n in range(30)))
    assert [len(there.matches) for there in open_matches] == [int(n % 3 == 0) for n in range(30)]


async def _match(parts: Parts, matches: LogMatches, *players: str) -> str:
    tickets = [await enqueued(parts, player, "m") for player in players]
    match_id = (await over(parts, players[0], tickets[0])).match_id
    await until(lambda: match_id in matches.created)
    return match_id


async def _readable(parts: Parts) -> bool:
    with contextlib.suppress(SpielwerkError):
        await parts.store.whole(parts.store.redis.ping())
        return True
    return False


async def _settled(parts: Parts) -> bool:
    return bool(await parts.store.redis.hget(keys.CHECKPOINT, "settled") == "1")


async def _read_beyond(parts: Parts, sequence: int) -> bool:
    return int(await parts.store.redis.hget(keys.CHECKPOINT, "position") or 0) > sequence


async def _running(parts: Parts, count: int) -> bool:
    return bool(await parts.store.redis.hlen(keys.MATCHES) == count)


async def _length(log: JetStreamLog, count: int) -> bool:
    identity: StreamIdentity = await log.identity()
    return identity.last_sequence == count
