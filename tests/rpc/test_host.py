"""Health, reflection, limits and the drain of a host."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from spielwerk.api.v1 import account_pb2_grpc, match_pb2, match_pb2_grpc
from spielwerk.errors import Unavailable
from spielwerk.rpc import readiness
from spielwerk.rpc.errors import error_of
from spielwerk.rpc.host import Host

from .conftest import ACCOUNT, MATCH, Running, Serve

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Ask again and again, for ten seconds at most."""
    async with asyncio.timeout(10):
        while not await true():
            await asyncio.sleep(0.01)


def health(running: Running) -> Callable[[str], Awaitable[int]]:
    stub: Any = health_pb2_grpc.HealthStub(running.channel())

    async def status(service: str = "") -> int:
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        return int(answer.status)

    return status


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_PERIOD_S", 0.01)


@pytest.mark.usefixtures("_quick")
async def test_health_follows_a_check_in_both_directions(serve: Serve) -> None:
    passing = [True]
    async with serve(lambda host: host.check("broker", lambda: passing[0])) as running:
        status = health(running)
        assert [await status(""), await status(MATCH)] == [SERVING, SERVING]
        for now, expected in ((False, NOT_SERVING), (True, SERVING)) * 2:
            passing[0] = now
            await until(lambda e=expected: _is(status, "", e))  # type: ignore[misc]
            await until(lambda e=expected: _is(status, MATCH, e))  # type: ignore[misc]
            assert await status(readiness.LIVENESS) == SERVING
            assert running.host.metrics.value("spielwerk_ready", check="broker") == now


async def _is(status: Callable[[str], Awaitable[int]], service: str, expected: int) -> bool:
    return await status(service) == expected


async def test_a_host_is_not_ready_before_its_checks_pass(serve: Serve) -> None:
    async with serve(lambda host: host.check("broker", lambda: False)) as running:
        assert await health(running)("") == NOT_SERVING


