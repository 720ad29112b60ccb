"""ES-02: a log that is gone is missed, named, and never silently made anew."""

from __future__ import annotations

import argparse
import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from faults.servers import NatsServer
from log.whole import Whole, opened_log, until, whole
from spielwerk.errors import PermissionDenied
from spielwerk.log.api import ask
from spielwerk.log.connect import connect
from spielwerk.log.port import Kind
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.log.stream import LogForeign, LogMissing
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.host import Host
from spielwerk.settings import RpcSettings
from spielwerk_local.restoring import repair
from spielwerk_rules.app import serving
from spielwerk_rules.settings import Settings


async def played(installed: Whole, matches: int = 3) -> list[str]:
    """Finished matches whose results are counted."""
    async with installed.client() as ada, installed.client() as ben:
        players = [(await client.create_guest("X")).player_id for client in (ada, ben)]
        made = []
        for _ in range(matches):
            made.append(await installed.match(*players))
            for client in (ada, ben):
                await client.match(made[-1]).join()
            await ada.match(made[-1]).resign()

        async def counted() -> bool:
            board = await ada.rankings.board("cribbage")
            return bool(board.entries) and board.entries[0].games == matches

        await until(counted)
    return made


async def delete_stream(server: NatsServer) -> None:
    async with connect(NatsSettings(url=server.url)) as broker:
        await ask(broker, "STREAM.DELETE.MATCHES", None, timeout=5)


async def empty_directory(server: NatsServer, folder: Path) -> None:
    await server.stop()
    shutil.rmtree(folder / "nats" / "jetstream")
    await server.start()


def rules(server: NatsServer, folder: Path, **log: Any) -> Settings:
    return Settings(
        nats=NatsSettings(url=server.url),
        log=LogSettings(marker_file=folder / "stream.json", **log),
        rpc=RpcSettings(listen="127.0.0.1:0", grace_s=1),
    )


@pytest.mark.parametrize("how", ["stream-deleted", "empty-directory"])
async def test_es_02_a_start_without_the_known_log_is_refused_and_names_the_loss(
    server: NatsServer, redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    async with whole(server, redis_url, tmp_path) as installed:
        await played(installed)
    if how == "stream-deleted":
        await delete_stream(server)
    else:
        await empty_directory(server, tmp_path)

    settings = rules(server, tmp_path)
    with pytest.raises(LogMissing, match="gone"):
        async with serving(settings, Host(settings)):
            pass
    assert "held records up to" in caplog.text
    async with connect(settings.nats) as broker:
        names = (await ask(broker, "STREAM.NAMES", None, timeout=5))["streams"] or []
    assert "MATCHES" not in names


async def test_es_02_with_the_operators_word_an_empty_log_is_accepted_and_followers_wait_for_repair(
    server: NatsServer,
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with whole(server, redis_url, tmp_path) as installed:
        old, *_ = await played(installed)
    await delete_stream(server)
    settings = rules(server, tmp_path, new_installation=True)
    async with serving(settings, Host(settings)):
        pass

    async with whole(server, redis_url, tmp_path) as installed:
        await until(lambda: installed.ready("rules: log"))
        await until(lambda: installed.ready("timer: deadlines"))  # it finds all in the log
        assert not installed.ready("scoring: rankings")
        assert not installed.ready("matchmaking: log read to its end")
        async with installed.client() as ada:
            await ada.create_guest("Ada")
            with pytest.raises(PermissionDenied):
                await ada.match(old).join()

        monkeypatch.setenv("SPIELWERK_NATS__URL", server.url)
        monkeypatch.setenv("SPIELWERK_REDIS__URL", redis_url)
        await repaired(tmp_path)
        assert "rankings rebuilt from 0 matches" in capsys.readouterr().out
        await until(lambda: installed.ready("scoring: rankings"))
        await until(lambda: installed.ready("matchmaking: log read to its end"))
        assert await played(installed, 2)


async def repaired(folder: Path) -> None:
    """`spielwerk repair`, in this process."""
    assert await repair(argparse.Namespace(data=folder)) == 0


@pytest.mark.parametrize("how", ["stream-deleted", "replaced-by-an-older-copy"])
async def test_es_02_a_log_that_is_lost_under_a_running_rules_service_ends_it(
    server: NatsServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    """What it holds in memory is worth nothing any more; its next start finds the loss."""
    with pytest.raises((LogMissing, LogForeign)):
        await serve_and_lose(server, tmp_path, how)
    assert "the log was lost under this process" in caplog.text


async def serve_and_lose(server: NatsServer, folder: Path, how: str) -> None:
    settings = rules(server, folder)
    host = Host(settings)
    async with serving(settings, host), host.started():
        await lose(server, folder, how)


async def lose(server: NatsServer, folder: Path, how: str) -> None:
    """Appends some records, and loses them; then waits to be interrupted."""
    copy = folder / "copy"
    await server.stop()
    shutil.copytree(folder / "nats" / "jetstream", copy)
    await server.start()
    known = (folder / "stream.json").read_text()
    async with opened_log(server.url) as log:
        for number in range(20):
            match_id = new_match_id(1_790_000_000_000 + number, b"0123456789")
            await log.append(match_id, Kind.OPEN, b"x", {}, expected=0)
    await until(lambda: (folder / "stream.json").read_text() != known)
    if how == "stream-deleted":
        await delete_stream(server)
    else:
        server.kill()
        shutil.rmtree(folder / "nats" / "jetstream")
        copy.rename(folder / "nats" / "jetstream")
        await server.start()
    async with asyncio.timeout(60):
        await asyncio.Event().wait()
