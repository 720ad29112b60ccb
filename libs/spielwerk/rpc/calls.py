"""The outermost layer around handlers: counts and times calls, and gives each a trace."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc
from prometheus_client import Counter

from spielwerk.rpc.handlers import Behaviour, Context, Layer, Method
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import TRACE_ID, TRACEPARENT
from spielwerk.telemetry.tracing import begin as begin_trace


def telemetry_layer(metrics: Metrics) -> Layer:
    """One count a call by its code, the time of unary calls, and the number of open streams.

    A call runs in the trace that it brings, or in a new one; its answer tells which.
    """

    def layer(method: Method, behaviour: Behaviour) -> Behaviour:
        return (_stream if method.streams else _unary)(metrics, method, behaviour)

    return layer


def _unary(metrics: Metrics, method: Method, behaviour: Behaviour) -> Behaviour:
    ended = _Codes(metrics.calls, method.name)
    seconds = metrics.call_seconds.labels(method=method.name)

    async def measured(request: Any, context: Context) -> Any:
        begin = time.perf_counter()
        context.set_trailing_metadata(_traced(context))
        try:
            response = await behaviour(request, context)
        except BaseException as error:
            ended.failed(error, context)
            raise
        finally:
            seconds.observe(time.perf_counter() - begin)
        ended.ok()
        return response

    return measured


def _stream(metrics: Metrics, method: Method, behaviour: Behaviour) -> Behaviour:
    ended = _Codes(metrics.calls, method.name)
    streams = metrics.streams.labels(method=method.name)

    async def measured(request: Any, context: Context) -> Any:
        streams.inc()
        try:
            # A stream has no end to wait for.
            await context.send_initial_metadata(_traced(context))
            await behaviour(request, context)
        except BaseException as error:
            ended.failed(error, context)
            raise
        finally:
            streams.dec()
        ended.ok()

    return measured


def _traced(context: Context) -> tuple[tuple[str, str], ...]:
    """Enter the call's trace; what tells the caller of it."""
    for key, value in context.invocation_metadata() or ():
        if key == TRACEPARENT:
            return ((TRACE_ID, begin_trace(value)),)
    return ((TRACE_ID, begin_trace(None)),)


class _Codes:
    """Counters of one method by code; looking a child up costs a microsecond, so they are kept."""

    def __init__(self, calls: Counter, method: str) -> None:
        self._calls = calls
        self._method = method
        self._children: dict[str, Counter] = {}

    def ok(self) -> None:
        self._count("OK")

    def failed(self, error: BaseException, context: Context) -> None:
        if isinstance(error, grpc.aio.AbortError):
            code: Any = context.code()
            self._count(_NAMES.get(code, getattr(code, "name", "UNKNOWN")))
        elif isinstance(error, asyncio.CancelledError):
            self._count("CANCELLED")
        else:
            self._count("UNKNOWN")

    def _count(self, code: str) -> None:
        child = self._children.get(code)
        if child is None:
            child = self._children[code] = self._calls.labels(method=self._method, code=code)
        child.inc()


# The context of grpc.aio gives the code back as a number.
_NAMES = {code.value[0]: code.name for code in grpc.StatusCode}
