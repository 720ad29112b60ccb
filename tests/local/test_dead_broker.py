"""An installation whose broker has died says so and ends, for a supervisor to start it again."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from spielwerk_local.app import installation


async def test_an_installation_ends_when_its_broker_dies_and_can_be_started_again(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(90):
        with pytest.raises(RuntimeError, match="nats-server ended with code -9"):
            await _hosted_until_the_broker_is_killed(tmp_path)
        async with installation(tmp_path, listen="127.0.0.1:0"):
            pass


async def _hosted_until_the_broker_is_killed(data: Path) -> None:
    async with installation(data, listen="127.0.0.1:0"):
        os.kill(int((data / "nats" / "nats.pid").read_text()), signal.SIGKILL)
        await asyncio.Event().wait()
