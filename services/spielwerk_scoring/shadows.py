"""Generations that are built and replaced: each decisive step is its builder's alone, in the store.

A builder may stand still anywhere, for longer than its lease lasts, and go on beside another one.
What it has read by then may be wrong, so every script asks for the lease and the live generation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redis.asyncio import Redis

from spielwerk.log.port import StreamIdentity
from spielwerk_scoring.keys import BUILDER, GENERATIONS, LIVE, NUMBERS, Generation
from spielwerk_scoring.store import awaited, batched, script


class Shadows:
    """What `owner` may do with generations as long as it holds the builder's lease."""

    def __init__(self, redis: Redis, owner: str) -> None:
        self._redis = redis
        self._owner = owner
        self._lease = redis.register_script(script("lease"))
        self._begin = redis.register_script(script("begin"))
        self._swap = redis.register_script(script("swap"))
        self._discard = redis.register_script(script("discard"))

    async def take_lease(self, ms: int) -> bool:
        """Become the only builder for some time."""
        return bool(await self._redis.set(BUILDER, self._owner, nx=True, px=ms))

    async def keep_lease(self, ms: int) -> bool:
        """Stay the builder, or give it back with 0 ms; False if the lease ran out."""
        return bool(await awaited(self._lease(keys=[BUILDER], args=[self._owner, str(ms)])))

    async def begin(self, streams: Mapping[str, StreamIdentity], zone: str) -> Generation | None:
        """A new empty shadow for streams by their tags; None without the lease."""
        generation = Generation(str(await self._redis.incr(NUMBERS)))
        empty = {"zone": zone, "revision": "0"}
        for tag, stream in streams.items():
            empty |= {f"stream{tag}": stream.name, f"created{tag}": stream.created}
            empty |= {f"sequence{tag}": "0", f"digest{tag}": "", f"ended_at_ms{tag}": "0"}
        fields = [part for pair in empty.items() for part in pair]
        keys = [BUILDER, GENERATIONS, generation.checkpoint]
        begun = await awaited(self._begin(keys=keys, args=[self._owner, generation.name, *fields]))
        return generation if begun else None

    async def swap(self, shadow: Generation, old: Generation | None) -> bool:
        """Make a shadow live; False without the lease, if it is gone, or another one than `old` is
        live."""
        keys = [LIVE, shadow.checkpoint, (old or shadow).checkpoint, BUILDER]
        arguments = [shadow.name, old.name if old else "", self._owner]
        return bool(await awaited(self._swap(keys=keys, args=arguments)))

    async def discard(self, generation: Generation) -> bool:
        """Remove everything of a generation; may be repeated after a crash.

        False, and no more is removed, without the lease or if the generation is live. The
        checkpoint goes first: without it nobody writes to the rest or makes it live.
        """
        if not await self._remove(generation, [generation.checkpoint]):
            return False
        boards = await awaited(self._redis.smembers(generation.boards))
        for part in batched(boards, 500):
            keys = [name(board) for board in part for name in (generation.order, generation.totals)]
            if not await self._remove(generation, keys):
                return False
        return await self._remove(generation, [generation.boards], whole=True)

    async def _remove(
        self, generation: Generation, keys: Sequence[str], *, whole: bool = False
    ) -> bool:
        arguments = [self._owner, generation.name, "1" if whole else "0"]
        removed = self._discard(keys=[BUILDER, LIVE, GENERATIONS, *keys], args=arguments)
        return bool(await awaited(removed))
