"""All services in this process on a broker that the test may kill, and people who play there."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import grpc
import pytest

from faults.servers import NatsServer, nats_server
from ports import free_port
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.client import Spielwerk
from spielwerk.client.match import MatchClient
from spielwerk.client.retrying import Patience
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, CommonSettings, RedisSettings, RpcSettings
from spielwerk_accounts.keys import SigningKeys, load
from spielwerk_accounts.settings import KeySettings
from spielwerk_local.app import hosted

PATIENCE: Final = Patience(total_s=120, longest_pause_s=0.3)
_HOUR_MS: Final = 3_600_000


class Broker(Protocol):
    """What the services need to know of theirs."""

    url: str


@dataclass
class Whole:
    """A running installation."""

    common: CommonSettings
    keys: SigningKeys
    host: Host

    @property
    def address(self) -> str:
        return self.common.rpc.listen

    def metric(self, name: str, **labels: str) -> float:
        return self.host.metrics.value(f"spielwerk_{name}", **labels)

    def ready(self, check: str) -> bool:
        return self.metric("ready", check=check) == 1

    def client(self, calls: Patience = PATIENCE) -> Spielwerk:
        """A person, with much patience unless told otherwise."""
        return Spielwerk.connect(self.address, calls=calls, streams=PATIENCE)

    async def match(self, *players: str) -> str:
        """A match that anybody may watch and that waits for its players, with a deadline each."""
        match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
        request = pb.CreateMatchRequest(
            match_id=match_id,
            game="cribbage",
            occupants=[pb.Occupant(human=pb.Human(player_id=player)) for player in players],
            watch=pb.WATCH_POLICY_ANYONE,
            seating_ms=_HOUR_MS,
        )
        token = self.keys.issue("op", "operator", 600)
        async with open_channel(self.address, lambda: token) as channel:
            await until(lambda: _created(MatchServiceStub(channel), request))
        return match_id


@asynccontextmanager
async def whole(
    server: Broker, redis_url: str, folder: Path, *, log: LogSettings | None = None
) -> AsyncIterator[Whole]:
    """Everything on a broker that runs, with a marker file and a key in the folder."""
    listen = f"127.0.0.1:{free_port()}"
    common = CommonSettings(
        nats=NatsSettings(url=server.url),
        log=log or LogSettings(marker_file=folder / "stream.json"),
        redis=RedisSettings(url=redis_url),
        rpc=RpcSettings(listen=listen, grace_s=1),
        api_target=listen,
    )
    keys = load(KeySettings(data=folder / "accounts"), AuthSettings(), "development")
    async with hosted(common, folder, sync_always=False) as host:
        yield Whole(common, keys, host)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """A broker of the test's own, to be killed."""
    async with nats_server(tmp_path) as running:
        yield running


@pytest.fixture
async def installed(server: NatsServer, redis_url: str, tmp_path: Path) -> AsyncIterator[Whole]:
    """Everything on that broker."""
    async with whole(server, redis_url, tmp_path) as running:
        yield running


@asynccontextmanager
async def opened_log(url: str) -> AsyncIterator[JetStreamLog]:
    """The log itself, to see what is true."""
    async with connect(NatsSettings(url=url)) as connection:
        yield JetStreamLog(connection, LogSettings())


async def until(holds: Callable[[], Any | Awaitable[Any]], *, within_s: float = 60) -> float:
    """Wait until a condition holds; returns how many seconds it took."""
    began = time.monotonic()
    async with asyncio.timeout(within_s):
        while True:
            answer = holds()
            if await answer if isinstance(answer, Awaitable) else answer:
                return time.monotonic() - began
            await asyncio.sleep(0.02)


async def move(match: MatchClient) -> int | None:
    """The first legal command of the caller's turn; its version, None if it is not its turn."""
    legal = await match.legal()
    if legal.turn_key is None:
        return None
    return (await match.submit(legal.commands[0], legal.turn_key)).version


async def _created(stub: Any, request: pb.CreateMatchRequest) -> bool:
    try:
        await stub.CreateMatch(request)
    except grpc.aio.AioRpcError as failed:
        if failed.code() is not grpc.StatusCode.UNAVAILABLE:
            raise
        return False
    return True
