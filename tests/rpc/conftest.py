"""A host on a free port with a few servicers of the real services that do as the test says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from pydantic import BaseModel

import spielwerk_accounts.keys as signing
from spielwerk.api.v1 import (
    account_pb2,
    account_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
)
from spielwerk.rpc.host import Host
from spielwerk.rpc.settings import AuthSettings, RpcSettings

MATCH = "spielwerk.api.v1.MatchService"
ACCOUNT = "spielwerk.api.v1.AccountService"


class Settings(BaseModel):
    rpc: RpcSettings
    auth: AuthSettings
    mode: Any = "development"


class Matches(match_pb2_grpc.MatchServiceServicer):
    """Does what `action` says: in Join (unary), Watch (generator) and Play (writer)."""

    def __init__(self) -> None:
        self.action: Callable[[Any], Awaitable[Any]] = _answer

    async def GetServerInfo(self, _request: Any, _context: Any) -> Any:
        return match_pb2.GetServerInfoResponse(version="1")

    async def Join(self, request: Any, _context: Any) -> Any:
        await self.action(request)
        return match_pb2.JoinResponse(seat=1, version=2)

    async def Watch(self, request: Any, _context: Any) -> AsyncIterator[Any]:
        yield match_pb2.WatchResponse(keep_alive=match_pb2.KeepAlive(version=1))
        await self.action(request)

    async def Play(self, requests: Any, context: Any) -> None:  # type: ignore[override]
        async for request in requests:
            await self.action(request)
            await context.write(match_pb2.PlayResponse())


async def _answer(_request: Any) -> None:
    return None


@dataclass
class Running:
    """A started host, what it serves, and who may call it."""

    host: Host
    address: str
    matches: Matches
    keys: signing.SigningKeys
    channels: list[grpc.aio.Channel] = field(default_factory=list)

    def channel(self) -> grpc.aio.Channel:
        channel = grpc.aio.insecure_channel(self.address)
        self.channels.append(channel)
        return channel

    def stub(self) -> Any:
        return match_pb2_grpc.MatchServiceStub(self.channel())

    def token(self, role: str = "player", subject: str = "ada", ttl_s: float = 60) -> str:
        return self.keys.issue(subject, role, ttl_s)

    def metadata(self, role: str = "player", subject: str = "ada") -> list[tuple[str, str]]:
        return [("authorization", f"Bearer {self.token(role, subject)}")]


Serve = Callable[..., AbstractAsyncContextManager[Running]]


@pytest.fixture(scope="session")
def keys() -> signing.SigningKeys:
    return signing.generate()


@pytest.fixture
def serve(keys: signing.SigningKeys) -> Serve:
    @asynccontextmanager
    async def started(prepare: Callable[[Host], None] | None = None, **rpc: Any) -> Any:
        settings = Settings(
            rpc=RpcSettings(**{"listen": "127.0.0.1:0", "grace_s": 2, **rpc}),
            auth=AuthSettings(jwks=keys.jwks()),
        )
        host, matches = Host(settings), Matches()  # type: ignore[abstract]
        host.add(match_pb2_grpc.add_MatchServiceServicer_to_server, matches, MATCH)
        if prepare:
            prepare(host)
        async with host.started() as address:
            running = Running(host, address, matches, keys)
            try:
                yield running
            finally:
                for channel in running.channels:
                    await channel.close()

    return started


@pytest.fixture
async def running(serve: Serve) -> AsyncIterator[Running]:
    async with serve() as started:
        yield started


__all__ = ["ACCOUNT", "MATCH", "Running", "Serve", "account_pb2", "account_pb2_grpc"]
