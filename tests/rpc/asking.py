"""Calls of a host that limits its callers, and what they are answered."""

from __future__ import annotations

from typing import Any

import grpc

from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import SpielwerkError
from spielwerk.rpc.errors import error_of

from .conftest import Running

SELDOM = 0.01
JOIN, INFO, WATCH = pb.JoinRequest(), pb.GetServerInfoRequest(), pb.WatchRequest()


class Clock:
    """Seconds that stand until they are moved."""

    now = 1e6

    def __call__(self) -> float:
        return self.now


async def answer(call: Any) -> SpielwerkError | None:
    """The error of a call or of a stream's first message; None if there is none."""
    try:
        await (call.read() if hasattr(call, "read") else call)
    except grpc.aio.AioRpcError as failed:
        return error_of(failed)
    return None


def limited(running: Running, reason: str) -> float:
    return running.host.metrics.value("spielwerk_rpc_limited_total", reason=reason)
