"""Exceptions of handlers become statuses, and come back as the same errors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from spielwerk.api.v1 import match_pb2
from spielwerk.errors import (
    AlreadyExists,
    BadOptions,
    FailedPrecondition,
    Illegal,
    InvalidArgument,
    MatchDamaged,
    NotFound,
    PermissionDenied,
    Refused,
    ResourceExhausted,
    SpielwerkError,
    StaleTurn,
    Unauthenticated,
    Unavailable,
    Unclear,
)
from spielwerk.rpc.errors import error_of, refusal_of

from .conftest import Running

Code = grpc.StatusCode

TABLE = [
    (InvalidArgument("bad_entropy"), Code.INVALID_ARGUMENT, InvalidArgument),
    (BadOptions("target", "too high"), Code.INVALID_ARGUMENT, BadOptions),
    (FailedPrecondition("match_over"), Code.FAILED_PRECONDITION, FailedPrecondition),
    (Illegal("not_your_turn", "wait"), Code.FAILED_PRECONDITION, FailedPrecondition),
    (StaleTurn("a", "b"), Code.FAILED_PRECONDITION, StaleTurn),
    (PermissionDenied("no_such_match"), Code.PERMISSION_DENIED, PermissionDenied),
    (Unauthenticated("bad_device_secret"), Code.UNAUTHENTICATED, Unauthenticated),
    (NotFound("game_unknown", game="chess"), Code.NOT_FOUND, NotFound),
    (AlreadyExists("command_id_reused"), Code.ALREADY_EXISTS, AlreadyExists),
    (
        ResourceExhausted("slow_reader", retry_after=1.5, resume_after_version="7"),
        Code.RESOURCE_EXHAUSTED,
        ResourceExhausted,
    ),
    (Unavailable("busy", retry_after=0.05), Code.UNAVAILABLE, Unavailable),
    (Unavailable("draining"), Code.UNAVAILABLE, Unavailable),
]
BUGS = [
    (KeyError("s3cret"), "internal"),
    (RuntimeError("/etc/secret/path"), "internal"),
    (NotImplementedError("later"), "internal"),
    (TimeoutError("nats://10.0.0.7"), "internal"),
    (MatchDamaged("m1", 3, "hash of s3cret"), "match_frozen"),
]


def raising(error: Exception) -> Any:
    async def action(_request: Any) -> None:
        raise error

    return action


async def finished(call: Any) -> None:
    if not hasattr(call, "__aiter__"):
        await call
        return
    async for _ in call:
        pass


async def failed(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await finished(call)
    return caught.value


async def call_each_kind(running: Running) -> list[grpc.aio.AioRpcError]:
    stub, metadata = running.stub(), running.metadata()
    requests = iter([match_pb2.PlayRequest()])
    return [
        await failed(stub.Join(match_pb2.JoinRequest(), metadata=metadata)),
        await failed(stub.Watch(match_pb2.WatchRequest(), metadata=metadata)),
        await failed(stub.Play(requests, metadata=metadata)),
    ]


@pytest.mark.parametrize(("error", "code", "kind"), TABLE, ids=lambda value: str(value)[:24])
async def test_an_error_of_ours_keeps_class_reason_message_and_facts(
    running: Running, error: SpielwerkError, code: Code, kind: type[SpielwerkError]
) -> None:
    running.matches.action = raising(error)
    for answer in await call_each_kind(running):
        assert answer.code() is code
        back = error_of(answer)
        assert type(back) is kind
        assert (back.reason, back.message, back.metadata) == (
            error.reason,
            error.message,
            error.metadata,
        )
        assert getattr(back, "retry_after", None) == getattr(error, "retry_after", None)


@pytest.mark.parametrize(("error", "code", "kind"), TABLE, ids=lambda value: str(value)[:24])
def test_a_refusal_in_a_stream_says_the_same_as_a_status(
    error: SpielwerkError, code: Code, kind: type[SpielwerkError]
) -> None:
    refusal = refusal_of(error)
    assert refusal.code == code.value[0]
    back = error_of(refusal)
    assert type(back) is kind
    assert (back.reason, back.message, back.metadata) == (
        error.reason,
        error.message,
        error.metadata,
    )
    assert getattr(back, "retry_after", None) == getattr(error, "retry_after", None)


@pytest.mark.parametrize(("error", "reason"), BUGS, ids=lambda value: type(value).__name__)
async def test_a_bug_answers_internal_and_tells_nothing(
    running: Running, error: Exception, reason: str
) -> None:
    running.matches.action = raising(error)
    for answer in await call_each_kind(running):
        assert answer.code() is Code.INTERNAL
        back = error_of(answer)
        assert (type(back), back.reason, back.metadata) == (Unclear, reason, {})
        shown = f"{answer.details()} {answer.trailing_metadata()}"
        assert "s3cret" not in shown
        assert "secret" not in shown
        assert "10.0.0.7" not in shown


@pytest.mark.parametrize(("error", "reason"), BUGS, ids=lambda value: type(value).__name__)
def test_a_bug_in_a_stream_tells_nothing_either(error: Exception, reason: str) -> None:
    refusal = refusal_of(error)
    assert (refusal.code, refusal.reason) == (13, reason)
    assert "s3cret" not in str(refusal)


async def test_details_are_a_google_rpc_status_with_our_domain(running: Running) -> None:
    running.matches.action = raising(ResourceExhausted("too_many", retry_after=2, limit="5"))
    call = running.stub().Join(match_pb2.JoinRequest(), metadata=running.metadata())
    await failed(call)
    status = await rpc_status.aio.from_call(call)
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(retry)
    assert (info.domain, info.reason, dict(info.metadata)) == (
        "spielwerk",
        "too_many",
        {"limit": "5"},
    )
    assert retry.retry_delay.seconds == 2


async def test_a_long_text_is_cut_so_that_the_status_arrives(running: Running) -> None:
    error = InvalidArgument("bad_name", "ä" * 100_000, name="🂡" * 100_000)
    running.matches.action = raising(error)
    call = running.stub().Join(match_pb2.JoinRequest(), metadata=running.metadata())
    back = error_of(await failed(call))
    assert (type(back), back.reason, back.message) == (InvalidArgument, "bad_name", "ä" * 250)
    assert back.metadata == {"name": "🂡" * 125}


@pytest.mark.parametrize("facts", range(6))
async def test_the_longest_status_arrives_at_a_client_that_is_not_configured(
    running: Running, facts: int
) -> None:
    metadata = {f"a_fact_{n}": "🂡%\n" * 10_000 for n in range(facts)}
    running.matches.action = raising(
        ResourceExhausted("too_many", "🂡" * 2_000, retry_after=1, **metadata)
    )
    for answer in await call_each_kind(running):
        back = error_of(answer)
        assert (type(back), back.reason, back.message) == (
            ResourceExhausted,
            "too_many",
            "🂡" * 125,
        )
        assert set(back.metadata) == set(metadata)
        trailers = answer.trailing_metadata() or ()
        assert sum(len(key) + len(value) for key, value in trailers) < 3_000
        told = sum(len(value.encode()) for value in back.metadata.values())
        assert 0 < told <= 1_500 if facts else told == 0


def test_a_cut_text_is_cut_between_characters_in_a_stream_too() -> None:
    refusal = refusal_of(InvalidArgument("bad_name", "a" + "🂡" * 200, name="a" + "🂡" * 200))
    assert refusal.message == refusal.metadata["name"] == "a" + "🂡" * 124


def test_half_a_character_does_not_hide_an_error() -> None:
    assert refusal_of(InvalidArgument("bad_name", "a\ud800b")).message == "a?b"


async def test_a_method_that_a_servicer_does_not_have_is_unimplemented(running: Running) -> None:
    call = running.stub().ListGames(match_pb2.ListGamesRequest())
    answer = await failed(call)
    assert answer.code() is Code.UNIMPLEMENTED
    assert type(error_of(answer)) is Refused


async def test_a_method_that_nobody_serves_is_unimplemented(running: Running) -> None:
    call: Any = running.channel().unary_unary("/spielwerk.api.v1.MatchService/Cheat")
    assert (await failed(call(b""))).code() is Code.UNIMPLEMENTED


async def test_calls_that_end_without_an_answer_are_unclear(running: Running) -> None:
    async def never(_request: Any) -> None:
        await asyncio.Event().wait()

    running.matches.action = never
    stub, metadata = running.stub(), running.metadata()
    late = await failed(stub.Join(match_pb2.JoinRequest(), metadata=metadata, timeout=0.05))
    assert (type(error_of(late)), error_of(late).reason) == (Unclear, "deadline_exceeded")


CALLS: list[Callable[[Any, Any], Any]] = [
    lambda stub, metadata: stub.Join(match_pb2.JoinRequest(), metadata=metadata),
    lambda stub, metadata: stub.Watch(match_pb2.WatchRequest(), metadata=metadata),
    lambda stub, metadata: stub.Play(iter([match_pb2.PlayRequest()]), metadata=metadata),
]


@pytest.mark.parametrize("begin", CALLS, ids=["unary", "generator", "writer"])
async def test_a_cancelled_call_cancels_its_handler(
    running: Running, begin: Callable[[Any, Any], Any]
) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(_request: Any) -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    running.matches.action = wait
    call = begin(running.stub(), running.metadata())
    reading = asyncio.ensure_future(finished(call))
    await asyncio.wait_for(begun.wait(), 5)
    assert not ended.is_set()
    call.cancel()
    await asyncio.wait_for(ended.wait(), 5)
    await asyncio.wait({reading})
    assert reading.cancelled()
