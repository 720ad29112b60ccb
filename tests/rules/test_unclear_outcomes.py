"""ES-04 and ES-09: while the broker is silent nobody gets a wrong answer, and nobody waits long."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import pytest

from rules.conftest import ALICE, BOB, Rules
from spielwerk.api.v1 import match_pb2 as pb


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """The process stands still, as under a stopped virtual machine."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def test_es_04_a_silent_broker_leaves_the_outcome_open_and_a_repeat_finds_out(
    rules: Rules,
) -> None:
    await rules.start(command_s=1.0)
    match_id = await rules.started_match()
    alice = await rules.stub(ALICE, instance=1)
    legal = await alice.ListLegal(pb.ListLegalRequest(match_id=match_id))
    request = pb.SubmitRequest(
        match_id=match_id, command_id="c1", command=legal.commands[0], turn_key=legal.turn_key
    )
    with frozen(rules.nats_pid):
        began = time.monotonic()
        with pytest.raises(grpc.aio.AioRpcError) as unclear:
            await alice.Submit(request, timeout=60)
        waited = time.monotonic() - began
    assert unclear.value.code() is grpc.StatusCode.UNAVAILABLE
    assert waited < 30  # by itself, not by the caller's deadline
    answer = await repeated(alice, request)
    assert answer.update.version == 4
    history = await (await rules.stub(BOB)).GetHistory(pb.GetHistoryRequest(match_id=match_id))
    assert [update.version for update in history.updates] == [1, 2, 3, 4]


async def repeated(stub: object, request: pb.SubmitRequest) -> pb.SubmitResponse:
    """What a client does: the same command again until the answer is definite."""
    async with asyncio.timeout(60):
        while True:
            try:
                answer: pb.SubmitResponse = await stub.Submit(request)  # type: ignore[attr-defined]
            except grpc.aio.AioRpcError as failed:
                if failed.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                await asyncio.sleep(0.1)
            else:
                return answer
