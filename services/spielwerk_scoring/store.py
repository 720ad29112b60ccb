"""The rankings' place in Redis: checkpoints, totals, and writes that happen once or not at all."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from typing import Any, TypeAlias

from redis.asyncio import Redis

from spielwerk.log.forgotten import Position
from spielwerk.rankings.totals import Total, read_total
from spielwerk_scoring.keys import DELETIONS, FORGOTTEN, GENERATIONS, LIVE, Generation

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
        self._touch = redis.register_script(script("touch"))

    async def live(self) -> Generation | None:
        """The generation that is read; None before the first build and after a loss."""
        name = await self.redis.get(LIVE)
        return Generation(str(name)) if name else None

    async def checkpoint(self, generation: Generation, tag: str = "") -> Checkpoint | None:
        """Where the generation stands in a stream; None if it is gone."""
        return _checkpoint(await awaited(self.redis.hgetall(generation.checkpoint)), tag)

    async def lost(self, generation: Generation) -> bool:
        """Whether the generation is live, although it is gone."""
        async with self.redis.pipeline(transaction=True) as pipe:
            pipe.get(LIVE)
            pipe.exists(generation.checkpoint)
            live, there = await pipe.execute()
        return live == generation.name and not there

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

    async def players(self, generation: Generation, boards: Sequence[str]) -> Sequence[int]:
        """How many players have a rank on each of the boards; nothing if the generation is gone."""
        async with self.redis.pipeline(transaction=True) as pipe:
            pipe.exists(generation.checkpoint)
            for board in boards:
                pipe.zcard(generation.order(board))
            there, *numbers = await pipe.execute()
        return numbers if there else ()

    async def touch(self, generation: Generation) -> bool:
        """Refuse all writes that were computed before; False if the generation is gone."""
        return bool(await awaited(self._touch(keys=[generation.checkpoint])))

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
