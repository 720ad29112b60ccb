"""Layers around gRPC handlers: one coroutine shape for all four kinds, wrapped once a method."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc

from spielwerk.errors import ResourceExhausted

Context = grpc.aio.ServicerContext[Any, Any]
Behaviour = Callable[[Any, Context], Awaitable[Any]]
"""(request or its iterator, context) -> response; streams write to the context and return None."""


@dataclass(frozen=True, slots=True)
class Method:
    """What a layer may know when it wraps a method."""

    name: str
    """Full name, e.g. `/spielwerk.api.v1.MatchService/Submit`."""
    streams: bool
    """Whether it answers with a stream."""
    takes_stream: bool = False
    """Whether it is asked with a stream."""


Layer = Callable[[Method, Behaviour], Behaviour]


class Layers(grpc.aio.ServerInterceptor):
    """The only interceptor: applies layers, outermost first, and counts the calls in flight.

    gRPC thinks an aborted call ended while its handler still cleans up; `idle` knows better.
    """

    def __init__(self, *layers: Layer, write_s: float) -> None:
        self._layers = layers
        self._write_s = write_s
        self._wrapped: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        self._active = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """The wrapped handler; None for methods that nobody serves."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        name = handler_call_details.method
        known = self._wrapped.get(name)
        if known is None:
            known = self._wrapped[name] = self._wrap(name, handler)
        return known

    async def idle(self, timeout: float) -> bool:
        """Wait until no handler runs; False when `timeout` seconds were not enough."""
        try:
            await asyncio.wait_for(self._idle.wait(), timeout)
        except TimeoutError:
            return False
        return True

    def _wrap(
        self, name: str, handler: grpc.RpcMethodHandler[Any, Any]
    ) -> grpc.RpcMethodHandler[Any, Any]:
        method = Method(name, bool(handler.response_streaming), bool(handler.request_streaming))
        behaviour = _plain(_function(handler), self._write_s)
        for layer in reversed(self._layers):
            behaviour = layer(method, behaviour)
        return _handler_like(handler, self._counted(behaviour))

    def _counted(self, behaviour: Behaviour) -> Behaviour:
        async def counted(request: Any, context: Context) -> Any:
            self._active += 1
            self._idle.clear()
            try:
                return await behaviour(request, context)
            finally:
                self._active -= 1
                if not self._active:
                    self._idle.set()

        return counted


def _plain(function: Callable[[Any, Context], Any], write_s: float) -> Behaviour:
    """Async generators become coroutines that write to the context and always close.

    A write to a reader that stalls never returns: after `write_s` its stream is ended with
    RESOURCE_EXHAUSTED slow_reader, which it gets when it reads on.
    """
    if not inspect.isasyncgenfunction(function):
        return function

    async def written(request: Any, context: Context) -> None:
        try:
            async with aclosing(function(request, context)) as responses:
                async for response in responses:
                    await _write(context, response, write_s)
        except _Stalled as stalled:
            # No status can pass a write that is not taken: all else is freed, the status waits.
            await stalled.writing
            raise ResourceExhausted("slow_reader", "read faster or resume") from None

    return written


class _Stalled(Exception):
    def __init__(self, writing: asyncio.Future[None]) -> None:
        super().__init__("the reader takes nothing")
        self.writing = writing


async def _write(context: Context, response: Any, write_s: float) -> None:
    writing = asyncio.ensure_future(context.write(response))
    try:
        done, _ = await asyncio.wait({writing}, timeout=write_s)
    except asyncio.CancelledError:
        if not writing.cancel() and not writing.cancelled():
            writing.exception()  # of no interest any more
        raise
    if not done:
        raise _Stalled(writing)
    writing.result()


def _function(handler: Any) -> Callable[[Any, Context], Any]:
    kinds = (handler.unary_unary, handler.unary_stream, handler.stream_unary, handler.stream_stream)
    function: Callable[[Any, Context], Any] = next(kind for kind in kinds if kind is not None)
    return function


def _handler_like(handler: Any, behaviour: Behaviour) -> grpc.RpcMethodHandler[Any, Any]:
    make: Any = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }[bool(handler.request_streaming), bool(handler.response_streaming)]
    made: grpc.RpcMethodHandler[Any, Any] = make(
        behaviour,
        request_deserializer=handler.request_deserializer,
        response_serializer=handler.response_serializer,
    )
    return made
