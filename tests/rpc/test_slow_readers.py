"""GR-03: a client that stops reading does not hold the server's memory for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from spielwerk.api.v1 import match_pb2
from spielwerk.rpc.errors import error_of

from .conftest import Matches, Serve


async def test_gr_03_a_reader_that_stalls_is_ended_and_told_when_it_reads_on(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = asyncio.Event()

    async def endless(_self: Any, _request: Any, _context: Any) -> AsyncIterator[Any]:
        """64 kB each without end: gRPC's own buffers are full after a few megabytes."""
        event = match_pb2.MatchEvent(aborted=match_pb2.Aborted(reason="x" * 65_000))
        update = match_pb2.MatchUpdate(version=1, events=[event])
        try:
            while True:
                yield match_pb2.WatchResponse(update=update)
        finally:
            closed.set()

    monkeypatch.setattr(Matches, "Watch", endless)
    async with serve(write_s=0.5) as running:
        call = running.stub().Watch(match_pb2.WatchRequest(), metadata=running.metadata())
        assert (await call.read()).update.version == 1
        await asyncio.wait_for(closed.wait(), 20)
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await asyncio.wait_for(drained(call), 20)
        assert ended.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert error_of(ended.value).reason == "slow_reader"


async def drained(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass
