"""A server stream that comes back after interruptions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from types import TracebackType
from typing import Final, Generic, TypeVar

import grpc

from spielwerk.client.connection import AnyCall, Connection, NoToken
from spielwerk.client.retrying import Backoff
from spielwerk.errors import Unavailable

Item = TypeVar("Item")
Response = TypeVar("Response")

SILENCE_S: Final = 45.0
"""Servers speak at least every 15 s; after three times that a stream is dead."""


class Resumed(Generic[Response]):
    """Responses of a stream that is opened again until the server ends it.

    `start` is asked for a call each time and so tells from where to go on.
    """

    def __init__(self, connection: Connection, start: Callable[[], AnyCall]) -> None:
        self._connection = connection
        self._start = start
        self._again = False

    def reopen(self) -> None:
        """Something was lost: open the stream again after the response at hand."""
        self._again = True

    async def responses(self) -> AsyncGenerator[Response, None]:
        """All responses. Raises errors that a repeat does not cure, or when patience ends."""
        connection = self._connection
        backoff = Backoff(connection.streams)
        while True:
            token = connection.session.token()
            self._again = False
            try:
                async with (
                    connection.stream(self._start) as call,
                    aclosing(self._read(call)) as read,
                ):
                    async for response in read:
                        yield response
                        if self._again:
                            break
                        backoff.reset()
                    else:
                        return
                await backoff.pause(Unavailable("stream_gap"))
            except TimeoutError:
                await backoff.pause(Unavailable("stream_silent"))
            except grpc.aio.AioRpcError as failed:
                await connection.recover(failed, token, backoff)
            except NoToken as no_token:
                await backoff.pause(no_token)

    async def _read(self, call: AnyCall) -> AsyncGenerator[Response, None]:
        responses = aiter(call)
        while True:
            try:
                async with asyncio.timeout(SILENCE_S):
                    response = await anext(responses)
            except StopAsyncIteration:
                return
            yield response


class Following(AsyncIterator[Item]):
    """What a stream brings, for `async for`; inside `async with` its call ends with the block."""

    def __init__(self, items: AsyncGenerator[Item, None]) -> None:
        self._items = items

    async def __anext__(self) -> Item:
        return await anext(self._items)

    async def aclose(self) -> None:
        """End the call."""
        await self._items.aclose()

    async def __aenter__(self) -> Following[Item]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
