"""Everything in one process, as `make run` hosts it: found by reflection, kept over restarts."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from spielwerk.client import Spielwerk
from spielwerk.games import registry
from spielwerk_local.app import Installation, installation, read_runtime

CLI = (sys.executable, "-m", "spielwerk_local.cli")


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Installation]:
    async with installation(tmp_path, listen="127.0.0.1:0") as hosted:
        yield hosted


async def run(*arguments: str, timeout_s: float = 120) -> tuple[int, str]:
    """One call of the command line: exit code and output."""
    process = await asyncio.create_subprocess_exec(
        *CLI, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await asyncio.wait_for(process.communicate(), timeout_s)
    return process.returncode or 0, output.decode()


async def test_all_services_are_ready_and_on_one_port(running: Installation) -> None:
    async with grpc.aio.insecure_channel(running.api) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        for name in ("", "Match", "Matchmaking", "Ranking", "Account"):
            service = f"spielwerk.api.v1.{name}Service" if name else ""
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING, service


async def test_a_client_without_our_code_finds_and_calls_the_services(
    running: Installation,
) -> None:
    """What grpcurl does: list, describe and call with nothing but reflection."""
    called = await asyncio.to_thread(reflected_call, running.api)
    assert "spielwerk.api.v1.MatchService" in called["services"]
    assert called["games"] == list(registry.GAMES)


def reflected_call(address: str) -> dict[str, Any]:
    with grpc.insecure_channel(address) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        pool = DescriptorPool(database)
        service = pool.FindServiceByName("spielwerk.api.v1.MatchService")
        method = service.methods_by_name["ListGames"]
        request, response = (GetMessageClass(m) for m in (method.input_type, method.output_type))
        call = channel.unary_unary(
            "/spielwerk.api.v1.MatchService/ListGames",
            request_serializer=request.SerializeToString,
            response_deserializer=response.FromString,
        )
        answer = MessageToDict(call(request()))
        return {
            "services": list(database.get_services()),
            "games": [game["game"] for game in answer["games"]],
        }


async def test_a_person_practises_against_a_bot(running: Installation) -> None:
    async with Spielwerk.connect(running.api) as client:
        await client.create_guest("Ada")
        practice = await client.matchmaking.practice(
            "cribbage", {"target": 61}, strength="beginner"
        )
        match = client.match(practice.match_id)
        await match.join()
        async with match.watch() as updates:
            async for update in updates:
                if any(turn.seat == practice.seat for turn in update.turns):
                    legal = await match.legal()
                    if legal.turn_key:
                        await match.submit(legal.commands[0], legal.turn_key)
        assert (await match.view()).ended is not None


async def test_a_turn_that_is_not_taken_is_ended_by_the_timer(running: Installation) -> None:
    async with Spielwerk.connect(running.api) as ada, Spielwerk.connect(running.api) as ben:
        await ada.create_guest("Ada")
        await ben.create_guest("Ben")
        options = {"action_timeout_s": 10, "max_timeouts_in_row": 1}
        room = await ada.matchmaking.create_room("cribbage", options, seat=0)
        await ben.matchmaking.join_room(room.code)
        match_id = await ada.matchmaking.start_room(room.code)
        for client in (ada, ben):
            await client.match(match_id).join()
        async with ada.match(match_id).watch() as updates, asyncio.timeout(30):
            ended = [update.ended async for update in updates][-1]
        assert ended is not None
        assert ended.result is not None
        assert ended.result.reason == "forfeited"


@pytest.mark.timeout(240)
async def test_the_demo_is_verified_and_its_data_survive_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at its own broker, whatever the environment names."""
    monkeypatch.setenv("SPIELWERK_NATS__URL", "nats://127.0.0.1:1")
    up = ("up", "--data", str(tmp_path), "--listen", "127.0.0.1:0", "--demo", "--once")
    code, first = await run(*up)
    assert code == 0, first
    assert "verified" in first
    assert "(2 players)" in first
    code, second = await run(*up)
    assert code == 0, second
    assert "(4 players)" in second


async def test_a_running_installation_is_verified_and_stopped_by_signals(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *CLI,
        *("up", "--data", str(tmp_path), "--listen", "127.0.0.1:0"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while b"Serving" not in await process.stdout.readline():
            pass
    code, output = await run("verify", "01m00000000000000000000000", "--data", str(tmp_path))
    assert (code, "no_such_match" in output) == (1, True)
    code, output = await run("rankings", "rebuild", "--data", str(tmp_path))
    assert code == 0, output
    runtime = read_runtime(tmp_path)
    assert runtime is not None
    assert os.stat(tmp_path / "runtime.json").st_mode & 0o077 == 0
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 30) == 0
