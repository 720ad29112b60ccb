"""The last records of all unfinished matches, found without reading what is finished.

The broker names the subjects that it holds; a match with an `open` and without an `end` goes on. A
log of a million finished matches is so asked in seconds, when reading it would take many minutes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import nats.errors
from nats.aio.msg import Msg

from spielwerk.errors import Unavailable
from spielwerk.log.api import ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.headers import read_headers
from spielwerk.log.inbox import unavailable
from spielwerk.log.port import Kind, Stored
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import stream_identity
from spielwerk.log.subjects import every_kind, match_id_of
from spielwerk.log.wire_headers import written_headers

_MATCHES_AT_ONCE: Final = 200
_TIMEOUT_S: Final = 20.0
_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Census:
    """The last record of each unfinished match, headers only.

    What came behind `position` may be missing and is to be read from there on.
    """

    position: int
    messages: Sequence[Stored]


async def unfinished(connection: Connection, settings: LogSettings) -> Census:
    """Ask the broker; Unavailable if it does not answer."""
    identity = await stream_identity(connection, settings)
    try:
        matches = [
            match_id
            for shard in settings.shards
            for match_id in await _unfinished(connection, settings, shard)
        ]
        messages = [
            stored for part in _parts(matches) for stored in await _last(connection, settings, part)
        ]
    except (ApiError, nats.errors.Error, TimeoutError) as error:
        raise unavailable(error) from error
    return Census(identity.last_sequence, messages)


async def _unfinished(connection: Connection, settings: LogSettings, shard: int) -> set[str]:
    opened = await _matches(connection, settings, f"match.*.{shard}.*.{Kind.OPEN}")
    # Asked second: a match that ends in between is left out, and its end is read later anyway.
    ended = await _matches(connection, settings, f"match.*.{shard}.*.{Kind.END}")
    return opened - ended


async def _matches(connection: Connection, settings: LogSettings, subjects: str) -> set[str]:
    found: set[str] = set()
    offset = 0
    while True:
        body = {"subjects_filter": subjects, "offset": offset}
        verb = f"STREAM.INFO.{settings.stream}"
        answer = await ask(connection, verb, body, timeout=_TIMEOUT_S)
        page: dict[str, int] = answer["state"].get("subjects") or {}
        found.update(map(match_id_of, page))
        offset += len(page)
        if not page or offset >= answer.get("total", 0):
            return found


async def _last(
    connection: Connection, settings: LogSettings, matches: Sequence[str]
) -> Iterable[Stored]:
    """The last record of each match.

    A foreign message may hide the last record of its subject; such a match is read as a whole.
    """
    found = await _given(connection, settings, matches, "last_per_subject")
    hidden = {match_id_of(stored.subject) for stored in found if not read_headers(stored.headers)}
    newest = {match_id_of(stored.subject): stored for stored in found}
    if hidden:
        whole = await _given(connection, settings, sorted(hidden), "all")
        records = [stored for stored in whole if read_headers(stored.headers)]
        newest |= {match_id_of(stored.subject): stored for stored in records}
    return newest.values()


async def _given(
    connection: Connection, settings: LogSettings, matches: Sequence[str], policy: str
) -> list[Stored]:
    """What a consumer of these matches holds, in stream order.

    It is pulled: a consumer that pushes would need a subject in the broker's account of the log.
    """
    received: list[Msg] = []
    ended = asyncio.Event()

    async def take(message: Msg) -> None:
        if message.reply:
            received.append(message)
        if not message.reply or len(received) == expected:
            ended.set()

    inbox = connection.nc.new_inbox()
    name = inbox.rpartition(".")[2]
    expected = await _create(connection, settings, _config(name, matches, policy))
    subscription = await connection.nc.subscribe(
        inbox, cb=take, pending_msgs_limit=0, pending_bytes_limit=0
    )
    try:
        if expected:
            await _ask_for(connection, f"{settings.stream}.{name}", expected, inbox)
            async with asyncio.timeout(_TIMEOUT_S):
                await ended.wait()
    finally:
        with suppress(nats.errors.Error, Unavailable, ApiError):
            await subscription.unsubscribe()
            verb = f"CONSUMER.DELETE.{settings.stream}.{name}"
            await ask(connection, verb, None, timeout=1.0)
    if len(received) < expected:
        raise unavailable("the broker did not send all that it holds")
    return sorted(map(_stored, received), key=lambda stored: stored.sequence)


def _config(name: str, matches: Sequence[str], policy: str) -> dict[str, Any]:
    return {
        "name": name,
        "deliver_policy": policy,
        "ack_policy": "none",
        "replay_policy": "instant",
        "filter_subjects": [every_kind(match_id) for match_id in matches],
        "headers_only": True,
        "mem_storage": True,
        "num_replicas": 1,
        "inactive_threshold": 30 * _NS,
    }


async def _create(connection: Connection, settings: LogSettings, config: dict[str, Any]) -> int:
    """How many messages the new consumer holds."""
    body = {"stream_name": settings.stream, "config": config}
    verb = f"CONSUMER.CREATE.{settings.stream}.{config['name']}"
    answer = await ask(connection, verb, body, timeout=_TIMEOUT_S)
    return int(answer["num_pending"])


async def _ask_for(connection: Connection, consumer: str, count: int, inbox: str) -> None:
    """Have so many messages sent to the inbox; fewer, and a status, if they do not come in time."""
    request = {"batch": count, "expires": int(_TIMEOUT_S) * _NS}
    to = f"$JS.API.CONSUMER.MSG.NEXT.{consumer}"
    await connection.nc.publish(to, json.dumps(request).encode(), reply=inbox)


def _stored(message: Msg) -> Stored:
    sequence = message.metadata.sequence.stream
    return Stored(sequence, message.subject, written_headers(message.headers), b"")


def _parts(matches: Iterable[str]) -> Iterator[tuple[str, ...]]:
    rest = iter(matches)
    while part := tuple(islice(rest, _MATCHES_AT_ONCE)):
        yield part
