"""A server between client and real server that repeats, drops and breaks what a watch brings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
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

Messages = AsyncIterator[match_pb2.WatchResponse]
Mangle = Callable[[Messages], Messages]
"""What becomes of the messages of one watch."""


class Middleman(MatchServiceServicer):
    """Takes the next of `watches` for each Watch; with none left it passes everything on."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.watches: list[Mangle] = []
        self.asked: list[match_pb2.WatchRequest] = []

    async def GetView(self, request: Any, context: Any) -> Any:
        return await self._real.GetView(request, metadata=_token(context))

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:
        self.asked.append(request)
        mangle = self.watches.pop(0) if self.watches else _as_it_is
        call = self._real.Watch(request, metadata=_token(context))
        try:
            async for message in mangle(call):
                yield message
        except (SpielwerkError, grpc.aio.AioRpcError) as failed:
            error = error_of(failed) if isinstance(failed, grpc.aio.AioRpcError) else failed
            await context.abort_with_status(rpc_status.to_status(status_of(error)))
        finally:
            call.cancel()


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
