"""The outermost layer around handlers: counts and times calls."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc
from prometheus_client import Counter

from spielwerk.rpc.handlers import Behaviour, Context, Layer, Method
from spielwerk.telemetry.metrics import Metrics


def telemetry_layer(metrics: Metrics) -> Layer:
    """One count a call by its code, the time of unary calls, and the number of open streams."""

    def layer(method: Method, behaviour: Behaviour) -> Behaviour:
        return (_stream if method.streams else _unary)(metrics, method, behaviour)

    return layer


def _unary(metrics: Metrics, method: Method, behaviour: Behaviour) -> Behaviour:
    ended = _Codes(metrics.calls, method.name)
    seconds = metrics.call_seconds.labels(method=method.name)

    async def measured(request: Any, context: Context) -> Any:
        begin = time.perf_counter()
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
            await behaviour(request, context)
        except BaseException as error:
            ended.failed(error, context)
            raise
        finally:
            streams.dec()
        ended.ok()

    return measured


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
