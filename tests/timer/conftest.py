"""Rules on the worker's real broker, and timers beside it: in this process or in their own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import SecretStr

import spielwerk_rules.app
import spielwerk_timer.app
from draining import drain
from spielwerk.api.log.v1.record_pb2 import Record
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.background import running
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, RedisSettings, RpcSettings
from spielwerk.store import open_redis
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import Brokers
from spielwerk_rules.settings import Settings as RulesSettings
from spielwerk_timer.settings import Settings, TimerSettings

WAIT_S = 30.0


@dataclass
class Table:
    """Makes matches whose players never come, so that their seating deadline must be fired."""

    common: dict[str, Any]
    keys: signing.SigningKeys
    log: JetStreamLog
    address: str = "127.0.0.1:0"
    running: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def stop_rules(self) -> None:
        await self.running.aclose()

    def now_ms(self) -> int:
        """The log's time: broker and tests share a machine."""
        return time.time_ns() // 1_000_000

    async def until_log_time(self, ms: int) -> None:
        while self.now_ms() < ms:
            await asyncio.sleep(0.01)

    @asynccontextmanager
    async def rules(self) -> AsyncIterator[None]:
        rpc = RpcSettings(listen=self.address, grace_s=1)
        settings = RulesSettings(**self.common, rpc=rpc, auth=AuthSettings(jwks=self.keys.jwks()))
        host = Host(settings)
        async with spielwerk_rules.app.serving(settings, host), host.started() as address:
            self.address = address
            yield

    def timer_settings(self, **timer: Any) -> Settings:
        token = self.keys.issue("timer", "service:timer", 3600)
        return Settings(
            **self.common,
            auth=AuthSettings(token=SecretStr(token)),
            api_target=self.address,
            rpc=RpcSettings(listen="127.0.0.1:0", grace_s=1),
            timer=TimerSettings(**{"checkpoint_s": 0.1, **timer}),
        )

    @asynccontextmanager
    async def timer(self, **timer: Any) -> AsyncIterator[Host]:
        """One more instance; its host tells metrics and checks."""
        settings = self.timer_settings(**timer)
        host = Host(settings)
        async with spielwerk_timer.app.serving(settings, host), host.started():
            yield host

    @asynccontextmanager
    async def process(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """One more instance as a process of its own, ended by kill -9."""
        settings = self.timer_settings()
        assert settings.auth.token is not None
        environment = os.environ | {
            "SPIELWERK_NATS__URL": settings.nats.url,
            "SPIELWERK_LOG__STREAM": settings.log.stream,
            "SPIELWERK_REDIS__URL": settings.redis.url,
            "SPIELWERK_RPC__LISTEN": settings.rpc.listen,
            "SPIELWERK_API_TARGET": settings.api_target,
            "SPIELWERK_AUTH__TOKEN": settings.auth.token.get_secret_value(),
            "SPIELWERK_TIMER__CHECKPOINT_S": "0.1",
        }
        command = (sys.executable, "-m", "spielwerk_timer")
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        try:
            async with asyncio.timeout(WAIT_S):
                while b"deadlines known" not in await process.stderr.readline():
                    assert process.returncode is None
            async with running(drain(process.stderr)):
                yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGKILL)
            await process.wait()

    async def matches(self, deadlines_ms: Iterable[int]) -> list[str]:
        """One match for each; its seating ends so many ms from now."""
        token = self.keys.issue("matchmaking", "service:matchmaking", 3600)
        async with open_channel(self.address, lambda: token) as channel:
            stub = MatchServiceStub(channel)
            requests = [self._request(ms) for ms in deadlines_ms]
            for start in range(0, len(requests), 100):
                await asyncio.gather(*map(stub.CreateMatch, requests[start : start + 100]))
        return [request.match_id for request in requests]

    def _request(self, seating_ms: int) -> pb.CreateMatchRequest:
        match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
        occupants = [pb.Occupant(human=pb.Human(player_id=name)) for name in ("ada", "bo")]
        return pb.CreateMatchRequest(
            match_id=match_id,
            game="cribbage",
            occupants=occupants,
            watch=pb.WATCH_POLICY_PARTICIPANTS,
            seating_ms=seating_ms,
        )

    async def records(self, match_id: str) -> list[Record]:
        return [Record.FromString(stored.data) for stored in await self.log.read(match_id)]

    async def until_kept(self, match_id: str) -> None:
        """Wait until the timer's checkpoint holds the match."""
        async with aclosing(open_redis(self.common["redis"].url)) as store, asyncio.timeout(WAIT_S):
            while match_id not in str(await store.get("sw:{timer}:checkpoint")):
                await asyncio.sleep(0.02)

    async def lateness_ms(self, matches: Iterable[str]) -> list[int]:
        """Wait for the end of each match; from its deadline to its one timeout record."""
        found = []
        for match_id in matches:
            async with asyncio.timeout(WAIT_S):
                while len(records := await self.records(match_id)) < 2:
                    await asyncio.sleep(0.02)
            opened, ended = records
            assert ended.cause.kind == pb.CAUSE_KIND_TIMER
            assert ended.events[-1].ended.reason == "no_show"
            found.append(ended.recorded_at_ms - opened.turns[0].deadline_ms)
        return found


@pytest.fixture
async def table(
    brokers: Brokers, log: JetStreamLog, stream_settings: LogSettings, redis_url: str
) -> AsyncIterator[Table]:
    """With one running rules service."""
    common = {
        "nats": NatsSettings(url=brokers.nats_url),
        "log": stream_settings,
        "redis": RedisSettings(url=redis_url),
    }
    table = Table(common, signing.generate(), log)
    async with table.running:
        await table.running.enter_async_context(table.rules())
        yield table


def metric(host: Host, name: str, **labels: str) -> float:
    return host.metrics.value(f"spielwerk_{name}", **labels)


async def until_metric(host: Host, name: str, value: float, **labels: str) -> None:
    async with asyncio.timeout(WAIT_S):
        while metric(host, name, **labels) != value:
            await asyncio.sleep(0.01)
