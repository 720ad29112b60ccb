"""One ephemeral pull consumer: large batches, bounded memory, every loss noticed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import nats.errors
from nats.aio.msg import Msg

from spielwerk.errors import Unavailable
from spielwerk.log.api import ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.port import Batch, Kind, Stored
from spielwerk.log.settings import LogSettings
from spielwerk.log.wire_headers import written_headers

_NS: Final = 1_000_000_000
_BATCH: Final = 2000
_BATCH_BYTES: Final = 16 * 1024 * 1024
_WORTHWHILE: Final = 500
_PATIENCE_S: Final = 0.05
"""How long a batch below 500 messages waits for more of them that are known to come."""

_EXPIRES_S: Final = 30
_HEARTBEAT_S: Final = 1
_DEAF_S: Final = 3.0
_FORGOTTEN_S: Final = 300
_CREATE_TIMEOUT_S: Final = 30.0  # the server counts what waits: seconds in a log of millions
_AGAIN_S: Final = 2.0

_ENDS_ONE_REQUEST: Final = ("404", "408")
_ALSO_ENDS_ONE: Final = ("Exceeds MaxBytes", "Batch Completed")


class Interrupted(Exception):
    """This consumer is of no more use; continue with another one behind the last message."""


class Pull:
    """What has arrived from one consumer; `nothing_waits`: none was there when it was made."""

    def __init__(
        self, connection: Connection, to: str, inbox: str, kinds: Sequence[Kind], waiting: int
    ) -> None:
        self.nothing_waits = waiting == 0
        self._endings = tuple(f".{kind.value}" for kind in kinds)
        self._connection = connection
        self._to = to
        self._inbox = inbox
        self._arrived: list[Stored] = []
        self._position = 0
        self._next_number = 1
        self._pending = waiting
        self._asked = 0
        self._failure = ""
        self._heard = 0.0
        self._news = asyncio.Event()

    async def next(self) -> Batch:
        """What has come since the last one; or Interrupted."""
        loop = asyncio.get_running_loop()
        self._heard = loop.time()
        patient_until = None
        while True:
            self._news.clear()
            # What came before a failure is in order and may be used.
            if self._position and (self._failure or self._worthwhile):
                return self._take()
            if self._failure:
                raise Interrupted(self._failure)
            await self._ask_for_more()
            if self._position and patient_until is None:
                patient_until = loop.time() + _PATIENCE_S
            until = patient_until or self._heard + _DEAF_S
            if await self._news_until(until):
                continue
            if self._position:
                return self._take()
            if loop.time() >= self._heard + _DEAF_S:
                self.fail("no sign of life from the consumer")

    async def take(self, message: Msg) -> None:
        """Called for each message of the subscription."""
        self._heard = asyncio.get_running_loop().time()
        if message.reply:
            self._record(message)
        else:
            self._status(message.headers or {})

    def fail(self, why: str) -> None:
        """Nothing more will come from here."""
        self._failure = self._failure or why
        self._news.set()

    @property
    def _worthwhile(self) -> bool:
        return len(self._arrived) >= _WORTHWHILE or self._pending == 0

    def _take(self) -> Batch:
        batch = Batch(self._arrived, self._position, self._pending == 0, self._pending)
        self._arrived, self._position = [], 0
        return batch

    def _record(self, message: Msg) -> None:
        if self._failure:
            return
        sequence, number, pending = _position(message.reply)
        if number != self._next_number:
            self.fail(f"message {self._next_number} of the consumer is missing")
            return
        self._next_number += 1
        self._pending = pending
        self._asked -= 1
        self._position = sequence
        if message.subject.endswith(self._endings):
            headers = written_headers(message.headers)
            self._arrived.append(Stored(sequence, message.subject, headers, message.data))
        if self._worthwhile:
            self._news.set()

    def _status(self, headers: dict[str, str]) -> None:
        status, text = headers.get("Status", ""), headers.get("Description", "")
        if status == "100":
            return
        if status in _ENDS_ONE_REQUEST or any(word in text for word in _ALSO_ENDS_ONE):
            self._asked -= int(headers.get("Nats-Pending-Messages", "0"))
            self._news.set()
        else:
            self.fail(f"{status} {text}".strip())

    async def _ask_for_more(self) -> None:
        if self._asked > _BATCH // 2:
            return
        request = {
            "batch": _BATCH,
            "max_bytes": _BATCH_BYTES,
            "expires": _EXPIRES_S * _NS,
            "idle_heartbeat": _HEARTBEAT_S * _NS,
        }
        self._asked += _BATCH
        try:
            payload = json.dumps(request).encode()
            await self._connection.nc.publish(self._to, payload, reply=self._inbox)
        except nats.errors.Error as error:
            self.fail(str(error))

    async def _news_until(self, when: float) -> bool:
        """Wait for news; False if the time came first."""
        try:
            async with asyncio.timeout_at(when):
                await self._news.wait()
        except TimeoutError:
            return False
        return True


@asynccontextmanager
async def pulling(
    connection: Connection,
    settings: LogSettings,
    kinds: Sequence[Kind],
    first: int,
    headers_only: bool,
) -> AsyncIterator[Pull]:
    """A consumer from the stream sequence `first` on, deleted at the end."""
    inbox = connection.nc.new_inbox()
    name = inbox.rpartition(".")[2]
    waiting = await _create(connection, settings, name, kinds, first, headers_only)
    to = f"$JS.API.CONSUMER.MSG.NEXT.{settings.stream}.{name}"
    pull = Pull(connection, to, inbox, kinds, waiting)
    forget = connection.on_loss(lambda: pull.fail("connection lost"))
    try:
        subscription = await connection.nc.subscribe(
            inbox, cb=pull.take, pending_msgs_limit=0, pending_bytes_limit=0
        )
    except nats.errors.Error as error:
        forget()
        raise unavailable(error) from error
    try:
        yield pull
    finally:
        forget()
        with suppress(nats.errors.Error, Unavailable, ApiError):
            await subscription.unsubscribe()
            verb = f"CONSUMER.DELETE.{settings.stream}.{name}"
            await ask(connection, verb, None, timeout=1.0)


async def _create(
    connection: Connection,
    settings: LogSettings,
    name: str,
    kinds: Sequence[Kind],
    first: int,
    headers_only: bool,
) -> int:
    """How many messages wait for the new consumer."""
    config: dict[str, Any] = {
        "name": name,
        "deliver_policy": "by_start_sequence",
        "opt_start_seq": first,
        "ack_policy": "none",
        "replay_policy": "instant",
        "filter_subjects": _filters(kinds),
        "headers_only": headers_only,
        "mem_storage": True,
        "num_replicas": 1,
        "inactive_threshold": _FORGOTTEN_S * _NS,
    }
    body = {"stream_name": settings.stream, "config": config}
    verb = f"CONSUMER.CREATE.{settings.stream}.{name}"
    answer = await ask(connection, verb, body, timeout=_CREATE_TIMEOUT_S, again_s=_AGAIN_S)
    return int(answer["num_pending"])


def _filters(kinds: Sequence[Kind]) -> list[str]:
    """Several filters cost the server five times as much a message as one, so where moves are
    asked for, which are nearly everything, all is taken and the rest left out here."""
    if Kind.MOVE in kinds and len(set(kinds)) > 1:
        return ["match.*.*.*.*"]
    return [f"match.*.*.*.{kind.value}" for kind in dict.fromkeys(kinds)]


def _position(reply: str) -> tuple[int, int, int]:
    """Stream sequence, number within the consumer and messages still waiting.

    `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<number>.<time>.<waiting>`; in a domain
    two tokens follow `ACK`, and one the end.
    """
    tokens = reply.split(".")
    first = 5 if len(tokens) == 9 else 7
    return int(tokens[first]), int(tokens[first + 1]), int(tokens[first + 3])
