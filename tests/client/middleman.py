"""A server between client and real server that breaks watches, falsifies and loses answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from grpc_status import rpc_status

from client.house import House
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import (
    MatchServiceServicer,
    MatchServiceStub,
    add_MatchServiceServicer_to_server,
)
from spielwerk.errors import SpielwerkError
from spielwerk.rpc.errors import error_of, status_of

Request = TypeVar("Request")
Messages = AsyncIterator[match_pb2.WatchResponse]
Mangle = Callable[[Messages], Messages]
"""What becomes of the messages of one watch."""


Falsify = Callable[[Message], None]
"""Makes another answer of the house's, in place."""


class Middleman(MatchServiceServicer):
    """Takes the next of `watches` for each Watch; with none left it passes everything on.

    `falsify` is done to every answer; so many answers of Submit and Play as `losses` get lost.
    `asked` are all requests in order.
    """

    def __init__(self, real: Any) -> None:
        self._real = real
        self.watches: list[Mangle] = []
        self.asked: list[Any] = []
        self.falsify: Falsify = _nothing
        self.losses = 0

    def requests(self, kind: type[Request]) -> list[Request]:
        """What was asked for of one kind."""
        return [request for request in self.asked if isinstance(request, kind)]

    async def GetView(self, request: Any, context: Any) -> Any:
        return await self._passed_on(self._real.GetView, request, context)

    async def GetHistory(self, request: Any, context: Any) -> Any:
        return await self._passed_on(self._real.GetHistory, request, context)

    async def Join(self, request: Any, context: Any) -> Any:
        return await self._passed_on(self._real.Join, request, context)

    async def ListLegal(self, request: Any, context: Any) -> Any:
        return await self._passed_on(self._real.ListLegal, request, context)

    async def Resign(self, request: Any, context: Any) -> Any:
        return await self._passed_on(self._real.Resign, request, context)

    async def Submit(self, request: Any, context: Any) -> Any:
        answer = await self._passed_on(self._real.Submit, request, context)
        await self._perhaps_lose(context)
        return answer

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:
        self.asked.append(request)
        mangle = self.watches.pop(0) if self.watches else _as_it_is
        call = self._real.Watch(request, metadata=_token(context))
        try:
            async for message in mangle(call):
                self.falsify(message)
                yield message
        except (SpielwerkError, grpc.aio.AioRpcError) as failed:
            error = error_of(failed) if isinstance(failed, grpc.aio.AioRpcError) else failed
            await context.abort_with_status(rpc_status.to_status(status_of(error)))
        finally:
            call.cancel()

    async def Play(self, requests: Any, context: Any) -> AsyncIterator[Any]:
        call = self._real.Play(self._noted(requests), metadata=_token(context))
        try:
            async for message in call:
                if message.outcomes:
                    await self._perhaps_lose(context)
                self.falsify(message)
                yield message
        finally:
            call.cancel()

    async def _noted(self, requests: Any) -> AsyncIterator[Any]:
        async for request in requests:
            self.asked.append(request)
            yield request

    async def _passed_on(self, method: Any, request: Any, context: Any) -> Any:
        self.asked.append(request)
        answer = await method(request, metadata=_token(context))
        self.falsify(answer)
        return answer

    async def _perhaps_lose(self, context: Any) -> None:
        if self.losses:
            self.losses -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the answer was lost")


def _nothing(_answer: Message) -> None:
    """It stays as it is."""


async def _as_it_is(messages: Messages) -> Messages:
    async for message in messages:
        yield message


def _token(context: Any) -> tuple[tuple[str, str], ...]:
    return tuple((k, v) for k, v in context.invocation_metadata() if k == "authorization")


@asynccontextmanager
async def middleman_before(house: House) -> AsyncIterator[tuple[Middleman, str]]:
    """The middleman and its address."""
    async with grpc.aio.insecure_channel(house.address) as channel:
        middleman = Middleman(MatchServiceStub(channel))  # type: ignore[abstract]
        server = grpc.aio.server()
        add_MatchServiceServicer_to_server(middleman, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield middleman, f"127.0.0.1:{port}"
        finally:
            await server.stop(0)
