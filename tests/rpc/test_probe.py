"""The probe's exit code says whether a service is ready."""

from __future__ import annotations

import asyncio
import os
import sys

from spielwerk.rpc import probe
from spielwerk.rpc.host import Host
from spielwerk.rpc.settings import AuthSettings, RpcSettings
from spielwerk.settings import CommonSettings


async def probed(address: str) -> tuple[int | None, str]:
    """Exit code and output, as a container's health check sees them."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "spielwerk.rpc.probe"),
        env=os.environ | {"SPIELWERK_RPC__LISTEN": address},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode().strip()


async def test_it_is_zero_only_while_the_service_is_ready() -> None:
    ready = True
    host = Host(CommonSettings(rpc=RpcSettings(listen="127.0.0.1:0"), auth=AuthSettings()))
    host.check("test", lambda: ready)
    async with host.started() as address:
        assert await probed(address) == (0, "SERVING")
        ready = False
        async with asyncio.timeout(30):
            while await probed(address) != (1, "NOT_SERVING"):
                pass
    assert await probed(address) == (1, "UNAVAILABLE")


def test_its_default_is_the_default_of_the_services() -> None:
    assert probe.own_address() == RpcSettings().listen
