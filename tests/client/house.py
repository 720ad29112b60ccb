"""Rules and accounts on a real broker, as they are served in production, for clients in tests."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr

import spielwerk_accounts.app
import spielwerk_bots.app
import spielwerk_matchmaking.app
import spielwerk_rules.app
import spielwerk_scoring.app
from ports import free_port
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.client import Spielwerk
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, RedisSettings, RpcSettings
from spielwerk.tls import NamedTls
from spielwerk_accounts import keys as signing
from spielwerk_accounts.settings import AccountsSettings, KeySettings
from spielwerk_bots.settings import Settings as BotsServiceSettings
from spielwerk_matchmaking.settings import Settings as MatchmakingSettings
from spielwerk_rules.settings import RulesSettings
from spielwerk_rules.settings import Settings as RulesServiceSettings
from spielwerk_scoring.settings import Settings as ScoringSettings

FOREVER_S = 3600.0
PLAYER, BOT = "human", "bot"


@dataclass
class House:
    """A server that can be stopped and started again at its address."""

    common: dict[str, Any]
    folder: Path
    keys: signing.SigningKeys
    rules: RulesSettings = field(default_factory=RulesSettings)
    token_ttl_s: int = 3600
    address: str = "127.0.0.1:0"
    everything: bool = False
    """Matchmaking, bots and scoring, too."""
    port: dict[str, Any] = field(default_factory=dict)
    """More settings of the port."""
    api_tls: NamedTls | None = None
    """How services are connected to rules; at the internal address, if there is one."""
    host: Host | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(self) -> None:
        rpc = RpcSettings(listen=self.address, grace_s=1, **self.port)
        common = {**self.common, "rpc": rpc, "auth": AuthSettings(jwks=self.keys.jwks())}
        rules = RulesServiceSettings(**common, rules=self.rules)
        accounts = AccountsSettings(
            **common, keys=KeySettings(data=self.folder), token_ttl_s=self.token_ttl_s
        )
        self.host = host = Host(rules)
        enter = self._stack.enter_async_context
        await enter(spielwerk_rules.app.serving(rules, host.part()))
        await enter(spielwerk_accounts.app.serving(accounts, host.part()))
        if self.everything:
            target = rpc.internal_listen or self.address
            own = {**self.common, "rpc": rpc, "api_target": target, "api_tls": self.api_tls}
            meeting = MatchmakingSettings(**own, auth=self.service_auth("matchmaking"))
            bots = BotsServiceSettings(**own, auth=self.service_auth("bots"))
            await enter(spielwerk_matchmaking.app.serving(meeting, host.part()))
            scoring = ScoringSettings(**own, auth=self.service_auth("scoring"))
            await enter(spielwerk_bots.app.serving(bots, host.part()))
            await enter(spielwerk_scoring.app.serving(scoring, host.part()))
        self.address = await enter(host.started())

    def open_streams(self, method: str) -> float:
        """How many calls of a streaming method the server holds open."""
        assert self.host is not None
        name = f"/spielwerk.api.v1.MatchService/{method}"
        return self.host.metrics.value("spielwerk_rpc_streams", method=name)

    async def stop(self) -> None:
        await self._stack.aclose()

    def token(self, subject: str, role: str = "player") -> str:
        return self.keys.issue(subject, role, FOREVER_S)

    def client(self, player: str, **more: Any) -> Spielwerk:
        return Spielwerk.connect(self.address, token=self.token(player), **more)

    def service_auth(self, name: str) -> AuthSettings:
        token = SecretStr(self.token(name, f"service:{name}"))
        return AuthSettings(jwks=self.keys.jwks(), token=token)

    async def open_match(self, *players: str, target: int = 61) -> str:
        """A match of cribbage; a player called `bot:<strength>` is one."""
        match_id = new_match_id(time.time_ns() // 1_000_000, secrets.token_bytes(10))
        request = match_pb2.CreateMatchRequest(
            match_id=match_id,
            game="cribbage",
            occupants=[_occupant(player) for player in players],
            watch=match_pb2.WATCH_POLICY_ANYONE,
            seating_ms=600_000,
        )
        request.options.cribbage.target = target
        request.options.cribbage.action_timeout_s = 0
        operator = self.token("ops", "operator")
        async with open_channel(self.address, lambda: operator) as channel:
            await MatchServiceStub(channel).CreateMatch(request, timeout=10)
        return match_id


@asynccontextmanager
async def house_at(
    nats_url: str, log: LogSettings, redis_url: str, folder: Path, **more: Any
) -> AsyncIterator[House]:
    """A running server."""
    common = {
        "nats": NatsSettings(url=nats_url),
        "log": log,
        "redis": RedisSettings(url=redis_url),
    }
    if more.get("everything"):
        more["address"] = f"127.0.0.1:{free_port()}"
    house = House(
        common,
        folder,
        signing.load(KeySettings(data=folder), AuthSettings(), "development"),
        **more,
    )
    await house.start()
    try:
        yield house
    finally:
        await house.stop()


def _occupant(player: str) -> match_pb2.Occupant:
    kind, _, strength = player.partition(":")
    if kind != BOT:
        return match_pb2.Occupant(human=match_pb2.Human(player_id=player))
    return match_pb2.Occupant(
        bot=match_pb2.Bot(
            strength=strength,
            policy=f"{strength}@1",
            information=match_pb2.BOT_INFORMATION_OWN_VIEW,
        )
    )
