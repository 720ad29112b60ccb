"""ES-03: after a log was set back to a backup nobody goes on as if it had not been."""

from __future__ import annotations

import argparse
import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from faults.servers import NatsServer
from faults.witness import Witness, rows_of
from log.whole import Whole, opened_log, until, whole
from spielwerk.client import PeriodKind, Spielwerk
from spielwerk.errors import FailedPrecondition
from spielwerk.rankings.periods import PeriodKind as Kind
from spielwerk_local.restoring import backup, repair, restore

BERLIN = ZoneInfo("Europe/Berlin")
SCORING, MATCHMAKING = "scoring: rankings", "matchmaking: log read to its end"


@asynccontextmanager
async def people(
    server: NatsServer, redis_url: str, folder: Path
) -> AsyncIterator[tuple[Whole, Spielwerk, Spielwerk]]:
    """A running installation and two guests."""
    async with (
        whole(server, redis_url, folder) as installed,
        installed.client() as ada,
        installed.client() as ben,
    ):
        for client in (ada, ben):
            await client.create_guest("X")
        yield installed, ada, ben


async def end_matches(ada: Spielwerk, ben: Spielwerk, installed: Whole, number: int) -> None:
    """Ada gives up one match after the other."""
    players = [client.device.player_id for client in (ada, ben) if client.device]
    for _ in range(number):
        match_id = await installed.match(*players)
        for client in (ada, ben):
            await client.match(match_id).join()
        await ada.match(match_id).resign()


async def board(client: Spielwerk) -> list[tuple[int, str, int, int]]:
    async with client.rankings.entries("cribbage", PeriodKind.ALL_TIME) as entries:
        return rows_of([entry async for entry in entries])


async def recomputed(url: str) -> list[tuple[int, str, int, int]]:
    """What the board must be, from the log alone."""
    async with opened_log(url) as log:
        witness = await Witness.of(log)
    rows = witness.board("cribbage", Kind.ALL_TIME, BERLIN)
    return [(r.rank, r.player_id, r.total.n_milli, r.total.games) for r in rows]


async def until_recomputed(client: Spielwerk, url: str) -> None:
    expected = await recomputed(url)

    async def equal() -> bool:
        return await board(client) == expected

    await until(equal)


@pytest.mark.parametrize("beyond", ["shorter", "longer"])
@pytest.mark.timeout(240)
async def test_es_03_followers_notice_a_log_that_was_set_back_to_a_copy_of_its_files(
    server: NatsServer,
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    beyond: str,
) -> None:
    """`longer`: the new log has other records under all positions that were read before."""
    store = tmp_path / "nats" / "jetstream"
    async with people(server, redis_url, tmp_path) as (installed, ada, ben):
        await end_matches(ada, ben, installed, 3)
        await until_recomputed(ada, server.url)
    await server.stop()
    shutil.copytree(store, tmp_path / "copy")
    await server.start()
    async with people(server, redis_url, tmp_path) as (installed, ada, ben):
        await end_matches(ada, ben, installed, 4)
        await until_recomputed(ada, server.url)
    await server.stop()
    shutil.rmtree(store)
    (tmp_path / "copy").rename(store)
    (tmp_path / "stream.json").unlink()  # the operator's word that this log counts
    await server.start()

    if beyond == "longer":
        # The same broker, another store: whoever followed the old log does not see this.
        async with people(server, f"{redis_url[:-1]}1", tmp_path) as (installed, ada, ben):
            await end_matches(ada, ben, installed, 8)
    async with people(server, redis_url, tmp_path) as (installed, ada, ben):
        await until(lambda: installed.ready("timer: deadlines"))  # it reads on from a census
        await end_matches(ada, ben, installed, 2)
        assert not installed.ready(SCORING)
        assert not installed.ready(MATCHMAKING)
        monkeypatch.setenv("SPIELWERK_NATS__URL", server.url)
        monkeypatch.setenv("SPIELWERK_REDIS__URL", redis_url)
        assert await repair(argparse.Namespace(data=tmp_path)) == 0
        await until(lambda: installed.ready(SCORING))
        await until(lambda: installed.ready(MATCHMAKING))
        await end_matches(ada, ben, installed, 1)
        await until_recomputed(ada, server.url)


@pytest.mark.timeout(240)
async def test_es_03_a_backup_of_a_running_installation_is_restored_and_repaired(
    server: NatsServer,
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPIELWERK_NATS__URL", server.url)
    monkeypatch.setenv("SPIELWERK_REDIS__URL", redis_url)
    monkeypatch.setenv("SPIELWERK_LOG__MARKER_FILE", str(tmp_path / "stream.json"))
    folder = argparse.Namespace(data=tmp_path, folder=tmp_path / "saved")
    async with people(server, redis_url, tmp_path) as (installed, ada, ben):
        old = [client.device for client in (ada, ben)]
        await end_matches(ada, ben, installed, 3)
        half = await installed.match(*(device.player_id for device in old if device))
        await ada.match(half).join()
        before = await recomputed(server.url)
        assert await backup(folder) == 0
        await ben.match(half).join()
        seen = (await ben.match(half).view()).version
        await end_matches(ada, ben, installed, 4)
        await until_recomputed(ada, server.url)
        assert await recomputed(server.url) != before
    with pytest.raises(FailedPrecondition, match="already has"):
        await restore(folder)
    await server.stop()
    shutil.rmtree(tmp_path / "nats" / "jetstream")
    await server.start()

    assert await restore(folder) == 0
    assert await recomputed(server.url) == before
    async with people(server, redis_url, tmp_path) as (installed, ada, ben):
        ada.accounts.become(old[0])
        ben.accounts.become(old[1])  # accounts are in the backup, too
        assert (await ben.accounts.profile()).name == "X"
        await until(lambda: installed.metric("deadlines_open") == 1)  # Ben's seat
        assert not installed.ready(SCORING)
        assert not installed.ready(MATCHMAKING)
        with pytest.raises(FailedPrecondition, match="begin anew"):
            await first(ada.match(half).watch(after_version=seen))
        assert await repair(folder) == 0
        await until(lambda: installed.ready(MATCHMAKING))
        await until(lambda: installed.ready(SCORING))
        assert (await ben.match(half).join()).version == seen
        await end_matches(ada, ben, installed, 2)
        await until_recomputed(ada, server.url)
    async with opened_log(server.url) as log:
        witness = await Witness.of(log)
    ended = [match_id for match_id in witness.stored if match_id != half]
    assert len(ended) == 5
    for match_id in ended:
        witness.verified(match_id)


async def first(following: Any) -> None:
    async with following as updates, asyncio.timeout(20):
        await anext(updates)
