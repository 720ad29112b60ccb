"""The service as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bots.running import until_gone
from bots.test_service import ended
from client.house import House
from ports import free_port

# Children of a process end asynchronously; this is far more than they need.
PATIENCE_S = 20


@contextmanager
def bots_process(house: House) -> Iterator[subprocess.Popen[bytes]]:
    """`python -m spielwerk_bots`, configured by its environment alone."""
    auth = house.service_auth("bots")
    assert auth.token is not None
    settings = {
        "SPIELWERK_NATS__URL": house.common["nats"].url,
        "SPIELWERK_LOG__STREAM": house.common["log"].stream,
        "SPIELWERK_REDIS__URL": house.common["redis"].url,
        "SPIELWERK_API_TARGET": house.address,
        "SPIELWERK_AUTH__JWKS": house.keys.jwks(),
        "SPIELWERK_AUTH__TOKEN": auth.token.get_secret_value(),
        "SPIELWERK_RPC__LISTEN": f"127.0.0.1:{free_port()}",
    }
    command = [sys.executable, "-m", "spielwerk_bots"]
    with subprocess.Popen(command, env=os.environ | settings, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


async def test_it_plays_and_ends_with_sigterm_and_leaves_nothing_behind(house: House) -> None:
    with bots_process(house) as process:
        await ended(house, await house.open_match("bot:beginner", "bot:beginner"))
        children = _children(process.pid)
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    assert children
    await until_gone(*children)


async def test_a_match_goes_on_after_a_crash(house: House) -> None:
    match_id = await house.open_match("bot:expert", "bot:expert")
    with bots_process(house) as process:
        async with house.client("eve") as eve, eve.match(match_id).watch() as watched:
            async for item in watched:
                if item.version >= 5:
                    break
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
    with bots_process(house):
        await ended(house, match_id)


def test_wrong_settings_are_named() -> None:
    env = os.environ | {"SPIELWERK_BOTS__PROCESSES": "0"}
    command = [sys.executable, "-m", "spielwerk_bots"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "bots.processes" in done.stderr


def _children(pid: int) -> list[int]:
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
