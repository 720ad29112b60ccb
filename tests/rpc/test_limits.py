"""Limits of each caller: calls, streams, and what one connection may have open."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2

from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1 import match_pb2_grpc
from spielwerk.errors import ResourceExhausted
from spielwerk.rpc.auth import Caller
from spielwerk.rpc.limits import Limits, Rates
from spielwerk.rpc.peers import address_of
from spielwerk.rpc.settings import RpcSettings
from spielwerk.telemetry.metrics import Metrics

from .asking import INFO, JOIN, SELDOM, WATCH, Clock, answer, limited
from .conftest import Running, Serve


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


def connection(running: Running) -> Any:
    """A stub on a connection of its own: channels of a process usually share one."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    channel = grpc.aio.insecure_channel(running.address, options=options)
    running.channels.append(channel)
    return match_pb2_grpc.MatchServiceStub(channel)


def test_a_burst_passes_at_once_and_then_one_a_period() -> None:
    clock = Clock()
    rates = Rates(2, 3, clock)
    assert [rates.take("ann") for _ in range(4)] == [0, 0, 0, pytest.approx(0.5)]
    clock.now += 0.25
    assert rates.take("ann") == pytest.approx(0.25)
    clock.now += 0.25
    assert rates.take("ann") == 0
    assert rates.take("ann") == pytest.approx(0.5)
    clock.now += 100
    assert [rates.take("ann") for _ in range(4)] == [0, 0, 0, pytest.approx(0.5)]


def test_who_waits_as_told_is_let_in() -> None:
    clock, dice = Clock(), random.Random(1)
    rates = Rates(7, 1, clock)
    rates.take("ann")
    for _ in range(1_000):
        clock.now += rates.take("ann")
        assert rates.take("ann") == 0
        clock.now += dice.random() / 7


def test_one_caller_takes_nothing_from_another() -> None:
    rates = Rates(1, 1, Clock())
    assert [rates.take(who) for who in ("ann", "bob", "ann", "bob")] == [0, 0, 1, 1]


def test_only_callers_of_the_last_seconds_are_remembered() -> None:
    clock = Clock()
    rates = Rates(10, 20, clock)
    for number in range(50_000):
        rates.take(f"p{number}")
        clock.now += 0.001
    assert rates.remembered <= 2_002
    clock.now += 10
    for number in range(1_001):
        rates.take(f"q{number}")
    assert rates.remembered == 1_001


def test_never_more_callers_are_remembered_than_there_is_room_for() -> None:
    rates = Rates(0.001, 1, Clock(), most=100)
    for number in range(1_000):
        assert rates.take(f"p{number}") == 0
        assert rates.remembered <= 100
    assert rates.take("p999") > 0


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:10.0.0.7:51234", "ipv4:10.0.0.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:51234", "ipv6:2001:db8:1:2::"),
        ("ipv6:[2001:db8:1:2::1]:51234", "ipv6:2001:db8:1:2::"),
        ("ipv6:%5Bfe80::1%25eth0%5D:51234", "ipv6:fe80::"),
        ("ipv6:%5B::ffff:10.0.0.7%5D:51234", "ipv4:10.0.0.7"),
        ("ipv6:%5Bnonsense%5D:1", "ipv6:[nonsense]"),
        ("unix:/run/spielwerk.sock", "unix"),
        ("unknown", "unknown"),
    ],
)
def test_an_address_counts_without_its_port_and_ipv6_by_its_network(
    peer: str, address: str
) -> None:
    assert address_of(peer) == address


async def test_too_many_calls_of_a_player_are_refused_with_the_time_to_wait(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=3) as running:
        stub = running.stub()
        answers = [await answer(stub.Join(JOIN, metadata=running.metadata())) for _ in range(4)]
        assert answers[:3] == [None] * 3
        assert isinstance(answers[3], ResourceExhausted)
        assert answers[3].reason == "too_many_calls"
        assert answers[3].retry_after is not None
        assert 50 < answers[3].retry_after <= 100
        assert limited(running, "too_many_calls") == 1


async def test_a_player_is_one_caller_with_many_tokens_and_connections(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=2) as running:
        tokens = [running.token(ttl_s=60 + n) for n in range(4)]
        calls = [
            running.stub().Join(JOIN, metadata=[("authorization", f"Bearer {token}")])
            for token in tokens
        ]
        refused = [error for call in calls if (error := await answer(call))]
        assert [error.reason for error in refused] == ["too_many_calls"] * 2
        other = running.stub().Join(JOIN, metadata=running.metadata(subject="bob"))
        assert await answer(other) is None


async def test_calls_without_a_token_count_for_their_address_alone(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=2) as running:
        stub = running.stub()
        answers = [await answer(running.stub().GetServerInfo(INFO)) for _ in range(3)]
        assert answers[:2] == [None, None]
        assert answers[2] is not None
        assert answers[2].reason == "too_many_calls"
        assert await answer(stub.Join(JOIN, metadata=running.metadata())) is None


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
async def test_each_question_in_a_reflection_stream_counts_for_its_address(
    serve: Serve, version: str
) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=4) as running:
        ask: Any = running.channel().stream_stream(
            f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        call, answers = ask(), []
        for _ in range(4):
            await call.write(reflection_pb2.ServerReflectionRequest(list_services="*"))
            answers.append(await answer(call))
        assert answers[:3] == [None] * 3
        assert answers[3] is not None
        assert answers[3].reason == "too_many_calls"


async def test_a_subject_that_is_named_like_an_address_is_another_caller(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=1) as running:
        assert await answer(running.stub().GetServerInfo(INFO)) is None
        metadata = running.metadata(subject="ipv4:127.0.0.1")
        assert await answer(running.stub().Join(JOIN, metadata=metadata)) is None


async def test_health_is_told_however_often_it_is_asked(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=1) as running:
        health: Any = health_pb2_grpc.HealthStub(running.channel())
        for _ in range(20):
            assert await answer(health.Check(health_pb2.HealthCheckRequest())) is None


@pytest.mark.parametrize("role", ["auditor", "operator"])
async def test_those_whom_the_operator_has_chosen_have_no_limits(serve: Serve, role: str) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=1, streams_per_caller=1) as running:
        stub = running.stub()
        calls = [stub.Watch(WATCH, metadata=running.metadata(role)) for _ in range(5)]
        assert [await answer(call) for call in calls] == [None] * 5


