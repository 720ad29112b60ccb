"""The accounts service as a process: start, signals, exit codes, logs without secrets."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from spielwerk.api.v1 import account_pb2 as pb
from spielwerk.api.v1.account_pb2_grpc import AccountServiceStub

from .conftest import bearer

ROOT = Path(__file__).parents[2]
NOBODY = "nats://127.0.0.1:1"


class Process:
    """A running `python -m spielwerk_accounts` and what it logged."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self.child = child
        self.lines: list[str] = []

    async def logged(self, event: str) -> dict[str, Any]:
        """Wait for a line with this event."""
        async with asyncio.timeout(30):
            while True:
                line = json.loads(await self._line())
                if line["event"] == event:
                    return dict(line)

    async def stopped(self, number: signal.Signals | None = signal.SIGTERM) -> int:
        """Send a signal, read all lines and wait for the exit code."""
        if number is not None:
            self.child.send_signal(number)
        async with asyncio.timeout(30):
            while await self._line():
                pass
            return await self.child.wait()

    async def _line(self) -> str:
        assert self.child.stderr is not None
        line = (await self.child.stderr.readline()).decode()
        if line:
            self.lines.append(line)
        return line


@asynccontextmanager
async def process(tmp_path: Path, **environment: str) -> AsyncIterator[Process]:
    given = {f"SPIELWERK_{name}": value for name, value in environment.items()}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "spielwerk_accounts",
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT / 'libs'}:{ROOT / 'services'}",
            "SPIELWERK_RPC__LISTEN": "127.0.0.1:0",
            "SPIELWERK_RPC__GRACE_S": "2",
            "SPIELWERK_KEYS__DATA": str(tmp_path / "keys"),
            **given,
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Process(child)
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_drains_and_ends_with_zero(
    nats_url: str, tmp_path: Path, number: signal.Signals
) -> None:
    async with process(tmp_path, NATS__URL=nats_url) as running:
        address = (await running.logged("serving"))["address"]
        async with grpc.aio.insecure_channel(address) as channel:
            await AccountServiceStub(channel).GetPublicKeys(pb.GetPublicKeysRequest())
            assert await running.stopped(number) == 0
        events = [json.loads(line)["event"] for line in running.lines]
        assert events[-2:] == ["draining", "stopped"]
        assert {json.loads(line)["service"] for line in running.lines} == {"accounts"}


async def test_a_process_that_waits_for_the_broker_can_be_stopped(tmp_path: Path) -> None:
    async with process(tmp_path, NATS__URL=NOBODY) as running:
        await running.logged("starting")
        assert await running.stopped() == 0


async def test_without_a_broker_the_process_ends_with_one(tmp_path: Path) -> None:
    async with process(tmp_path, NATS__URL=NOBODY, NATS__START_TIMEOUT_S="0.5") as running:
        failed = await running.logged("failed")
        assert failed["level"] == "critical"
        assert failed["exception"][0]["text"] == "log_unavailable"
        assert await running.stopped(None) == 1


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"RPC__GRACE_S": "s3cret"}, "rpc.grace_s"),
        ({"MODE": "s3cret"}, "mode"),
        ({"AUTH": "{s3cret"}, "auth"),
    ],
)
async def test_wrong_settings_are_named_and_end_with_two(
    tmp_path: Path, environment: dict[str, str], place: str
) -> None:
    async with process(tmp_path, **environment) as running:
        assert await running.stopped(None) == 2
        assert any(place in line for line in running.lines)
        assert not any("s3cret" in line for line in running.lines)


async def test_production_does_not_start_with_a_development_key(
    nats_url: str, tmp_path: Path
) -> None:
    async with process(tmp_path, NATS__URL=nats_url, MODE="production") as running:
        failed = await running.logged("failed")
        assert "DevelopmentKey" in failed["exception"][0]["type"]
        assert failed["exception"][0]["text"] == "production needs keys.file with a key of its own"
        assert await running.stopped(None) == 1


async def test_metrics_are_served_over_http(
    nats_url: str, tmp_path: Path, unused_tcp_port: int
) -> None:
    port = str(unused_tcp_port)
    async with process(tmp_path, NATS__URL=nats_url, TELEMETRY__METRICS_PORT=port) as running:
        address = (await running.logged("serving"))["address"]
        async with grpc.aio.insecure_channel(address) as channel:
            stub: Any = AccountServiceStub(channel)
            await stub.CreateGuest(pb.CreateGuestRequest(name="Ada"))
        url = f"http://127.0.0.1:{port}/metrics"
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read().decode())
        assert 'spielwerk_accounts_total{action="created"} 1.0' in page
        assert 'spielwerk_ready{check="accounts: broker"} 1.0' in page
        assert await running.stopped() == 0


async def test_no_secret_is_ever_logged_even_at_debug_level(nats_url: str, tmp_path: Path) -> None:
    secrets = []
    async with process(tmp_path, NATS__URL=nats_url, TELEMETRY__LEVEL="debug") as running:
        address = (await running.logged("serving"))["address"]
        async with grpc.aio.insecure_channel(address) as channel:
            stub: Any = AccountServiceStub(channel)
            request = pb.CreateGuestRequest(name="Mark\u00ebr", request_id="marker-request-id-1")
            guest = await stub.CreateGuest(request)
            secrets += [guest.token, guest.device_secret, request.request_id, request.name]
            await stub.GetProfile(pb.GetProfileRequest(), metadata=bearer(guest.token))
            for call in (
                stub.RenewToken(pb.RenewTokenRequest(player_id="x", device_secret="marker-2")),
                stub.GetProfile(pb.GetProfileRequest(), metadata=bearer("marker-3")),
                stub.CreateGuest(pb.CreateGuestRequest(name="marker-4\n{}")),
            ):
                assert await call.code() is not grpc.StatusCode.OK
        assert await running.stopped() == 0
        password = nats_url.partition("//")[2].partition("@")[0].partition(":")[2]
        logged = "".join(running.lines)
        assert "refused" in logged
        for secret in (*secrets, password, "marker-2", "marker-3", "marker-4"):
            assert secret not in logged
        assert all(json.loads(line)["event"] for line in running.lines)
