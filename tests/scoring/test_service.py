"""The scoring service as it is served: real broker, real store, real gRPC."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

import spielwerk_scoring.app
from draining import drain
from faults.servers import nats_server
from spielwerk.api.v1 import ranking_pb2 as pb
from spielwerk.api.v1.ranking_pb2_grpc import RankingServiceStub
from spielwerk.background import running
from spielwerk.errors import (
    InvalidArgument,
    NotFound,
    PermissionDenied,
    SpielwerkError,
    Unavailable,
)
from spielwerk.log.connect import connect
from spielwerk.log.headers import RecordHeaders
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Conflict, Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import ensure_stream
from spielwerk.log.subjects import new_match_id
from spielwerk.rankings.plain import standings, totals
from spielwerk.rankings.score import exact_text, shown_milli
from spielwerk.rankings.totals import Entry
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.errors import error_of
from spielwerk.rpc.host import Host
from spielwerk.settings import AuthSettings, RedisSettings, RpcSettings
from spielwerk_accounts import keys as signing
from spielwerk_local.brokers import Brokers
from spielwerk_scoring import rebuild
from spielwerk_scoring.calendar import installed
from spielwerk_scoring.keys import LIVE, Generation
from spielwerk_scoring.settings import Settings

from .scripted import NOON, end_record, expected, stored_boards

CALENDAR = installed("Europe/Berlin")
WAIT_S = 30.0


@dataclass
class Season:
    """A running service and the matches that end while it runs."""

    common: dict[str, Any]
    keys: signing.SigningKeys
    log: JetStreamLog
    stack: AsyncExitStack
    entries: list[Entry] = field(default_factory=list)
    address: str = ""
    host: Host | None = None

    def settings(self) -> Settings:
        return Settings(
            **self.common,
            rpc=RpcSettings(listen="127.0.0.1:0", grace_s=1),
            auth=AuthSettings(jwks=self.keys.jwks()),
        )

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Host]:
        settings = self.settings()
        host = Host(settings)
        async with spielwerk_scoring.app.serving(settings, host), host.started() as address:
            self.address = address
            yield host

    async def end(self, *seats: tuple[str, int, int], at_ms: int = NOON) -> int:
        """One more finished match of the installed game."""
        record = end_record("cribbage", seats, at_ms, rated=True, result=True)
        record.match_id = new_match_id(at_ms, os.urandom(10))
        headers = RecordHeaders("cribbage", 1, at_ms, ()).write()
        self.entries += [Entry("cribbage", *seat, at_ms) for seat in seats if seat[2]]
        data = record.SerializeToString()
        while True:
            try:
                return await self.log.append(record.match_id, Kind.END, data, headers, expected=0)
            except Unavailable:
                await asyncio.sleep(0.01)
            except Conflict:  # the answer was lost, not the record
                return 0

    async def end_any(self, chance: Random) -> int:
        """A match of two players out of a dozen, within half a year."""
        names = chance.sample(range(12), 2)
        seats = [(f"p{name}", chance.randint(-50, 100) * 1000, 1) for name in names]
        return await self.end(*seats, at_ms=NOON + chance.randint(-90, 90) * 86_400_000)

    def stub(self, subject: str = "ada", role: str = "player") -> Any:
        token = self.keys.issue(subject, role, 3600)
        channel = open_channel(self.address, lambda: token)
        self.stack.push_async_callback(channel.close)
        return RankingServiceStub(channel)

    async def counted(self, redis: Redis) -> None:
        """Wait until everything is counted; it must agree with a plain recomputation."""
        last = (await self.log.identity()).last_sequence
        async with asyncio.timeout(WAIT_S):
            while await redis.get(LIVE) is None or await counted_up_to(redis) < last:
                await asyncio.sleep(0.01)
        assert await stored_boards(redis) == expected(self.entries, CALENDAR)


@pytest.fixture
async def season(
    brokers: Brokers, log: JetStreamLog, stream_settings: LogSettings, redis_url: str
) -> AsyncIterator[Season]:
    common = {
        "nats": NatsSettings(url=brokers.nats_url),
        "log": stream_settings,
        "redis": RedisSettings(url=redis_url),
    }
    async with AsyncExitStack() as stack:
        yield Season(common, signing.generate(), log, stack)


async def refused(call: Any) -> SpielwerkError:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return error_of(failed.value)


async def all_pages(stub: Any, size: int, **request: Any) -> list[pb.RankEntry]:
    entries: list[pb.RankEntry] = []
    token = ""
    while True:
        page = await stub.GetBoard(
            pb.GetBoardRequest(game="cribbage", page_size=size, page_token=token, **request)
        )
        entries += page.entries
        token = page.next_page_token
        if not token:
            return entries


async def test_a_board_is_read_in_pages_with_exact_numbers(season: Season, redis: Redis) -> None:
    chance = Random(4)
    async with season.serving():
        for number in range(25):
            await season.end(("ada", 100_000, 1), (f"p{number}", chance.randint(0, 5) * 1000, 2))
        await season.counted(redis)
        for size in (1, 7, 200):
            read = await all_pages(season.stub(), size, kind=pb.PERIOD_KIND_WEEK, key="2026-W49")
            board = next(
                players
                for (_, period), players in totals(
                    season.entries, CALENDAR.rankings, CALENDAR.zone
                ).items()
                if period.key == "2026-W49"
            )
            rows = standings(CALENDAR.rankings["cribbage"], board)
            assert [
                (e.rank, e.player_id, e.n_milli, e.games, e.score, e.score_milli) for e in read
            ] == [
                (
                    row.rank,
                    row.player_id,
                    row.total.n_milli,
                    row.total.games,
                    exact_text(row.score),
                    shown_milli(row.score),
                )
                for row in rows
            ]


async def test_neighbours_and_places_of_the_caller(season: Season, redis: Redis) -> None:
    async with season.serving():
        for number in range(9):
            await season.end((f"p{number}", (9 - number) * 1000, 1))
        await season.counted(redis)
        stub = season.stub("p4")
        around = await stub.GetAround(
            pb.GetAroundRequest(game="cribbage", kind=pb.PERIOD_KIND_MONTH, key="2026-12", radius=2)
        )
        assert [(e.rank, e.player_id) for e in around.entries] == [
            (number + 1, f"p{number}") for number in range(2, 7)
        ]
        assert (around.players, around.period.zone) == (9, "Europe/Berlin")
        stats = await season.stub("x", "operator").GetStats(
            pb.GetStatsRequest(game="cribbage", player_id="p8")
        )
        kinds = [period.period.kind for period in stats.periods]
        assert kinds == [1, 2, 3, 4, 5]
        assert (stats.periods[-1].entry.rank, stats.periods[-1].players) == (9, 9)
        assert not stats.periods[0].HasField("entry")  # the matches ended on another day


async def test_a_day_with_a_clock_change_has_25_hours(season: Season, redis: Redis) -> None:
    async with season.serving():
        await season.counted(redis)
        board = await season.stub().GetBoard(
            pb.GetBoardRequest(game="cribbage", kind=pb.PERIOD_KIND_DAY, key="2026-10-25")
        )
    assert (board.period.ends_at_ms - board.period.starts_at_ms) == 25 * 3_600_000
    assert (len(board.entries), board.players, board.next_page_token) == (0, 0, "")


async def test_requests_that_make_no_sense_are_refused_with_a_reason(
    season: Season, redis: Redis
) -> None:
    day = pb.PERIOD_KIND_DAY
    async with season.serving():
        await season.end(("ada", 1_000, 1), ("bo", 2_000, 1))
        await season.counted(redis)
        stub = season.stub()
        good = pb.GetBoardRequest(game="cribbage", kind=day, key="2026-12-01", page_size=1)
        token = (await stub.GetBoard(good)).next_page_token
        other = pb.GetBoardRequest(
            game="cribbage", kind=day, key="2026-12-02", page_size=1, page_token=token
        )
        cases: list[tuple[Any, type[SpielwerkError], str]] = [
            (stub.GetBoard(pb.GetBoardRequest(game="chess", kind=day)), NotFound, "game_unknown"),
            (stub.GetBoard(pb.GetBoardRequest(game="cribbage")), InvalidArgument, "bad_period"),
            (stub.GetBoard(other), InvalidArgument, "bad_page_token"),
            (
                stub.GetAround(pb.GetAroundRequest(game="cribbage", kind=day, radius=51)),
                InvalidArgument,
                "bad_radius",
            ),
            (
                stub.GetAround(pb.GetAroundRequest(game="cribbage", kind=day, key="2026-11-30")),
                NotFound,
                "not_ranked",
            ),
            (
                season.stub("ops", "operator").GetStats(pb.GetStatsRequest(game="cribbage")),
                InvalidArgument,
                "no_player",
            ),
            (
                season.stub("bots", "service:bots").GetStats(pb.GetStatsRequest(game="cribbage")),
                PermissionDenied,
                "role_not_allowed",
            ),
        ]
        for call, kind, reason in cases:
            error = await refused(call)
            assert (type(error), error.reason) == (kind, reason)


@pytest.mark.parametrize("token", ["x", "W10=", "bnVsbA==", "WzEsMl0=", "%", "A" * 5000, "é"])
async def test_a_page_token_of_somebody_else_is_refused(
    season: Season, redis: Redis, token: str
) -> None:
    async with season.serving():
        await season.counted(redis)
        request = pb.GetBoardRequest(
            game="cribbage", kind=pb.PERIOD_KIND_YEAR, key="2026", page_token=token
        )
        assert (await refused(season.stub().GetBoard(request))).reason == "bad_page_token"


async def test_sc_01_results_are_counted_once_however_often_the_process_is_killed(
    season: Season, redis: Redis
) -> None:
    """Processes are killed with SIGKILL in the middle of counting; matches end all the time."""
    chance = Random(8)
    for goal in (1, 17, 60):
        async with process(season) as scoring:
            last = 0
            while await counted_up_to(redis) < goal or last < 3 * goal:
                last = await season.end_any(chance)
            scoring.send_signal(signal.SIGKILL)
            await scoring.wait()
    async with process(season):
        await season.counted(redis)


async def test_es_10_results_are_counted_once_over_restarts_of_broker_and_service(
    redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    chance = Random(9)
    settings = LogSettings()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(nats_server(tmp_path))
        nats = await stack.enter_async_context(connect(NatsSettings(url=server.url)))
        await ensure_stream(nats, settings, known=None, allow_new=True)
        common = {"nats": NatsSettings(url=server.url), "log": settings}
        common |= {"redis": RedisSettings(url=redis_url)}
        season = Season(common, signing.generate(), JetStreamLog(nats, settings), stack)
        for _ in range(3):
            async with season.serving():
                for _ in range(20):
                    await season.end_any(chance)
                server.kill()
                await server.start()
                for _ in range(20):
                    await season.end_any(chance)
        async with season.serving():
            await season.counted(redis)


async def test_sc_02_a_rebuild_from_the_command_line_restores_a_damaged_store(
    season: Season, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = season.settings()
    monkeypatch.setenv("SPIELWERK_LOG__STREAM", settings.log.stream)
    async with season.serving():
        chance = Random(5)
        for _ in range(30):
            await season.end_any(chance)
        await season.counted(redis)
        live = Generation(str(await redis.get(LIVE)))
        await redis.hset(live.totals("cribbage:year:2026"), "p1", "[99,1]")
        await rebuild.main(settings.nats.url, settings.redis.url)
        await season.counted(redis)
        await season.end(("ada", 1_000, 1))
        await season.counted(redis)


async def counted_up_to(redis: Redis) -> int:
    """Sequence of the last counted end; all messages of the log are ends here."""
    live = Generation(str(await redis.get(LIVE)))
    return int(await redis.hget(live.checkpoint, "sequence") or 0)


@asynccontextmanager
async def process(
    season: Season, *, until: bytes = b"rankings follow the log"
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The service as a process of its own, once it has logged this; killed at the end."""
    settings = season.settings()
    environment = os.environ | {
        "SPIELWERK_NATS__URL": settings.nats.url,
        "SPIELWERK_LOG__STREAM": settings.log.stream,
        "SPIELWERK_REDIS__URL": settings.redis.url,
        "SPIELWERK_RPC__LISTEN": settings.rpc.listen,
        "SPIELWERK_AUTH__JWKS": season.keys.jwks(),
    }
    command = (sys.executable, "-m", "spielwerk_scoring")
    scoring = await asyncio.create_subprocess_exec(
        *command, env=environment, stderr=asyncio.subprocess.PIPE
    )
    assert scoring.stderr is not None
    try:
        async with asyncio.timeout(WAIT_S):
            while until not in await scoring.stderr.readline():
                assert scoring.returncode is None
        async with running(drain(scoring.stderr)):
            yield scoring
    finally:
        if scoring.returncode is None:
            scoring.kill()
        await scoring.wait()