async def test_too_many_streams_of_a_player_are_refused_until_one_is_closed(serve: Serve) -> None:
    async with serve(streams_per_caller=2) as running:
        running.matches.action = until_cancelled
        stub, metadata = running.stub(), running.metadata()
        first = stub.Watch(WATCH, metadata=metadata)
        assert await answer(first) is None
        assert await answer(stub.Watch(WATCH, metadata=metadata)) is None
        refused = await answer(stub.Watch(WATCH, metadata=metadata))
        assert isinstance(refused, ResourceExhausted)
        assert (refused.reason, refused.retry_after) == ("too_many_streams", 1)
        assert limited(running, "too_many_streams") == 1
        bobs = stub.Watch(WATCH, metadata=running.metadata(subject="bob"))
        assert await answer(bobs) is None
        running.matches.action = nothing
        assert await answer(stub.Join(JOIN, metadata=metadata)) is None
        first.cancel()
        name = "/spielwerk.api.v1.MatchService/Watch"
        await until(lambda: running.host.metrics.value("spielwerk_rpc_streams", method=name) == 2)
        assert await answer(stub.Watch(WATCH, metadata=metadata)) is None


async def test_health_watches_of_an_address_are_limited_too(serve: Serve) -> None:
    async with serve(streams_per_caller=2) as running:
        health: Any = health_pb2_grpc.HealthStub(running.channel())
        watches = [health.Watch(health_pb2.HealthCheckRequest()) for _ in range(3)]
        answers = [await answer(watch) for watch in watches]
        assert [error.reason for error in answers if error] == ["too_many_streams"]


async def test_without_limits_nobody_is_refused(serve: Serve) -> None:
    async with serve(calls_per_s=0, calls_burst=1, streams_per_caller=0) as running:
        stub, metadata = running.stub(), running.metadata()
        running.matches.action = until_cancelled
        watches = [stub.Watch(WATCH, metadata=metadata) for _ in range(100)]
        assert [await answer(watch) for watch in watches] == [None] * 100
        running.matches.action = nothing
        for _ in range(100):
            assert await answer(stub.Join(JOIN, metadata=metadata)) is None


async def test_commands_above_the_rate_wait_and_a_services_never_do() -> None:
    metrics = Metrics()
    limits = Limits(RpcSettings(commands_per_s=50, commands_burst=5), metrics)
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.gather(*(limits.hold_back(Caller("bots", "service:bots")) for _ in range(500)))
    assert metrics.value("spielwerk_rpc_limited_total", reason="held_back") == 0
    await asyncio.gather(*(limits.hold_back(Caller("ann", "player")) for _ in range(20)))
    assert loop.time() - began > 0.29
    assert metrics.value("spielwerk_rpc_limited_total", reason="held_back") == 15


async def test_services_of_one_process_share_their_callers_limits(running: Running) -> None:
    assert running.host.part().limits is running.host.limits


async def test_gr_09_a_connection_has_only_so_many_streams_at_work(serve: Serve) -> None:
    async with serve(max_streams_per_connection=5, streams_per_caller=0) as running:
        running.matches.action = until_cancelled
        stub, metadata = connection(running), running.metadata()
        # The first call brings the server's settings, before which a client may send more.
        assert await answer(stub.GetServerInfo(INFO)) is None
        watches = [stub.Watch(WATCH, metadata=metadata) for _ in range(8)]
        reads = [asyncio.ensure_future(answer(watch)) for watch in watches]
        await until(lambda: sum(read.done() for read in reads) == 5)
        assert await answer(connection(running).Watch(WATCH, metadata=metadata)) is None
        assert sum(read.done() for read in reads) == 5
        for watch in watches:
            watch.cancel()
        async with asyncio.timeout(20):
            await asyncio.gather(*reads, return_exceptions=True)
            while await answer(stub.Watch(WATCH, metadata=metadata)):
                await asyncio.sleep(0.01)


async def test_gr_09_calls_that_are_cancelled_at_once_by_thousands_hurt_nobody_else(
    serve: Serve,
) -> None:
    async with serve(calls_per_s=100, calls_burst=100) as running:
        worked = 0

        async def count(request: Any) -> None:
            nonlocal worked
            worked += request.match_id == "flood"

        running.matches.action = count
        flooding, playing = connection(running), connection(running)
        for _ in range(50):
            calls = [
                flooding.Join(pb.JoinRequest(match_id="flood"), metadata=running.metadata())
                for _ in range(100)
            ]
            await asyncio.sleep(0)
            for call in calls:
                call.cancel()
            bob = playing.Join(JOIN, metadata=running.metadata(subject="bob"), timeout=10)
            assert await answer(bob) is None
        assert await answer(playing.Join(JOIN, metadata=running.metadata(subject="bob"))) is None
        await until(lambda: len(asyncio.all_tasks()) < 50)


async def nothing(_request: Any) -> None:
    return None


async def until_cancelled(_request: Any) -> None:
    await asyncio.Event().wait()
