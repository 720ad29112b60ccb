"""`spielwerk repair` beside services that run: what they read anew meanwhile is read once more."""

from __future__ import annotations

from typing import Any

from redis.asyncio import Redis

from spielwerk_local.restoring import forget


class BesideAFollower(Redis):
    """As soon as its checkpoint is gone the follower begins anew, and soon has read everything."""

    async def delete(self, *names: Any) -> Any:
        gone = await super().delete(*names)
        if "sw:{mm}:checkpoint" in names and not await self.exists("began"):
            await self.set("began", 1)
            await self.hset("sw:{mm}:checkpoint", "position", "1000")
            await self.hset("sw:{mm}:busy", "ann", "a match that runs")
        return gone


async def test_no_checkpoint_outlives_what_it_stands_for(redis_url: str) -> None:
    async with BesideAFollower.from_url(redis_url, decode_responses=True) as store:
        await store.hset("sw:{mm}:checkpoint", "position", "1000")
        await store.set("sw:{timer}:checkpoint:B", "{}")
        for n in range(3000):
            await store.set(f"sw:{{mm}}:request:p{n}:r", "{}")
        await store.set("sw:{rank}:live", "g1")
        await forget(store)
        left = sorted([key async for key in store.scan_iter("sw:*")])
    assert "sw:{rank}:live" in left
    assert not [key for key in left if "checkpoint" in key]
