"""All services in one process and on one gRPC port, with a broker and a store beside it.

The same `serving` of each service runs here as in a process of its own; this is the only place that
knows that they are together.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from pydantic import SecretStr, field_validator

import spielwerk_accounts.app
import spielwerk_bots.app
import spielwerk_matchmaking.app
import spielwerk_rules.app
import spielwerk_scoring.app
import spielwerk_timer.app
from spielwerk.background import running
from spielwerk.rpc.host import Host
from spielwerk.settings import (
    AuthSettings,
    CommonSettings,
    LogSettings,
    Mode,
    NatsSettings,
    RedisSettings,
    RpcSettings,
    TelemetrySettings,
)
from spielwerk_accounts.keys import SigningKeys, load
from spielwerk_accounts.settings import AccountsSettings, KeySettings
from spielwerk_bots.settings import Settings as BotsSettings
from spielwerk_local.brokers import Brokers, local_brokers
from spielwerk_matchmaking.settings import Settings as MatchmakingSettings
from spielwerk_rules.settings import Settings as RulesServiceSettings
from spielwerk_scoring.settings import Settings as ScoringSettings
from spielwerk_timer.settings import Settings as TimerSettings

RUNTIME: Final = "runtime.json"
"""Addresses of the running installation, in its data folder, for the command line."""
_READY_S: Final = 60.0
_TOKEN_S: Final = 10 * 365 * 86_400.0


SETTINGS: Final[tuple[type[CommonSettings], ...]] = (
    AccountsSettings,
    RulesServiceSettings,
    MatchmakingSettings,
    TimerSettings,
    ScoringSettings,
    BotsSettings,
)
"""Whose variables are read; addresses, keys, tokens and ports are the installation's own."""


class UpSettings(CommonSettings):
    """What all services of one folder have in common."""

    @field_validator("mode")
    @classmethod
    def _not_in_production(cls, mode: Mode) -> Mode:
        if mode == "production":
            raise ValueError("`up` has a development key and is not for production")
        return mode


@dataclass(frozen=True, slots=True)
class Installation:
    """Where the parts of a running installation are."""

    api: str
    nats_url: str
    redis_url: str
    data: Path


@asynccontextmanager
async def installation(
    data: Path, *, listen: str = "127.0.0.1:7700", sync_always: bool = True
) -> AsyncIterator[Installation]:
    """Host everything below `data`; a second start finds what the first one left."""
    data.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        brokers = await stack.enter_async_context(local_brokers(data, sync_always=sync_always))
        await stack.enter_async_context(running(_ended_with(brokers)))
        common = _common(data, _with_port(listen), brokers)
        await stack.enter_async_context(hosted(common, data, sync_always=sync_always))
        address = common.rpc.listen
        await _until_ready(address)
        here = Installation(address, brokers.nats_url, brokers.redis_url, data)
        _write_runtime(here)
        yield here


@asynccontextmanager
async def hosted(common: CommonSettings, data: Path, *, sync_always: bool) -> AsyncIterator[Host]:
    """All services on one port, which `common` names, with brokers that run elsewhere."""
    keys = load(KeySettings(data=data / "accounts"), common.auth, common.mode)
    host = Host(common)
    host.trust(keys.jwks())
    async with AsyncExitStack() as stack:
        for serving, settings in _services(common, keys, data, sync_always=sync_always):
            await stack.enter_async_context(serving(settings, host.part()))
        await stack.enter_async_context(host.started())
        yield host


async def _ended_with(brokers: Brokers) -> None:
    """End everything when a broker has ended or can no longer write: a new start mends both."""
    raise RuntimeError(await brokers.crashed())


def _with_port(listen: str) -> str:
    """The services must know the port before it is opened, so a free one is chosen for port 0."""
    host, _, port = listen.rpartition(":")
    if port != "0":
        return listen
    with socket.socket() as probe:
        probe.bind((host, 0))
        return f"{host}:{probe.getsockname()[1]}"


async def _until_ready(address: str) -> None:
    """Wait until every service has caught up with the log; TimeoutError after a minute."""
    request = health_pb2.HealthCheckRequest()
    async with grpc.aio.insecure_channel(address) as channel, asyncio.timeout(_READY_S):
        stub = health_pb2_grpc.HealthStub(channel)
        while (await stub.Check(request)).status != health_pb2.HealthCheckResponse.SERVING:
            await asyncio.sleep(0.05)


def own_log(data: Path) -> LogSettings:
    """The log of an installation that lives in the folder, where its marker file is, too."""
    return CommonSettings().log.model_copy(update={"marker_file": data / "stream.json"})


def read_runtime(data: Path) -> Installation | None:
    """The installation that runs (or ran last) in the folder."""
    try:
        known = json.loads((data / RUNTIME).read_text())
    except (OSError, ValueError):
        return None
    return Installation(known["api"], known["nats_url"], known["redis_url"], data)


def _write_runtime(running: Installation) -> None:
    known = {"api": running.api, "nats_url": running.nats_url, "redis_url": running.redis_url}
    fresh = running.data / f"{RUNTIME}.new"
    fresh.touch(mode=0o600)  # the broker's address holds its password
    fresh.write_text(json.dumps(known))
    fresh.replace(running.data / RUNTIME)


def _common(data: Path, listen: str, brokers: Brokers) -> CommonSettings:
    return CommonSettings(
        nats=NatsSettings(url=brokers.nats_url),
        log=own_log(data),
        redis=RedisSettings(url=brokers.redis_url),
        rpc=RpcSettings(listen=listen),
        api_target=listen.replace("0.0.0.0", "127.0.0.1"),
        telemetry=TelemetrySettings(),
    )


def _services(
    common: CommonSettings, keys: SigningKeys, data: Path, *, sync_always: bool
) -> list[tuple[Any, Any]]:
    base = common.model_dump()

    def settings(kind: Any, name: str, **more: Any) -> Any:
        token = keys.issue(name, f"service:{name}", _TOKEN_S)
        auth = AuthSettings(jwks=keys.jwks(), token=SecretStr(token))
        return kind(**(base | {"auth": auth} | more))

    durability = {"durability": "power" if sync_always else "process"}
    return [
        (
            spielwerk_accounts.app.serving,
            settings(AccountsSettings, "accounts", keys=KeySettings(data=data / "accounts")),
        ),
        (spielwerk_rules.app.serving, settings(RulesServiceSettings, "rules", rules=durability)),
        (spielwerk_matchmaking.app.serving, settings(MatchmakingSettings, "matchmaking")),
        (spielwerk_timer.app.serving, settings(TimerSettings, "timer")),
        (spielwerk_scoring.app.serving, settings(ScoringSettings, "scoring")),
        (spielwerk_bots.app.serving, settings(BotsSettings, "bots")),
    ]
