"""The accounts service with a real broker, reached over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from spielwerk.api.v1 import account_pb2 as pb
from spielwerk.api.v1.account_pb2_grpc import AccountServiceStub
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.settings import NatsSettings, RpcSettings
from spielwerk_accounts.app import serving
from spielwerk_accounts.settings import AccountsSettings, KeySettings
from spielwerk_local.brokers import start_nats

Serve = Callable[..., AbstractAsyncContextManager["Accounts"]]


@dataclass
class Accounts:
    """A running service and who calls it."""

    host: Host
    address: str
    stub: Any
    settings: AccountsSettings

    async def guest(self, name: str = "Ada", request_id: str = "") -> Any:
        return await self.stub.CreateGuest(pb.CreateGuestRequest(name=name, request_id=request_id))


def bearer(token: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")]


@pytest.fixture(scope="session")
def nats_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    child, url = asyncio.run(start_nats(tmp_path_factory.mktemp("nats"), sync_always=False))
    yield url
    child.kill()


@pytest.fixture
def settings(nats_url: str, tmp_path: Path) -> AccountsSettings:
    buckets = uuid4().hex
    return AccountsSettings(
        nats=NatsSettings(url=nats_url),
        rpc=RpcSettings(listen="127.0.0.1:0", grace_s=2),
        keys=KeySettings(data=tmp_path / "keys"),
        profiles_bucket=f"P{buckets}",
        requests_bucket=f"R{buckets}",
    )


@pytest.fixture
def serve(settings: AccountsSettings) -> Serve:
    @asynccontextmanager
    async def started(**over: Any) -> AsyncIterator[Accounts]:
        chosen = settings.model_copy(update=over)
        host = Host(chosen)
        async with (
            serving(chosen, host),
            host.started() as address,
            open_channel(address) as channel,
        ):
            yield Accounts(host, address, AccountServiceStub(channel), chosen)

    return started


@pytest.fixture
async def accounts(serve: Serve) -> AsyncIterator[Accounts]:
    async with serve() as running:
        yield running
