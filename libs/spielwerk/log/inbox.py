"""One wildcard subscription for the answers to everything that a process asks of the log.

The client library's `request` makes a token, a task and a timer for each question and does not
notice a lost connection; this one carries twice as many appends a second and fails at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from spielwerk.errors import Unavailable

Handler = Callable[[Msg | None], None]
"""Called with each answer, and with None when the connection is lost."""


def unavailable(why: object = "") -> Unavailable:
    """The broker cannot be asked; nothing was stored."""
    return Unavailable("log_unavailable", str(why) or "the event log cannot be reached")


class Inbox:
    """Hands out reply subjects; a handler stays until it is forgotten."""

    def __init__(self, nc: Client) -> None:
        self._nc = nc
        self._handlers: dict[str, Handler] = {}
        self._numbers = count()
        self._prefix = ""
        self._opening = asyncio.Lock()

    async def request(
        self,
        to: str,
        payload: bytes,
        *,
        until: float,
        headers: Any = None,
        again_s: float | None = None,
    ) -> Msg | None:
        """The answer; None if it did not come until then (loop time) or the connection was lost.

        `headers` as a mapping or as a ready block (`header_block`). With `again_s` the question is
        sent again that often, and any answer counts. Unavailable if it was certainly not sent.
        """
        if not self._prefix or not self._nc.is_connected:
            await self.open()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Msg | None] = loop.create_future()

        def answered(message: Msg | None) -> None:
            if not future.done():
                future.set_result(message)

        reply = self.expect(answered)
        timer = loop.call_at(until, answered, None)
        try:
            await self._nc.publish(to, payload, reply=reply, headers=headers)
            while again_s is not None and not (await asyncio.wait({future}, timeout=again_s))[0]:
                await self._nc.publish(to, payload, reply=reply, headers=headers)
            return await future
        except (nats.errors.OutboundBufferLimitError, nats.errors.ConnectionClosedError) as error:
            raise unavailable(error) from error
        finally:
            timer.cancel()
            self.forget(reply)

    async def open(self) -> None:
        """Subscribe if that has not been done; Unavailable while there is no connection."""
        if not self._nc.is_connected:
            raise unavailable()
        if self._prefix:
            return
        async with self._opening:
            if not self._prefix:
                await self._subscribe()

    def expect(self, handler: Handler) -> str:
        """A new reply subject whose messages go to the handler."""
        reply = f"{self._prefix}.{next(self._numbers)}"
        self._handlers[reply] = handler
        return reply

    def forget(self, reply: str) -> None:
        """Answers that still come are dropped."""
        self._handlers.pop(reply, None)

    def lost(self) -> None:
        """No answer to what was asked before comes any more."""
        for handler in tuple(self._handlers.values()):
            handler(None)

    async def _subscribe(self) -> None:
        prefix = self._nc.new_inbox()
        try:
            # No limits here: they would drop answers; what is asked for is bounded by the asker.
            await self._nc.subscribe(
                f"{prefix}.*", cb=self._deliver, pending_msgs_limit=0, pending_bytes_limit=0
            )
        except (nats.errors.Error, OSError) as error:
            raise unavailable(error) from error
        self._prefix = prefix

    async def _deliver(self, message: Msg) -> None:
        handler = self._handlers.get(message.subject)
        if handler:
            handler(message)
