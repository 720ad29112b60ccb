"""The health probe asks ports with TLS: its own whatever its name, others by the settings."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from certificates import Authority
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, CommonSettings, RpcSettings


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


async def probed(address: str, **environment: str) -> tuple[int | None, str]:
    """Exit code and output, as a container's health check sees them."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "spielwerk.rpc.probe"),
        *([address] if "SPIELWERK_RPC__LISTEN" not in environment else []),
        env=os.environ | environment,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode().strip()


@pytest.mark.parametrize("name", ["rules", "*.games.test"], ids=["plain", "wildcard"])
async def test_the_probe_asks_its_own_port_with_tls_whatever_its_name(
    authority: Authority, name: str
) -> None:
    issued = authority.issue("rules", names=(name,))
    rpc = RpcSettings(listen="127.0.0.1:0", tls=issued.server())
    other = authority.issue("other")
    async with Host(CommonSettings(rpc=rpc, auth=AuthSettings())).started() as address:
        listens = {"SPIELWERK_RPC__LISTEN": address}
        certificate = {"SPIELWERK_RPC__TLS__CERTIFICATE": str(issued.certificate)}
        assert await probed(address, **listens, **certificate) == (0, "SERVING")
        certificate["SPIELWERK_RPC__TLS__CERTIFICATE"] = str(other.certificate)
        assert await probed(address, **listens, **certificate) == (1, "UNAVAILABLE")
        certificate["SPIELWERK_RPC__TLS__CERTIFICATE"] = str(other.certificate) + ".missing"
        assert (await probed(address, **listens, **certificate))[0] == 1


async def test_the_probe_asks_another_port_with_the_authority_of_the_settings(
    authority: Authority,
) -> None:
    rpc = RpcSettings(
        listen="127.0.0.1:0",
        internal_listen="127.0.0.1:0",
        tls=authority.issue("rules", names=("rules",)).server(authority.path),
    )
    own = authority.issue("monitor")
    host = Host(CommonSettings(rpc=rpc, auth=AuthSettings()))
    async with host.started() as address:
        environment = {
            "SPIELWERK_API_TLS__CA": str(authority.path),
            "SPIELWERK_API_TLS__SERVER_NAME": "rules",
        }
        assert await probed(address, **environment) == (0, "SERVING")
        assert await probed(host.internal_address, **environment) == (1, "UNAVAILABLE")
        environment["SPIELWERK_API_TLS__CERTIFICATE"] = str(own.certificate)
        environment["SPIELWERK_API_TLS__KEY"] = str(own.key)
        assert await probed(host.internal_address, **environment) == (0, "SERVING")
