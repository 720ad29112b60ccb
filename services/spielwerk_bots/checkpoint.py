"""The position in the log with the turns open there, kept in Redis to shorten a start.

It is a convenience: without Redis, or if it does not fit the log, reading begins at the beginning.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from spielwerk.log.port import StreamIdentity
from spielwerk.telemetry.logs import get_logger
from spielwerk_bots.turns import BotTurn

_KEY: Final = "sw:{bots}:checkpoint"

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything up to `position` of the stream (created at that time) is folded into `turns`."""

    stream: str
    created: str
    position: int
    turns: tuple[BotTurn, ...]


class Checkpoints:
    """Loads and saves; a Redis that does not answer is only logged."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def load(self, stream: StreamIdentity) -> Checkpoint:
        """The checkpoint of this stream, or its beginning."""
        beginning = Checkpoint(stream.name, stream.created, 0, ())
        try:
            stored = await self._redis.get(_KEY)
            known = _read(str(stored)) if stored else beginning
        except (RedisError, OSError, ValueError, TypeError, KeyError) as error:
            _log.warning("checkpoint_not_read", why=type(error).__name__)
            return beginning
        same = (known.stream, known.created) == (stream.name, stream.created)
        if same and known.position <= stream.last_sequence:
            return known
        _log.warning("checkpoint_does_not_fit", position=known.position, stream=known.stream)
        return beginning

    async def save(self, checkpoint: Checkpoint) -> None:
        """Replace the stored one; several instances may, each one is right by itself."""
        text = {
            "stream": checkpoint.stream,
            "created": checkpoint.created,
            "position": checkpoint.position,
            "turns": [astuple(turn) for turn in checkpoint.turns],
        }
        try:
            await self._redis.set(_KEY, json.dumps(text, separators=(",", ":")))
        except (RedisError, OSError) as error:
            _log.warning("checkpoint_not_kept", why=type(error).__name__)


@asynccontextmanager
async def checkpoints(url: str) -> AsyncIterator[Checkpoints]:
    """A store that is connected when it is needed."""
    redis: Redis = Redis.from_url(
        url, decode_responses=True, socket_timeout=2, socket_connect_timeout=2, protocol=2
    )
    try:
        yield Checkpoints(redis)
    finally:
        await redis.aclose()


def _read(text: str) -> Checkpoint:
    known: dict[str, Any] = json.loads(text)
    turns = tuple(BotTurn(*fields) for fields in known["turns"])
    return Checkpoint(known["stream"], known["created"], int(known["position"]), turns)
