"""Rules and matchmaking over real gRPC on the worker's brokers, and clients with tokens."""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from pydantic import SecretStr

import spielwerk_matchmaking.app
import spielwerk_rules.app
from matchmaking.instances import until
from ports import free_port
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1 import matchmaking_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.api.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from spielwerk.errors import SpielwerkError
from spielwerk.rpc.channel import AuthorizedChannel, open_channel
from spielwerk.rpc.errors import error_of
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, LogSettings, NatsSettings, RedisSettings, RpcSettings
from spielwerk_accounts import keys as signing
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.settings import Settings as MatchmakingServiceSettings
from spielwerk_rules.settings import RulesSettings
from spielwerk_rules.settings import Settings as RulesServiceSettings


@dataclass
class Installation:
    nats_url: str
    redis_url: str
    log: LogSettings
    stack: AsyncExitStack
    first: AsyncExitStack = field(default_factory=AsyncExitStack)
    """The first instance of matchmaking."""
    keys: signing.SigningKeys = field(default_factory=signing.generate)
    rules: str = ""
    hosts: list[Host] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    port: dict[str, Any] = field(default_factory=dict)
    """More settings of the ports of matchmaking that are started next."""

    async def start_rules(self, **limits: Any) -> None:
        settings = RulesServiceSettings(
            nats=NatsSettings(url=self.nats_url),
            log=self.log,
            rpc=RpcSettings(listen="127.0.0.1:0", grace_s=2),
            rules=RulesSettings(**limits),
        )
        host = Host(settings)
        host.trust(self.keys.jwks())
        await self.stack.enter_async_context(spielwerk_rules.app.serving(settings, host))
        self.rules = await self.stack.enter_async_context(host.started())

    async def start_matchmaking(self, **limits: Any) -> str:
        token = self.keys.issue("matchmaking", "service:matchmaking", 3600)
        settings = MatchmakingServiceSettings(
            nats=NatsSettings(url=self.nats_url),
            redis=RedisSettings(url=self.redis_url),
            log=self.log,
            rpc=RpcSettings(**{"listen": "127.0.0.1:0", "grace_s": 2, **self.port}),
            auth=AuthSettings(jwks=self.keys.jwks(), token=SecretStr(token)),
            api_target=self.rules,
            matchmaking=MatchmakingSettings(**{"settle_ms": 300, "round_ms": 200} | limits),
        )
        stack = self.first if not self.hosts else self.stack
        host = Host(settings)
        await stack.enter_async_context(spielwerk_matchmaking.app.serving(settings, host))
        self.addresses.append(await stack.enter_async_context(host.started()))
        self.hosts.append(host)
        await until(self.takes_tickets)
        return self.addresses[-1]

    async def takes_tickets(self) -> bool:
        """Whether the newest instance is past its start; the ticket is given back."""
        probe = self.meet(f"probe-{len(self.hosts)}", -1)
        try:
            request = pb.EnqueueRequest(game="cribbage", request_id="probe")
            ticket = (await probe.Enqueue(request)).ticket
        except grpc.aio.AioRpcError:
            return False
        await probe.CancelTicket(pb.CancelTicketRequest(ticket_id=ticket.ticket_id))
        return True

    async def stop_matchmaking(self) -> None:
        """End the first instance."""
        await self.first.aclose()

    def environment(self, api_target: str, matchmaking: dict[str, int]) -> dict[str, str]:
        """Settings of matchmaking as a process of its own."""
        own = {f"MATCHMAKING__{name.upper()}": str(value) for name, value in matchmaking.items()}
        settings = own | {
            "NATS__URL": self.nats_url,
            "REDIS__URL": self.redis_url,
            "LOG__STREAM": self.log.stream,
            "RPC__LISTEN": f"127.0.0.1:{free_port()}",
            "AUTH__JWKS": self.keys.jwks(),
            "AUTH__TOKEN": self.keys.issue("matchmaking", "service:matchmaking", 3600),
            "API_TARGET": api_target,
        }
        return {f"SPIELWERK_{name}": value for name, value in settings.items()}

    def channel(self, player: str, address: str, role: str = "player") -> AuthorizedChannel:
        token = self.keys.issue(player, role, 3600)
        return open_channel(address, lambda: token)

    def meet(self, player: str, instance: int = 0, role: str = "player") -> Any:
        """A player's stub of matchmaking."""
        channel = self.channel(player, self.addresses[instance], role)
        self.stack.push_async_callback(channel.close)
        return MatchmakingServiceStub(channel)

    def play(self, player: str, role: str = "player") -> Any:
        """A player's stub of rules."""
        channel = self.channel(player, self.rules, role)
        self.stack.push_async_callback(channel.close)
        return MatchServiceStub(channel)

    async def finished_match(self, *players: str) -> str:
        """A queue match of the players that ended with a result."""
        match_id = await self.matched(*players)
        for player in players:
            await self.play(player).Join(match_pb2.JoinRequest(match_id=match_id))
        resign = match_pb2.ResignRequest(match_id=match_id, command_id="r")
        await self.play(players[0]).Resign(resign)
        return match_id

    async def matched(self, *players: str) -> str:
        """The queue match of the players."""
        tickets = [await self.enqueue(player) for player in players]
        watch = self.meet(players[0]).WatchTicket(pb.WatchTicketRequest(ticket_id=tickets[0]))
        states = [response.ticket async for response in watch]
        assert states[-1].state == pb.TICKET_STATE_MATCHED
        return str(states[-1].match_id)

    async def enqueue(self, player: str, **more: Any) -> str:
        request = pb.EnqueueRequest(game="cribbage", request_id=secrets.token_hex(8), **more)
        return str((await self.meet(player).Enqueue(request)).ticket.ticket_id)


async def refused(call: Any) -> tuple[grpc.StatusCode, SpielwerkError]:
    """Status and error of a call that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return failed.value.code(), error_of(failed.value)
