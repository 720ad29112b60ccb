"""A log in several streams: nobody is paired before all of them are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import pytest

from matchmaking.instances import cribbage, over, until
from matchmaking.table import LogMatches, WallClock
from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.errors import FailedPrecondition, Unavailable
from spielwerk.log.headers import RecordHeaders
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Batch, Kind, StreamIdentity, Tail
from spielwerk.log.subjects import new_match_id, subject
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.parts import Parts, running
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store

SETTINGS = MatchmakingSettings(settle_ms=50, round_ms=50)


class HeldBack(MemoryLog):
    """A stream whose reading does not begin before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = asyncio.Event()

    async def follow(
        self, kinds: Sequence[Kind], *, after: int, headers_only: bool
    ) -> AsyncIterator[Batch]:
        await self.let_go.wait()
        async for batch in super().follow(kinds, after=after, headers_only=headers_only):
            yield batch


class BegunLater(MemoryLog):
    """A stream that cannot be looked at before it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = asyncio.Event()

    async def identity(self) -> StreamIdentity:
        await self.begin.wait()
        return await super().identity()


async def test_nobody_is_paired_before_every_stream_is_read(
    redis_url: str, log: JetStreamLog, matches: LogMatches
) -> None:
    slow = HeldBack()
    for number in range(3):
        slow.put(subject(new_match_id(number, b"0123456789"), Kind.OPEN), b"foreign", {})
    tails: dict[str, Tail] = {":A": log, ":B": slow}
    async with (
        aclosing(Store(redis_url)) as store,
        running(store, tails, matches, WallClock(), SETTINGS, Metrics()) as parts,
    ):

        async def is_read() -> bool:
            return bool(await store.redis.hget(keys.CHECKPOINT, "read:A"))

        await until(is_read)
        with pytest.raises(Unavailable):
            await parts.use.queue.enqueue("ann", cribbage(), "r1")
        assert not parts.follower.ready
        slow.let_go.set()
        await until(lambda: parts.follower.ready)
        tickets = {
            player: await parts.use.queue.enqueue(player, cribbage(), "r1")
            for player in ("ann", "bob")
        }
        ended = [await over(parts, player, ticket) for player, ticket in tickets.items()]
        assert [ticket.state for ticket in ended] == ["matched", "matched"]
        known = await store.redis.hgetall(keys.CHECKPOINT)
    assert (known["position:B"], known["stream:B"]) == ("3", "MEMORY")
    assert known["stream:A"] == (await log.identity()).name


async def test_mm_01_an_end_of_long_ago_does_not_free_a_player_whose_match_runs(
    redis_url: str, matches: LogMatches
) -> None:
    """After a loss of the store the streams are read beside each other, the older one last."""
    old, new = HeldBack(), MemoryLog()
    over, runs = (new_match_id(number, b"0123456789") for number in range(2))
    for stream, match_id, kinds in ((old, over, (Kind.OPEN, Kind.END)), (new, runs, (Kind.OPEN,))):
        for kind in kinds:
            stream.put(subject(match_id, kind), *_message(match_id, kind))
    tails: dict[str, Tail] = {":A": old, ":B": new}
    async with (
        aclosing(Store(redis_url)) as store,
        running(store, tails, matches, WallClock(), SETTINGS, Metrics()) as parts,
    ):
        await until(lambda: _known(store, "ann", runs))
        old.let_go.set()
        await until(lambda: parts.follower.ready)
        with pytest.raises(FailedPrecondition) as refused:
            await parts.use.queue.enqueue("ann", cribbage(), "r1")
    assert refused.value.metadata == {"match_id": runs}


async def test_a_quiet_stream_that_is_read_before_the_store_has_settled_counts_as_read(
    redis_url: str, matches: LogMatches
) -> None:
    """Else nobody would be paired until something is stored in that stream."""
    quiet, other = HeldBack(), BegunLater()
    other.put(subject(new_match_id(0, b"0123456789"), Kind.OPEN), b"foreign", {})
    tails: dict[str, Tail] = {":A": quiet, ":B": other}
    settings = MatchmakingSettings(settle_ms=500, round_ms=50)
    async with (
        aclosing(Store(redis_url)) as store,
        running(store, tails, matches, WallClock(), settings, Metrics()) as parts,
    ):
        await until(lambda: store.redis.hexists(keys.CHECKPOINT, "begun:A"))
        other.begin.set()
        await until(lambda: store.redis.hexists(keys.CHECKPOINT, "begun:B"))
        quiet.let_go.set()
        await until(lambda: _takes_tickets(parts), seconds=20)


async def _takes_tickets(parts: Parts) -> bool:
    try:
        return bool(await parts.use.queue.enqueue("ann", cribbage(), "r1"))
    except Unavailable:
        return False


async def _known(store: Store, player: str, match_id: str) -> bool:
    return bool(await store.redis.hget(keys.BUSY, player) == match_id)


def _message(match_id: str, kind: Kind) -> tuple[bytes, dict[str, str]]:
    """A queue match of ann and bob, opened or over."""
    occupants = [match_pb2.Occupant(human=match_pb2.Human(player_id=p)) for p in ("ann", "bob")]
    event = match_pb2.MatchEvent()
    about = event.opened if kind is Kind.OPEN else event.ended
    about.game, about.origin = "cribbage", match_pb2.ORIGIN_QUEUE
    about.occupants.extend(occupants)
    version = 1 if kind is Kind.OPEN else 2
    record = record_pb2.Record(match_id=match_id, version=version, events=[event])
    headers = RecordHeaders("cribbage", version, 1, ()).write()
    return record.SerializeToString(), headers
