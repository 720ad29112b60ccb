"""One wildcard subscription for the answers to everything that a process asks of the log.

The client library's `request` costs a subscription token, a timer and a task each; this one is
what makes 40 000 appends a second possible where `request` manages half.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count

import nats.errors
from nats.aio.msg import Msg

from spielwerk.log.api import unavailable
from spielwerk.log.connect import Connection

Handler = Callable[[Msg | None], None]
"""Called with each answer, and with None when the connection is lost."""


class Inbox:
    """Hands out reply subjects; a handler stays until it is forgotten."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._handlers: dict[str, Handler] = {}
        self._numbers = count()
        self._prefix = ""
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        """Subscribe if that has not been done; Unavailable while there is no connection."""
        if not self._connection.connected:
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

    async def _subscribe(self) -> None:
        prefix = self._connection.nc.new_inbox()
        try:
            # No limits here: they would drop answers; what is asked for is bounded by the asker.
            await self._connection.nc.subscribe(
                f"{prefix}.*", cb=self._deliver, pending_msgs_limit=0, pending_bytes_limit=0
            )
        except (nats.errors.Error, OSError) as error:
            raise unavailable(error) from error
        self._connection.on_loss(self._lost)
        self._prefix = prefix

    async def _deliver(self, message: Msg) -> None:
        handler = self._handlers.get(message.subject)
        if handler:
            handler(message)

    def _lost(self) -> None:
        """No answer to what was asked before comes any more."""
        for handler in tuple(self._handlers.values()):
            handler(None)
