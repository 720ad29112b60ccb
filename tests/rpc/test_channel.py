"""Channels add the token of the moment to each kind of call."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from spielwerk.api.v1 import match_pb2, match_pb2_grpc
from spielwerk.rpc.auth import current_caller
from spielwerk.rpc.channel import open_channel

from .conftest import Running


async def test_every_kind_of_call_carries_the_token(running: Running) -> None:
    seen: list[str] = []

    async def note(_request: Any) -> None:
        seen.append(current_caller().subject)

    running.matches.action = note
    async with open_channel(running.address, lambda: running.token(subject="ada")) as channel:
        stub: Any = match_pb2_grpc.MatchServiceStub(channel)
        await stub.Join(match_pb2.JoinRequest(), timeout=5)
        async for _ in stub.Watch(match_pb2.WatchRequest()):
            pass
        async for _ in stub.Play(iter([match_pb2.PlayRequest()])):
            pass
    assert seen == ["ada", "ada", "ada"]


async def test_the_provider_is_asked_at_each_call_and_given_metadata_wins(
    running: Running,
) -> None:
    seen: list[str] = []

    async def note(_request: Any) -> None:
        seen.append(current_caller().subject)

    running.matches.action = note
    names = iter(["ada", "bob", "unused"])
    provider = lambda: running.token(subject=next(names))  # noqa: E731
    async with open_channel(running.address, provider) as channel:
        stub: Any = match_pb2_grpc.MatchServiceStub(channel)
        await stub.Join(match_pb2.JoinRequest())
        await stub.Join(match_pb2.JoinRequest(), metadata=[("x-trace", "1")])
        await stub.Join(match_pb2.JoinRequest(), metadata=running.metadata(subject="eve"))
    assert seen == ["ada", "bob", "eve"]


async def test_without_a_provider_no_token_is_sent(running: Running) -> None:
    async with open_channel(running.address) as channel:
        stub: Any = match_pb2_grpc.MatchServiceStub(channel)
        answer = await stub.GetServerInfo(match_pb2.GetServerInfoRequest())
        assert answer.version == "1"
        join = stub.Join(match_pb2.JoinRequest())
        assert await join.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_channel_comes_back_after_the_server_was_away(serve: Any) -> None:
    serving = serve()
    first = await serving.__aenter__()
    token = first.token()
    async with open_channel(first.address, lambda: token) as channel:
        stub: Any = match_pb2_grpc.MatchServiceStub(channel)
        await stub.Join(match_pb2.JoinRequest())
        await serving.__aexit__(None, None, None)
        lost = stub.Join(match_pb2.JoinRequest(), timeout=5)
        assert await lost.code() is grpc.StatusCode.UNAVAILABLE
        async with serve(listen=first.address), asyncio.timeout(10):
            answer = await stub.Join(match_pb2.JoinRequest(), wait_for_ready=True)
            assert answer.seat == 1
