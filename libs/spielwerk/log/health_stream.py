"""The stream HEALTH: signs of life of the rules processes, and the outages that these showed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from nats.aio.msg import Msg

from spielwerk.log.batch_get import direct_get
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.side_streams import open_side_stream
from spielwerk.log.wire_headers import header_block
from spielwerk.match.model import Outage

STREAM: Final = "HEALTH"
BEAT: Final = "health.beat"
OUTAGE: Final = "health.outage"

_SUBJECTS: Final = "health.>"
# What the broker itself sends to a subject (an answer, a message of another stream) has none of it.
_MARK: Final = "Sw-Sign"
_MARKED: Final = header_block({_MARK: "1"})
_KEPT: Final = 10_000
_TIMEOUT_S: Final = 2.0
_CONFIGURATION: Final[dict[str, Any]] = {
    "name": STREAM,
    "subjects": [_SUBJECTS],
    "storage": "file",
    "retention": "limits",
    "discard": "old",
    "max_msgs_per_subject": _KEPT,
    "allow_direct": True,
    "deny_delete": True,
    "deny_purge": True,
}


@dataclass(frozen=True, slots=True)
class Sign:
    """One message of the stream: a beat and when it was stored by the broker's clock, or an outage
    that a process wrote down; neither, if it is not ours."""

    sequence: int
    beat_ms: int | None = None
    outage: Outage | None = None


class HealthStream:
    """Writes and reads signs; Unavailable whenever the broker does not answer in time."""

    def __init__(self, connection: Connection, replicas: int) -> None:
        self._connection = connection
        self._inbox = connection.inbox
        self._replicas = replicas

    async def open(self) -> None:
        """Make the stream if there is none."""
        await open_side_stream(self._connection, _CONFIGURATION, self._replicas)

    async def beat(self) -> int:
        """Leave a sign of life; returns its sequence once it is stored."""
        return await self._publish(BEAT, b"")

    async def write_down(self, outage: Outage) -> None:
        """Keep an outage for longer than the beats that showed it; twice does no harm."""
        await self._publish(OUTAGE, json.dumps(asdict(outage)).encode())

    async def read(self, after: int) -> list[Sign]:
        """The signs behind a sequence, up to a thousand of them, as far as the replica that answers
        has them."""
        batch = _Batch(asyncio.get_running_loop().create_future())
        await direct_get(self._connection, STREAM, _SUBJECTS, after + 1, batch, _TIMEOUT_S)
        return batch.signs

    async def _publish(self, to: str, data: bytes) -> int:
        until = asyncio.get_running_loop().time() + _TIMEOUT_S
        message = await self._inbox.request(to, data, headers=_MARKED, until=until)
        if message is None:
            raise unavailable(f"no answer to {to}")
        if not message.data:  # status 503: nobody leads the stream, or it is gone
            await self.open()
            raise unavailable(f"no stream took {to}")
        answer = json.loads(message.data)
        if "error" in answer:
            raise unavailable(answer["error"].get("description"))
        return int(answer["seq"])


@dataclass(slots=True)
class _Batch:
    """One answer to a batched direct get: messages, then a status without a sequence."""

    end: asyncio.Future[None]
    signs: list[Sign] = field(default_factory=list)

    def take(self, message: Msg | None) -> None:
        if self.end.done():
            return
        headers = (message.headers if message else None) or {}
        if message is None or "Nats-Sequence" not in headers or not self._follows(headers):
            self.end.set_result(None)
            return
        self.signs.append(_sign(headers, message.data))

    def _follows(self, headers: Mapping[str, str]) -> bool:
        """Whether none was lost on the way; what came before is good in any case."""
        previous = self.signs[-1].sequence if self.signs else 0
        return int(headers["Nats-Last-Sequence"]) == previous


def _sign(headers: Mapping[str, str], data: bytes) -> Sign:
    sequence, subject = int(headers["Nats-Sequence"]), headers["Nats-Subject"]
    if headers.get(_MARK) != "1":
        return Sign(sequence)
    if subject == BEAT and not data:
        at = datetime.fromisoformat(headers["Nats-Time-Stamp"])
        return Sign(sequence, beat_ms=int(at.timestamp() * 1000))
    if subject == OUTAGE:
        return Sign(sequence, outage=_outage(data))
    return Sign(sequence)


def _outage(data: bytes) -> Outage | None:
    try:
        written = json.loads(data)
        return Outage(int(written["from_ms"]), int(written["until_ms"]))
    except (ValueError, TypeError, KeyError):
        return None
