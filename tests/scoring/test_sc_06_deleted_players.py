"""SC-06: who deletes the account is on no board any more, whatever is lost and built anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
import pytest
from redis.asyncio import Redis

from faults.servers import nats_server
from spielwerk.api.v1 import account_pb2
from spielwerk.errors import NotFound, Unavailable
from spielwerk.log.api import ask
from spielwerk.log.connect import Connection, connect
from spielwerk.log.forgotten import BUCKET, ForgottenPlayers, Position
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import ensure_stream
from spielwerk.rpc.errors import error_of
from spielwerk.settings import RedisSettings
from spielwerk_accounts import keys as signing
from spielwerk_accounts.buckets import Bucket, open_bucket
from spielwerk_accounts.guests import Guests
from spielwerk_accounts.profiles import Profiles
from spielwerk_scoring import rebuild

from .deleting import WAIT_S, Town, town_of
from .test_service import Season, refused, season

__all__ = ["season"]


@pytest.fixture
async def town(
    season: Season, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Town]:
    monkeypatch.setenv("SPIELWERK_LOG__STREAM", season.settings().log.stream)
    async with town_of(season, tmp_path, 6) as town:
        yield town


async def built_anew(town: Town) -> None:
    """`spielwerk rankings rebuild`, which `spielwerk repair` runs, too."""
    await rebuild.main(town.season.settings().nats.url, town.season.settings().redis.url)


@pytest.mark.timeout(180)
async def test_sc_06_a_deleted_player_is_gone_from_every_board_and_stays_so_after_a_rebuild(
    town: Town, redis: Redis
) -> None:
    await town.settle(guests=9, matches=120)
    order = [player_id for _, player_id in town.ranked()]
    first, middle, last, stays = order[0], order[4], order[-1], order[1]
    async with town.season.serving():
        await town.shown(redis)
        lost, won = await town.begin(first, stays), await town.begin(last, stays)
        for player_id in (first, middle, last):
            await town.delete(player_id)
            await town.shown(redis)
            await town.shown_to_players()

        await town.resign(lost, first)
        await town.resign(won, stays)
        await town.shown(redis)
        await town.shown_to_players()

        await built_anew(town)
        await town.shown(redis)
        await redis.flushall()
        await town.season.end((first, 1_000, 1), (stays, 2_000, 1))
        await town.shown(redis)
        await town.shown_to_players()
    await redis.flushall()
    await built_anew(town)
    await town.shown(redis)


async def test_sc_06_a_player_deleted_while_scoring_was_away_is_taken_out_when_it_comes_back(
    town: Town, redis: Redis
) -> None:
    await town.settle(guests=5, matches=40)
    async with town.season.serving():
        await town.shown(redis)
    for _, player_id in town.ranked()[:2]:
        await town.delete(player_id)
    await town.season.end((min(town.gone), 9_000, 1), (town.ranked()[0][1], 1_000, 1))
    async with town.season.serving():
        await town.shown(redis)
        await town.shown_to_players()


class Crash(BaseException):
    """The process is gone: nobody handles this."""


class CrashingBucket(Bucket):
    """The process dies instead of erasing."""

    async def erase(self, key: str) -> None:
        raise Crash(key)


async def test_sc_06_a_deletion_that_breaks_off_takes_the_player_out_and_can_be_repeated(
    town: Town, nats: Connection, redis: Redis
) -> None:
    await town.settle(guests=5, matches=40)
    player_id = town.ranked()[0][1]
    store = await nats.nc.jetstream().key_value(town.settings.profiles_bucket)
    requests = await open_bucket(nats, town.settings.requests_bucket, 1)
    forgotten = await open_bucket(nats, BUCKET, 1)
    profiles = Profiles(CrashingBucket(nats, store))
    async with town.season.serving():
        await town.shown(redis)
        guests = Guests(profiles, requests, forgotten, town.season.keys, 60)
        with pytest.raises(Crash):
            await guests.delete(player_id)
        assert (await profiles.get(player_id)).player_id == player_id
        town.gone.add(player_id)
        await town.shown(redis)

        await town.delete(player_id)
        with pytest.raises(NotFound):
            await profiles.get(player_id)
        again = await town.accounts_of(player_id)
        error = await refused(again.DeleteAccount(account_pb2.DeleteAccountRequest()))
        assert error.reason == "account_unknown"
        await town.shown_to_players()


async def test_sc_06_a_record_of_deletions_made_anew_is_read_from_its_beginning(
    town: Town, nats: Connection, redis: Redis
) -> None:
    await town.settle(guests=6, matches=40)
    async with town.season.serving():
        for _, player_id in town.ranked()[:2]:
            await town.delete(player_id)
        await town.shown(redis)
        await ask(nats, f"STREAM.DELETE.KV_{BUCKET}", None, timeout=5)
        await open_bucket(nats, BUCKET, 1)
        await town.delete(town.ranked()[0][1])
        await town.shown(redis)


async def test_sc_06_only_the_bare_id_of_a_deleted_player_is_kept(
    town: Town, nats: Connection
) -> None:
    await town.settle(guests=2, matches=0)
    player_id = min(town.tokens)
    await town.delete(player_id)
    players, position = await ForgottenPlayers(nats).everybody()
    assert (set(players), position.sequence) == ({player_id}, 1)
    message = await nats.nc.jetstream().get_msg(f"KV_{BUCKET}", 1)
    assert message.subject == f"$KV.{BUCKET}.{player_id}"
    assert message.data == b"{}"


async def test_sc_06_what_accounts_did_not_write_deletes_nobody(
    town: Town, nats: Connection
) -> None:
    await town.settle(guests=2, matches=0)
    first, second = sorted(town.tokens)
    await town.delete(first)
    for value in (b"", b"no json", b'{"type": "an answer of the broker"}', b"[]"):
        await nats.nc.jetstream().publish(f"$KV.{BUCKET}.{second}", value)
    players = ForgottenPlayers(nats)
    everybody, end = await players.everybody()
    assert everybody == {first}
    found = await players.behind(Position(end.created, 0))
    assert found is not None
    assert found.player_id == first
    assert await players.behind(found.position) is None
    await town.delete(second)
    assert (await players.everybody())[0] == {first, second}


async def test_sc_06_deletions_are_followed_over_restarts_of_the_broker(
    redis: Redis, redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = LogSettings()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(nats_server(tmp_path / "nats"))
        nats = await stack.enter_async_context(connect(NatsSettings(url=server.url)))
        await ensure_stream(nats, settings, known=None, allow_new=True)
        common = {"nats": NatsSettings(url=server.url), "log": settings}
        common |= {"redis": RedisSettings(url=redis_url)}
        season = Season(common, signing.generate(), JetStreamLog(nats, settings), stack)
        town = await stack.enter_async_context(town_of(season, tmp_path, 7))
        await town.settle(guests=6, matches=40)
        async with season.serving():
            await town.shown(redis)
            for _ in range(2):
                caplog.clear()
                server.kill()
                async with asyncio.timeout(WAIT_S):
                    while "deletions are not followed" not in caplog.text:
                        await asyncio.sleep(0.05)
                await server.start()
                await nats.until_connected()
                await deleted(town, town.ranked()[0][1])
                await town.shown(redis)


async def deleted(town: Town, player_id: str) -> None:
    """Until the answer is definite: accounts may find the broker a little later than the test."""
    async with asyncio.timeout(WAIT_S):
        while player_id not in town.gone:
            try:
                await town.delete(player_id)
            except grpc.aio.AioRpcError as failed:
                if not isinstance(error_of(failed), Unavailable):
                    raise
                await asyncio.sleep(0.05)
