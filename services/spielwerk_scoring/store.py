"""The rankings' place in Redis: checkpoints, totals, and writes that happen once or not at all."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from typing import Any, TypeAlias

from redis.asyncio import Redis

from spielwerk.log.forgotten import Position
from spielwerk.log.port import StreamIdentity
from spielwerk.rankings.totals import Total, read_total
from spielwerk_scoring.keys import (
    BUILDER,
    DELETIONS,
    FORGOTTEN,
    GENERATIONS,
    LIVE,
    NUMBERS,
    Generation,
)

Place: TypeAlias = tuple[str, str]
"""Board and player."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The last applied end: `sequence` in the stream of this name and creation time (0: none yet).

    `digest` tells whether the stream still holds that record. `revision` is raised by every write.
    """

    stream: str
    created: str
    zone: str
    sequence: int
    digest: str
    ended_at_ms: int
    revision: int
    tag: str = ""
    """Of the stream, where the log has several; the revision is common to them."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was stored at one moment: nothing of it can be older or newer than the checkpoint."""

    checkpoint: Checkpoint | None
    totals: Mapping[Place, Total]
    forgotten: frozenset[str]


@dataclass(frozen=True, slots=True)
class Change:
    """A player's new total; members are the names in the board's order, empty where unranked."""

    board: str
    player_id: str
    old_member: str
    new_member: str
    total: str


