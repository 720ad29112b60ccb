"""A rules service on a real broker, and players who call it over real gRPC."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest

import spielwerk_rules.app
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.errors import SpielwerkError
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.errors import error_of
from spielwerk.rpc.host import Host
from spielwerk.settings import LogSettings, NatsSettings, RpcSettings
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import start_nats
from spielwerk_rules.settings import RulesSettings, Settings

ALICE, BOB, CAROL = "alice", "bob", "carol"


@dataclass
class Rules:
    """One or more running rules processes' worth of service on one log."""

    nats_url: str
    keys: signing.SigningKeys
    stack: AsyncExitStack
    addresses: list[str] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    nats_pid: int = 0
    """The broker's process, for tests that stop it."""
    port: dict[str, Any] = field(default_factory=dict)
    """More settings of the ports that are started next."""

    async def start(self, **rules: Any) -> str:
        settings = Settings(
            nats=NatsSettings(url=self.nats_url),
            log=LogSettings(new_installation=True),
            rpc=RpcSettings(**{"listen": "127.0.0.1:0", "grace_s": 2, **self.port}),
            rules=RulesSettings(**rules),
        )
        host = Host(settings)
        host.trust(self.keys.jwks())
        await self.stack.enter_async_context(spielwerk_rules.app.serving(settings, host))
        address = await self.stack.enter_async_context(host.started())
        self.addresses.append(address)
        self.hosts.append(host)
        return address

    async def stub(self, subject: str, role: str = "player", instance: int = 0) -> Any:
        token = self.keys.issue(subject, role, 3600)
        channel = open_channel(self.addresses[instance], lambda: token)
        self.stack.push_async_callback(channel.close)
        return MatchServiceStub(channel)

    async def create(
        self,
        *players: str,
        match_id: str = "",
        game: str = "cribbage",
        watch: Any = pb.WATCH_POLICY_PARTICIPANTS,
        **more: Any,
    ) -> str:
        """A match that waits for its players."""
        match_id = match_id or new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
        maker = await self.stub("matchmaking", "service:matchmaking")
        occupants = [pb.Occupant(human=pb.Human(player_id=p)) for p in players or (ALICE, BOB)]
        await maker.CreateMatch(
            pb.CreateMatchRequest(
                match_id=match_id, game=game, occupants=occupants, watch=watch, **more
            )
        )
        return match_id

    async def started_match(self, **more: Any) -> str:
        match_id = await self.create(**more)
        for player in (ALICE, BOB):
            await (await self.stub(player)).Join(pb.JoinRequest(match_id=match_id))
        return match_id


@pytest.fixture
async def rules(tmp_path: Path) -> AsyncIterator[Rules]:
    nats, url = await start_nats(tmp_path, sync_always=False)
    try:
        async with AsyncExitStack() as stack:
            running = Rules(url, signing.generate(), stack, nats_pid=nats.pid)
            await running.start()
            yield running
    finally:
        await nats.stop()


async def refused(call: Awaitable[Any]) -> tuple[grpc.StatusCode, SpielwerkError]:
    """Status and error of a call that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return failed.value.code(), error_of(failed.value)


async def play_on(stubs: dict[str, Any], match_id: str, moves: int) -> int:
    """Play the first legal command of whoever must act; returns how many were played."""
    for played in range(moves):
        for player, stub in stubs.items():
            legal = await stub.ListLegal(pb.ListLegalRequest(match_id=match_id))
            if legal.turn_key:
                await stub.Submit(
                    pb.SubmitRequest(
                        match_id=match_id,
                        command_id=f"{player}-{legal.turn_key.replace('.', '-')}",
                        command=legal.commands[0],
                        turn_key=legal.turn_key,
                    )
                )
                break
        else:
            return played
    return moves


@asynccontextmanager
async def watching(stub: Any, match_id: str, after: int | None = None) -> AsyncIterator[Any]:
    """An open watch that is cancelled at the end of the block."""
    call = stub.Watch(pb.WatchRequest(match_id=match_id, after_version=after))
    try:
        yield call
    finally:
        call.cancel()


async def until(condition: Callable[[], Any], seconds: float = 10) -> None:
    """Wait for a condition of this process."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)
