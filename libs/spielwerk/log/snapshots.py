"""Whole streams of the broker to files and back: records, key-value buckets, with every sequence.

The broker makes the bytes (a compressed archive of its own) and takes a consistent moment of the
stream while it is being written to. A restored stream has a new time of creation, by which every
checkpoint of before notices that it does not belong to it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final

import nats.errors
from nats.aio.msg import Msg

from spielwerk.errors import FailedPrecondition
from spielwerk.log.api import ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable

_CHUNK_BYTES: Final = 128 * 1024
_CHECK_S: Final = 600.0  # the broker reads the whole stream before it answers
_ANSWER_S: Final = 30.0
_COMPLETE: Final = "204"
_NAME_IN_USE: Final = 10130


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What belongs to a stream's archive: its configuration and state, as the broker tells them."""

    config: Mapping[str, Any]
    state: Mapping[str, Any]


async def stream_names(connection: Connection) -> list[str]:
    """All streams that this user may see, buckets (`KV_...`) among them, in order."""
    with _api_errors("the streams cannot be listed"):
        answer = await ask(connection, "STREAM.NAMES", {}, timeout=_ANSWER_S)
    return sorted(answer["streams"] or ())


async def save_stream(connection: Connection, name: str, to: IO[bytes]) -> Snapshot:
    """Write the stream's archive; its checksums are compared first.

    Unavailable if the broker refuses or falls silent: what was written is of no use then.
    """
    chunks: asyncio.Queue[Msg] = asyncio.Queue()
    inbox = connection.nc.new_inbox()
    # The broker waits for the confirmations of a few chunks: the queue stays short.
    subscription = await connection.nc.subscribe(
        inbox, cb=chunks.put, pending_msgs_limit=0, pending_bytes_limit=0
    )
    question = {
        "deliver_subject": inbox,
        "no_consumers": True,
        "chunk_size": _CHUNK_BYTES,
        "jsck": True,
    }
    try:
        with _api_errors(f"no snapshot of {name}"):
            answer = await ask(connection, f"STREAM.SNAPSHOT.{name}", question, timeout=_CHECK_S)
        while (chunk := await _next(chunks)).data:
            to.write(chunk.data)
            if chunk.reply:
                await connection.nc.publish(chunk.reply, b"")
        status = (chunk.headers or {}).get("Status", _COMPLETE)
        if status != _COMPLETE:
            raise unavailable(f"the snapshot of {name} broke off with status {status}")
    finally:
        await subscription.unsubscribe()
    return Snapshot(answer["config"], answer["state"])


async def restore_stream(connection: Connection, snapshot: Snapshot, archive: IO[bytes]) -> int:
    """Make the stream again from its archive; returns its last sequence.

    FailedPrecondition (stream_exists) if there is one of its name: nothing is ever overwritten.
    """
    name, body = snapshot.config["name"], {"config": snapshot.config, "state": snapshot.state}
    with _api_errors(f"{name} cannot be restored"):
        opened = await ask(connection, f"STREAM.RESTORE.{name}", body, timeout=_ANSWER_S)
        to = opened["deliver_subject"]
        while chunk := archive.read(_CHUNK_BYTES):
            await _handed_over(connection, to, chunk)
        await _handed_over(connection, to, b"")  # the broker builds its indexes before it answers
        info = await ask(connection, f"STREAM.INFO.{name}", None, timeout=_ANSWER_S)
    found, expected = info["state"]["last_seq"], snapshot.state["last_seq"]
    if found != expected:
        raise unavailable(f"{name} ends at {found} after the restore, not at {expected}")
    return int(found)


async def _next(chunks: asyncio.Queue[Msg]) -> Msg:
    try:
        async with asyncio.timeout(_ANSWER_S):
            return await chunks.get()
    except TimeoutError:
        raise unavailable("the broker has stopped sending the snapshot") from None


async def _handed_over(connection: Connection, to: str, chunk: bytes) -> None:
    """One piece of an archive, confirmed by the broker."""
    until = asyncio.get_running_loop().time() + (_ANSWER_S if chunk else _CHECK_S)
    answer = await connection.inbox.request(to, chunk, until=until)
    if answer is None:
        raise unavailable("the broker has stopped taking the archive")
    refusal = json.loads(answer.data).get("error") if answer.data else None
    if refusal:
        raise unavailable(f"the broker refused the archive: {refusal.get('description')}")


@contextmanager
def _api_errors(what: str) -> Iterator[None]:
    try:
        yield
    except ApiError as error:
        if error.code == _NAME_IN_USE:
            raise FailedPrecondition("stream_exists", f"{what}: it exists already") from error
        raise unavailable(f"{what}: {error}") from error
    except nats.errors.Error as error:
        raise unavailable(f"{what}: {error}") from error