class Store:
    """Reads and writes generations of rankings; the client must decode responses."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self._apply = redis.register_script(script("apply"))
        self._swap = redis.register_script(script("swap"))
        self._begin = redis.register_script(script("begin"))
        self._touch = redis.register_script(script("touch"))
        self._lease = redis.register_script(script("lease"))

    async def live(self) -> Generation | None:
        """The generation that is read; None before the first build and after a loss."""
        name = await self.redis.get(LIVE)
        return Generation(str(name)) if name else None

    async def checkpoint(self, generation: Generation, tag: str = "") -> Checkpoint | None:
        """Where the generation stands in a stream; None if it is gone."""
        return _checkpoint(await awaited(self.redis.hgetall(generation.checkpoint)), tag)

    async def read(
        self, generation: Generation, places: Iterable[Place], tag: str = ""
    ) -> Snapshot:
        """Checkpoint of a stream and totals, of one moment."""
        by_board: dict[str, list[str]] = {}
        for board, player_id in places:
            by_board.setdefault(board, []).append(player_id)
        players = sorted({player_id for _, player_id in places_of(by_board)})
        async with self.redis.pipeline(transaction=True) as pipe:
            pipe.hgetall(generation.checkpoint)
            if players:
                pipe.smismember(FORGOTTEN, players)
            for board, names in by_board.items():
                pipe.hmget(generation.totals(board), names)
            answers: list[Any] = await pipe.execute()
        forgotten = answers[1] if players else ()
        texts = [text for answer in answers[2:] for text in answer]
        totals = {
            place: read_total(text)
            for place, text in zip(places_of(by_board), texts, strict=True)
            if text is not None
        }
        gone = (player for player, known in zip(players, forgotten, strict=True) if known)
        return Snapshot(_checkpoint(answers[0], tag), totals, frozenset(gone))

    async def apply(
        self, generation: Generation, seen: Checkpoint, new: Checkpoint, changes: Sequence[Change]
    ) -> bool:
        """Write changes and checkpoint together; False if anything was written since `seen`."""
        boards = sorted({change.board for change in changes})
        number = {board: str(index) for index, board in enumerate(boards)}
        keys = [generation.checkpoint, generation.boards]
        for board in boards:
            keys += [generation.order(board), generation.totals(board)]
        arguments = [str(seen.revision), new.tag]
        arguments += [str(new.sequence), new.digest, str(new.ended_at_ms)]
        arguments += [str(len(boards)), *boards]
        for change in changes:
            arguments += [number[change.board], change.player_id]
            arguments += [change.old_member, change.new_member, change.total]
        return bool(await awaited(self._apply(keys=keys, args=arguments)))

    async def players(self, generation: Generation, board: str) -> int:
        """How many players have a rank on a board."""
        return int(await self.redis.zcard(generation.order(board)))

    async def begin(
        self, owner: str, streams: Mapping[str, StreamIdentity], zone: str
    ) -> Generation | None:
        """A new empty shadow for streams by their tags; None if `owner` does not hold the builder's
        lease."""
        generation = Generation(str(await self.redis.incr(NUMBERS)))
        empty = {"zone": zone, "revision": "0"}
        for tag, stream in streams.items():
            empty |= {f"stream{tag}": stream.name, f"created{tag}": stream.created}
            empty |= {f"sequence{tag}": "0", f"digest{tag}": "", f"ended_at_ms{tag}": "0"}
        fields = [part for pair in empty.items() for part in pair]
        keys = [BUILDER, GENERATIONS, generation.checkpoint]
        begun = await awaited(self._begin(keys=keys, args=[owner, generation.name, *fields]))
        return generation if begun else None

    async def swap(self, shadow: Generation, old: Generation | None, revision: int) -> bool:
        """Make the shadow live; False if it or the live generation changed meanwhile."""
        keys = [LIVE, shadow.checkpoint, (old or shadow).checkpoint]
        arguments = [shadow.name, old.name if old else "", str(revision)]
        return bool(await awaited(self._swap(keys=keys, args=arguments)))

    async def take_lease(self, owner: str, ms: int) -> bool:
        """Become the only builder for some time."""
        return bool(await self.redis.set(BUILDER, owner, nx=True, px=ms))

    async def keep_lease(self, owner: str, ms: int) -> bool:
        """Stay the builder, or give it back with 0 ms; False if it is somebody else's by now."""
        return bool(await awaited(self._lease(keys=[BUILDER], args=[owner, str(ms)])))

    async def touch(self, generation: Generation) -> bool:
        """Refuse all writes that were computed before; False if the generation is gone."""
        return bool(await awaited(self._touch(keys=[generation.checkpoint])))

    async def discard(self, generation: Generation) -> None:
        """Remove everything of a generation that is not live; may be repeated after a crash."""
        await self.redis.delete(generation.checkpoint)
        boards = await awaited(self.redis.smembers(generation.boards))
        for part in batched(boards, 500):
            keys = [name(board) for board in part for name in (generation.order, generation.totals)]
            await self.redis.unlink(*keys)
        await self.redis.delete(generation.boards)
        await awaited(self.redis.srem(GENERATIONS, generation.name))

    async def generations(self) -> frozenset[Generation]:
        """All that exist."""
        names = await awaited(self.redis.smembers(GENERATIONS))
        return frozenset(Generation(name) for name in names)

    async def deletions_seen(self) -> Position:
        """Up to where deleted players are on no board."""
        fields = await awaited(self.redis.hgetall(DELETIONS))
        return Position(fields["created"], int(fields["sequence"])) if fields else Position()

    async def see_deletions(self, position: Position) -> None:
        """Remember that; a lower position than the one before costs only time."""
        items = ["created", position.created, "sequence", str(position.sequence)]
        await awaited(self.redis.hset(DELETIONS, items=items))


def script(name: str) -> str:
    """The text of one of the Lua scripts."""
    return files("spielwerk_scoring").joinpath("scripts", f"{name}.lua").read_text("utf-8")


async def awaited(answer: Awaitable[Any] | Any) -> Any:
    """The answer of a command; the client's types do not tell its asynchronous form."""
    return await answer


def batched(items: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    """The items in parts of at most `size`."""
    rest = iter(items)
    while part := tuple(islice(rest, size)):
        yield part


def places_of(by_board: Mapping[str, Sequence[str]]) -> Iterable[Place]:
    """Board and player, board by board."""
    return ((board, player_id) for board, names in by_board.items() for player_id in names)


def _checkpoint(fields: Mapping[str, str], tag: str) -> Checkpoint | None:
    """A stream that was not counted at all, of another number of them, has a place that fits no
    log."""
    if "revision" not in fields:
        return None
    return Checkpoint(
        stream=fields.get(f"stream{tag}", ""),
        created=fields.get(f"created{tag}", ""),
        zone=fields["zone"],
        sequence=int(fields.get(f"sequence{tag}", "0")),
        digest=fields.get(f"digest{tag}", ""),
        ended_at_ms=int(fields.get(f"ended_at_ms{tag}", "0")),
        revision=int(fields["revision"]),
        tag=tag,
    )
