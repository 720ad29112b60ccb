"""A log in several streams: nobody is paired before all of them are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

import pytest

from matchmaking.instances import cribbage, over, until
from matchmaking.table import LogMatches, WallClock
from spielwerk.errors import Unavailable
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Batch, Kind, Tail
from spielwerk.log.subjects import new_match_id, subject
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.parts import running
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
