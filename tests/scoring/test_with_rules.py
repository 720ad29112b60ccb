"""A match that was really played reaches the rankings."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import AsyncExitStack
from typing import Any

import spielwerk_rules.app
import spielwerk_scoring.app
from spielwerk.api.v1 import match_pb2, ranking_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.api.v1.ranking_pb2_grpc import RankingServiceStub
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, RedisSettings, RpcSettings
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import Brokers
from spielwerk_rules.settings import Settings as RulesSettings
from spielwerk_scoring.settings import Settings


async def test_a_resigned_match_counts_for_both_and_an_unrated_or_void_one_for_nobody(
    brokers: Brokers, stream_settings: LogSettings, redis_url: str
) -> None:
    keys = signing.generate()
    common: dict[str, Any] = {
        "nats": NatsSettings(url=brokers.nats_url),
        "log": stream_settings,
        "redis": RedisSettings(url=redis_url),
        "rpc": RpcSettings(listen="127.0.0.1:0", grace_s=1),
        "auth": AuthSettings(jwks=keys.jwks()),
    }
    async with AsyncExitStack() as stack:
        host = Host(RulesSettings(**common))
        rules = spielwerk_rules.app.serving(RulesSettings(**common), host.part())
        await stack.enter_async_context(rules)
        scoring = spielwerk_scoring.app.serving(Settings(**common), host.part())
        await stack.enter_async_context(scoring)
        address = await stack.enter_async_context(host.started())

        async def channel(subject: str, role: str = "player") -> Any:
            token = keys.issue(subject, role, 600)
            return await stack.enter_async_context(open_channel(address, lambda: token))

        maker = MatchServiceStub(await channel("matchmaking", "service:matchmaking"))
        ada, bo = MatchServiceStub(await channel("ada")), MatchServiceStub(await channel("bo"))
        for rated in (True, False):
            match_id = await created(maker, rated=rated)
            for player in (ada, bo):
                await player.Join(match_pb2.JoinRequest(match_id=match_id))
            resign = match_pb2.ResignRequest(match_id=match_id, command_id="r1")
            await bo.Resign(resign)
        aborted = await created(maker, rated=True)
        operator = MatchServiceStub(await channel("ops", "operator"))
        await operator.AbortMatch(match_pb2.AbortMatchRequest(match_id=aborted, reason="test"))

        boards = RankingServiceStub(await channel("ada"))
        request = ranking_pb2.GetBoardRequest(
            game="cribbage", kind=ranking_pb2.PERIOD_KIND_ALL_TIME
        )
        async with asyncio.timeout(20):
            while read(host) < 3:
                await asyncio.sleep(0.01)
        board = await boards.GetBoard(request)
        own = await boards.GetStats(ranking_pb2.GetStatsRequest(game="cribbage"))
    assert [(e.rank, e.player_id, e.games, e.n_milli) for e in board.entries] == [
        (1, "ada", 1, 100_000),
        (2, "bo", 1, 0),
    ]
    assert [period.entry.games for period in own.periods] == [1] * 5


def read(host: Host) -> float:
    """How many results scoring has read."""
    outcomes = ("applied", "unrated")
    name = "spielwerk_results_total"
    return sum(host.metrics.value(name, game="cribbage", outcome=each) for each in outcomes)


async def created(maker: Any, *, rated: bool) -> str:
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    occupants = [
        match_pb2.Occupant(human=match_pb2.Human(player_id=name)) for name in ("ada", "bo")
    ]
    await maker.CreateMatch(
        match_pb2.CreateMatchRequest(
            match_id=match_id,
            game="cribbage",
            occupants=occupants,
            watch=match_pb2.WATCH_POLICY_PARTICIPANTS,
            rated=rated,
        )
    )
    return match_id