async def test_a_check_that_raises_does_not_pass(serve: Serve) -> None:
    async with serve(lambda host: host.check("broken", lambda: bool(1 // 0))) as running:
        assert await health(running)(MATCH) == NOT_SERVING


async def test_a_check_of_one_part_leaves_the_services_of_the_others_ready(serve: Serve) -> None:
    def two_parts(host: Host) -> None:
        accounts = host.part()
        accounts.add(account_pb2_grpc.add_AccountServiceServicer_to_server, object_like(), ACCOUNT)
        accounts.check("store", lambda: False)

    async with serve(two_parts) as running:
        status = health(running)
        assert [await status(""), await status(ACCOUNT), await status(MATCH)] == [
            NOT_SERVING,
            NOT_SERVING,
            SERVING,
        ]


def object_like() -> Any:
    return type("Accounts", (account_pb2_grpc.AccountServiceServicer,), {})()


async def test_an_unknown_service_has_no_health(running: Running) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await health(running)("spielwerk.api.v1.Nothing")
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("version", ["v1alpha", "v1"])
async def test_reflection_lists_and_describes_the_services(running: Running, version: str) -> None:
    ask = reflection_pb2.ServerReflectionRequest
    call: Any = running.channel().stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=ask.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )(iter([ask(list_services=""), ask(file_containing_symbol=MATCH)]))
    listed, described = [answer async for answer in call]
    assert {service.name for service in listed.list_services_response.service} == {
        MATCH,
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
        "grpc.reflection.v1.ServerReflection",
    }
    files = [
        descriptor_pb2.FileDescriptorProto.FromString(text)
        for text in described.file_descriptor_response.file_descriptor_proto
    ]
    names = {service.name for file in files for service in file.service}
    assert "MatchService" in names


async def test_reflection_can_be_turned_off(serve: Serve) -> None:
    async with serve(reflection=False) as running:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(running.channel())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.ServerReflectionInfo(iter(())).read()
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_request_above_the_limit_is_refused_before_it_is_read(running: Running) -> None:
    stub, metadata = running.stub(), running.metadata()
    just_fits = match_pb2.JoinRequest(entropy=b"x" * 65_000)
    assert (await stub.Join(just_fits, metadata=metadata)).seat == 1
    for size in (65_600, 5_000_000):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Join(match_pb2.JoinRequest(entropy=b"x" * size), metadata=metadata)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_second_host_cannot_take_the_same_port(serve: Serve, running: Running) -> None:
    with pytest.raises(RuntimeError):
        await serve(listen=running.address).__aenter__()


async def test_calls_are_counted_by_method_and_code(running: Running) -> None:
    stub, value = running.stub(), running.host.metrics.value
    await stub.Join(match_pb2.JoinRequest(), metadata=running.metadata())
    with pytest.raises(grpc.aio.AioRpcError):
        await stub.Join(match_pb2.JoinRequest())
    labels = {"method": f"/{MATCH}/Join"}
    assert value("spielwerk_rpc_calls_total", **labels, code="OK") == 1
    assert value("spielwerk_rpc_calls_total", **labels, code="UNAUTHENTICATED") == 1
    assert value("spielwerk_rpc_seconds_count", **labels) == 2


async def test_open_streams_are_counted(running: Running) -> None:
    release = asyncio.Event()

    async def action(_request: Any) -> None:
        await release.wait()

    running.matches.action = action
    labels, value = {"method": f"/{MATCH}/Watch"}, running.host.metrics.value
    watch = running.stub().Watch(match_pb2.WatchRequest(), metadata=running.metadata())
    await watch.read()
    assert value("spielwerk_rpc_streams", **labels) == 1
    release.set()
    assert await watch.read() is grpc.aio.EOF
    assert value("spielwerk_rpc_streams", **labels) == 0
    assert value("spielwerk_rpc_calls_total", **labels, code="OK") == 1


async def test_odd_method_names_make_no_series(running: Running) -> None:
    def series() -> int:
        return sum(len(family.samples) for family in running.host.metrics.registry.collect())

    before = series()
    channel = running.channel()
    for number in range(50):
        call: Any = channel.unary_unary(f"/{MATCH}/Odd{number}")
        with pytest.raises(grpc.aio.AioRpcError):
            await call(b"")
    assert series() == before


async def ended(call: Any) -> Exception:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()
    return error_of(caught.value)


async def test_a_drain_ends_streams_and_lets_calls_finish(serve: Serve) -> None:
    release, joining = asyncio.Event(), asyncio.Event()

    async def action(request: Any) -> None:
        if isinstance(request, match_pb2.JoinRequest):
            joining.set()
            await release.wait()
            return
        await asyncio.Event().wait()

    serving = serve()
    running = await serving.__aenter__()
    running.matches.action = action
    metadata = running.metadata()
    channel = grpc.aio.insecure_channel(running.address)
    stub = _stub(channel)
    watch = stub.Watch(match_pb2.WatchRequest(), metadata=metadata)
    play = stub.Play(iter([match_pb2.PlayRequest()]), metadata=metadata)
    await watch.read()
    join = asyncio.ensure_future(stub.Join(match_pb2.JoinRequest(), metadata=metadata))
    await joining.wait()
    streams = [asyncio.ensure_future(ended(stream)) for stream in (watch, play)]

    stopped = asyncio.ensure_future(serving.__aexit__(None, None, None))
    for error in await asyncio.gather(*streams):
        assert isinstance(error, Unavailable)
        assert error.reason == "draining"
    assert not join.done()
    release.set()
    assert (await join).version == 2
    await stopped
    await channel.close()


def _stub(channel: grpc.aio.Channel) -> Any:
    return match_pb2_grpc.MatchServiceStub(channel)


async def test_readiness_ends_before_the_calls_in_flight(serve: Serve) -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def action(_request: Any) -> None:
        begun.set()
        await release.wait()

    serving = serve()
    running = await serving.__aenter__()
    running.matches.action = action
    channel = grpc.aio.insecure_channel(running.address)
    health_stub: Any = health_pb2_grpc.HealthStub(channel)
    states = health_stub.Watch(health_pb2.HealthCheckRequest(service=""))
    assert (await states.read()).status == SERVING
    request = match_pb2.JoinRequest()
    join = asyncio.ensure_future(_stub(channel).Join(request, metadata=running.metadata()))
    await begun.wait()

    stopped = asyncio.ensure_future(serving.__aexit__(None, None, None))
    assert (await states.read()).status == NOT_SERVING
    assert not join.done()
    release.set()
    assert (await join).seat == 1
    await stopped
    await channel.close()


async def test_a_stream_that_hears_the_drain_says_goodbye_itself(serve: Serve) -> None:
    serving = serve()
    running = await serving.__aenter__()

    async def action(_request: Any) -> None:
        await running.host.draining.wait()
        raise Unavailable("draining", resume_after_version="7")

    running.matches.action = action
    channel = grpc.aio.insecure_channel(running.address)
    watch = _stub(channel).Watch(match_pb2.WatchRequest(), metadata=running.metadata())
    await watch.read()
    reading = asyncio.ensure_future(ended(watch))
    await serving.__aexit__(None, None, None)
    error = await reading
    assert isinstance(error, Unavailable)
    assert error.metadata == {"resume_after_version": "7"}
    await channel.close()


async def test_a_call_that_does_not_end_is_cancelled_after_the_grace(serve: Serve) -> None:
    begun, cleaned = asyncio.Event(), asyncio.Event()

    async def stubborn(_request: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    serving = serve(grace_s=0.2)
    running = await serving.__aenter__()
    running.matches.action = stubborn
    channel = grpc.aio.insecure_channel(running.address)
    request = match_pb2.JoinRequest()
    join = asyncio.ensure_future(_stub(channel).Join(request, metadata=running.metadata()))
    await begun.wait()
    await asyncio.wait_for(serving.__aexit__(None, None, None), 5)
    assert cleaned.is_set()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await join
    assert caught.value.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
    await channel.close()


async def test_a_flood_of_cancelled_calls_leaves_nothing_behind(running: Running) -> None:
    active = 0

    async def action(_request: Any) -> None:
        nonlocal active
        active += 1
        try:
            await asyncio.Event().wait()
        finally:
            active -= 1

    running.matches.action = action
    stub, metadata = running.stub(), running.metadata()
    tasks = len(asyncio.all_tasks())
    for _ in range(20):
        calls = [stub.Join(match_pb2.JoinRequest(), metadata=metadata) for _ in range(100)]
        await until(lambda: _true(active > 0))
        for call in calls:
            call.cancel()
    await until(lambda: _true(active == 0 and len(asyncio.all_tasks()) <= tasks + 5))
    assert (await stub.GetServerInfo(match_pb2.GetServerInfoRequest())).version == "1"


async def test_streams_of_clients_that_vanished_are_closed(running: Running) -> None:
    async def action(_request: Any) -> None:
        await asyncio.Event().wait()

    running.matches.action = action
    metadata, value = running.metadata(), running.host.metrics.value
    channel = grpc.aio.insecure_channel(running.address)
    watches = [_stub(channel).Watch(match_pb2.WatchRequest(), metadata=metadata) for _ in range(50)]
    for watch in watches:
        await watch.read()
    labels = {"method": f"/{MATCH}/Watch"}
    assert value("spielwerk_rpc_streams", **labels) == 50
    await channel.close()
    await until(lambda: _true(value("spielwerk_rpc_streams", **labels) == 0))


async def _true(condition: bool) -> bool:
    return condition
