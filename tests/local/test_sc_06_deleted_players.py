"""SC-06 on an installation of one folder: deleted players stay away after its repair commands."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from pathlib import Path

import pytest

from client.test_meeting import paired
from spielwerk.client import Spielwerk
from spielwerk.store import open_redis
from spielwerk_local.app import installation, read_runtime
from spielwerk_local.commands import rankings
from spielwerk_local.restoring import repair


async def ranked(client: Spielwerk) -> set[str]:
    board = await client.rankings.board("cribbage")
    return {entry.player_id for entry in board.entries}


@pytest.mark.timeout(240)
async def test_sc_06_repair_and_rebuild_of_an_installation_leave_a_deleted_player_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPIELWERK_NATS__URL", raising=False)
    async with (
        installation(tmp_path, listen="127.0.0.1:0", sync_always=False) as running,
        Spielwerk.connect(running.api) as ada,
        Spielwerk.connect(running.api) as ben,
    ):
        players = [(await c.create_guest(n)).player_id for c, n in ((ada, "Ada"), (ben, "Ben"))]
        match_id = await paired(ada, ben)
        for client in (ada, ben):
            await client.match(match_id).join()
        await ben.match(match_id).resign()
        async with asyncio.timeout(60):
            while await ranked(ben) != set(players):
                await asyncio.sleep(0.05)
        await ada.accounts.delete()
        async with asyncio.timeout(60):
            while await ranked(ben) != {players[1]}:
                await asyncio.sleep(0.05)
        runtime = read_runtime(tmp_path)
        assert runtime is not None
        for command in (rankings, repair):
            store = open_redis(runtime.redis_url)
            await store.delete("sw:{rank}:forgotten")
            await store.aclose()
            assert await command(Namespace(data=tmp_path)) == 0
            assert await ranked(ben) == {players[1]}
