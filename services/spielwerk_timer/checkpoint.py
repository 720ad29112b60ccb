"""The open turns at a position of the log, kept in Redis so that a start needs the tail only.

It is a convenience: without it the open turns are found in the log.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from spielwerk.log.headers import read_headers
from spielwerk.log.port import Stored, StreamIdentity
from spielwerk.telemetry.logs import get_logger
from spielwerk_timer.heap import Deadline

_KEY: Final = "sw:{timer}:checkpoint"
"""Of several streams each has its own, whose name follows."""

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything up to the message at `position` is folded into the open deadlines.

    `mark` tells that message from another one under the same position, in a log that was restored
    from a backup and went on differently.
    """

    stream: str
    created: str
    position: int
    mark: str
    deadlines: tuple[Deadline, ...]

    def fits(self, stream: StreamIdentity) -> bool:
        """Whether the stream is the one that was read, and reaches so far."""
        same = (self.stream, self.created) == (stream.name, stream.created)
        return same and stream.first_sequence <= self.position <= stream.last_sequence


class Checkpoints:
    """Loads and saves of one stream; a Redis that does not answer is logged and does no harm."""

    def __init__(self, redis: Redis, tag: str = "") -> None:
        self._redis = redis
        self._key = _KEY + tag

    async def load(self) -> Checkpoint | None:
        """What is stored, whether it fits the stream or not."""
        try:
            text = await self._redis.get(self._key)
            return _read(str(text)) if text else None
        except (RedisError, OSError, ValueError, TypeError, KeyError) as error:
            _log.warning("checkpoint not read", why=f"{type(error).__name__}: {error}")
            return None

    async def save(self, checkpoint: Checkpoint) -> bool:
        """Replace the stored one; each instance's is right by itself. False if Redis is away."""
        try:
            await self._redis.set(self._key, _written(checkpoint))
        except (RedisError, OSError) as error:
            _log.warning("checkpoint not kept", why=f"{type(error).__name__}: {error}")
            return False
        return True


def mark_of(message: Stored) -> str:
    """What distinguishes a message from others that might have its position."""
    headers = read_headers(message.headers)
    time_ms = headers.recorded_at_ms if headers else 0
    return f"{message.subject} {time_ms}"


def _written(checkpoint: Checkpoint) -> str:
    content = {
        "stream": checkpoint.stream,
        "created": checkpoint.created,
        "position": checkpoint.position,
        "mark": checkpoint.mark,
        "open": [[d.match_id, d.seat, d.key, d.at_ms] for d in checkpoint.deadlines],
    }
    return json.dumps(content, separators=(",", ":"))


def _read(text: str) -> Checkpoint:
    content: dict[str, Any] = json.loads(text)
    return Checkpoint(
        str(content["stream"]),
        str(content["created"]),
        int(content["position"]),
        str(content["mark"]),
        tuple(_deadlines(content["open"])),
    )


def _deadlines(rows: Iterable[Any]) -> Iterable[Deadline]:
    for match_id, seat, key, at_ms in rows:
        yield Deadline(str(match_id), int(seat), str(key), int(at_ms))
