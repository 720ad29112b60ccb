"""Republished records of one match over core NATS, with a bound and an honest end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from spielwerk.errors import Unavailable
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.port import Stored
from spielwerk.log.subjects import every_kind
from spielwerk.log.wire_headers import written_headers

LIVE: Final = "live."
"""Prefix of the subjects that stored records are republished to."""

_WAITING_MESSAGES: Final = 1000
_WAITING_BYTES: Final = 4 * 1024 * 1024
_FLUSH_S: Final = 2


@asynccontextmanager
async def subscribed(connection: Connection, match_id: str) -> AsyncIterator[AsyncIterator[Stored]]:
    """See LiveFeed.live."""
    if not connection.connected:
        raise unavailable()
    feed = _Feed()
    forget = connection.on_loss(feed.lose)
    try:
        subscription = await _subscribe(connection, LIVE + every_kind(match_id), feed)
        try:
            yield feed
        finally:
            await _unsubscribe(subscription)
    finally:
        forget()


async def _subscribe(connection: Connection, subjects: str, feed: _Feed) -> Subscription:
    """A subscription that the broker has confirmed."""
    subscription = None
    try:
        # The feed has its own limit; the library's would drop messages without telling the feed.
        subscription = await connection.nc.subscribe(
            subjects, cb=feed.take, pending_msgs_limit=0, pending_bytes_limit=0
        )
        await connection.nc.flush(_FLUSH_S)
    except BaseException as error:
        if subscription:
            await _unsubscribe(subscription)
        if isinstance(error, nats.errors.Error | OSError):
            raise unavailable(error) from error
        raise
    return subscription


async def _unsubscribe(subscription: Subscription) -> None:
    # The connection may be gone, and the subscription with it.
    with suppress(nats.errors.Error, OSError):
        await subscription.unsubscribe()


class _Feed:
    """Messages that wait for their reader; full or disconnected, it gives up."""

    def __init__(self) -> None:
        self._waiting: deque[Stored] = deque()
        self._bytes = 0
        self._lost = False
        self._news = asyncio.Event()

    def __aiter__(self) -> AsyncIterator[Stored]:
        return self

    async def __anext__(self) -> Stored:
        while not self._waiting:
            if self._lost:
                raise Unavailable("live_lost", "live records were lost: compare with the log")
            self._news.clear()
            await self._news.wait()
        stored = self._waiting.popleft()
        self._bytes -= len(stored.data)
        return stored

    async def take(self, message: Msg) -> None:
        if self._lost:
            return
        headers = message.headers or {}
        sequence = headers.get("Nats-Sequence", "")
        if not sequence.isdecimal():  # nobody but the broker should publish here
            return
        subject = message.subject.removeprefix(LIVE)
        self._waiting.append(Stored(int(sequence), subject, written_headers(headers), message.data))
        self._bytes += len(message.data)
        if len(self._waiting) > _WAITING_MESSAGES or self._bytes > _WAITING_BYTES:
            self.lose()
        self._news.set()

    def lose(self) -> None:
        """What waits is still delivered; then the reader learns of the loss."""
        self._lost = True
        self._news.set()
