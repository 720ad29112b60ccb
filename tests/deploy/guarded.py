"""The broker with the users of docker-compose.yml, and accounts as one of them."""

from __future__ import annotations

import json
import os
import shutil
import sysconfig
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from deploy.secret_files import ROOT, make_secrets, variables
from spielwerk.api.v1.account_pb2_grpc import AccountServiceStub
from spielwerk.log.settings import NatsSettings
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.settings import RpcSettings
from spielwerk_accounts.app import serving
from spielwerk_accounts.settings import AccountsSettings, KeySettings
from spielwerk_local.child import Child

READERS: Final = ("matchmaking", "timer", "scoring", "bots")


class Broker:
    """A running broker and who may come in."""

    def __init__(self, url: str, passwords: dict[str, str]) -> None:
        self.url = url
        self.passwords = passwords

    def as_user(self, name: str) -> NatsSettings:
        password = self.passwords[f"NATS_{name.upper()}_PASSWORD"]
        return NatsSettings.model_validate(
            {"url": self.url, "user": name, "password": password, "start_timeout_s": 10}
        )


@asynccontextmanager
async def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Broker]:
    """The files of docker-compose.yml at the places where it mounts them."""
    make_secrets(tmp_path / "secrets")
    passwords = variables(tmp_path / "secrets" / "nats.env")
    for name, value in passwords.items():
        monkeypatch.setenv(name, value)
    text = (ROOT / "deploy" / "compose" / "nats.conf").read_text()
    (tmp_path / "nats.conf").write_text(text.replace("127.0.0.1:8222", "127.0.0.1:-1"))
    shutil.copy(ROOT / "deploy" / "nats.conf", tmp_path / "shipped.conf")
    program = os.path.join(sysconfig.get_path("scripts"), "nats-server")
    arguments = [program, "--config", str(tmp_path / "nats.conf"), "--addr", "127.0.0.1"]
    arguments += ["--port", "-1", "--store_dir", str(tmp_path / "data")]
    arguments += ["--ports_file_dir", str(tmp_path)]
    child = Child(arguments, output=tmp_path / "nats.log", pid_file=tmp_path / "nats.pid")
    ports = tmp_path / f"nats-server_{child.pid}.ports"
    try:
        await child.until(lambda: ports.exists() and ports.read_text().endswith("}"), 30)
        yield Broker(str(json.loads(ports.read_text())["nats"][0]), passwords)
    finally:
        await child.stop()


@asynccontextmanager
async def account_service(broker: Broker, folder: Path) -> AsyncIterator[Any]:
    """Accounts as its user at the broker, and a stub."""
    settings = AccountsSettings(
        nats=broker.as_user("accounts"),
        rpc=RpcSettings(listen="127.0.0.1:0", grace_s=1),
        keys=KeySettings(data=folder / "keys"),
    )
    host = Host(settings)
    async with (
        serving(settings, host),
        host.started() as address,
        open_channel(address) as channel,
    ):
        yield AccountServiceStub(channel)
