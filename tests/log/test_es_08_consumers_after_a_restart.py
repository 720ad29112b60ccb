"""ES-08: after the broker's return everybody hears of moves again, without anybody's help."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from faults.servers import NatsServer
from log.whole import Whole, move, until
from spielwerk.client import Spielwerk
from spielwerk.client.match import MatchClient
from spielwerk.errors import NotFound

WITHIN_S: Final = 10.0


@asynccontextmanager
async def watched(client: Spielwerk, match_id: str) -> AsyncIterator[list[int]]:
    """Versions as a watcher sees them."""
    seen: list[int] = []

    async def watch() -> None:
        async with client.match(match_id).watch() as updates:
            async for update in updates:
                seen.append(update.version)

    task = asyncio.create_task(watch())
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.wait({task})


async def restart(server: NatsServer, how: str) -> None:
    if how == "stopped":
        await server.stop()
    else:
        server.kill()
    await server.start()


async def play_for_ever(client: Spielwerk) -> None:
    """The load: one practice match after the other."""
    while True:
        practice = await client.matchmaking.practice(
            "cribbage", {"target": 61}, strength="beginner"
        )
        match = client.match(practice.match_id)
        await match.join()
        while (await match.view()).ended is None:
            await move(match)


async def games_of(client: Spielwerk, player_id: str) -> int:
    try:
        board = await client.rankings.around("cribbage", player_id=player_id)
    except NotFound:
        return 0
    return board.entries[0].games


async def running_matches(client: Spielwerk) -> set[str]:
    return {match.match_id for match in (await client.matchmaking.open()).matches}


async def bot_moves(match: MatchClient) -> None:
    """Play on until a bot has answered."""
    view = await match.view()
    while (later := await match.view()).version < view.version + 4:
        await move(match)
        await asyncio.sleep(0.05)
    assert later.ended is None


@pytest.mark.timeout(240)
@pytest.mark.parametrize("how", ["stopped", "killed", "killed-under-load"])
async def test_es_08_everybody_hears_of_moves_after_the_broker_was_restarted(
    installed: Whole, server: NatsServer, how: str
) -> None:
    async with installed.client() as ada, installed.client() as ben, installed.client() as cleo:
        ada_id, ben_id = [(await c.create_guest("X")).player_id for c in (ada, ben)]
        old = await installed.match(ada_id, ben_id)
        practice = ada.match((await ada.matchmaking.practice("cribbage")).match_id)
        await practice.join()
        load = []
        if how == "killed-under-load":
            await cleo.create_guest("Cleo")
            load.append(asyncio.create_task(play_for_ever(cleo)))
        await until(lambda: installed.metric("deadlines_open") == 2)
        async with watched(ben, old) as seen:
            await until(lambda: 1 in seen)
            for _ in range(2 if load else 1):
                await restart(server, how)
            took = {
                "old match": await heard(installed, ada, ben, old, seen, games=1, open_before=2),
                "bots, old match": await until_done(bot_moves(practice)),
            }
        new = await installed.match(ada_id, ben_id)
        async with watched(ben, new) as seen:
            took["new match"] = await heard(installed, ada, ben, new, seen, games=2, open_before=2)
        again = ada.match((await ada.matchmaking.practice("cribbage")).match_id)
        await again.join()
        took["bots, new match"] = await until_done(bot_moves(again))
        for task in load:
            assert not task.done(), task
            task.cancel()
    print(how, {what: round(seconds, 2) for what, seconds in took.items()})


async def until_done(deed: asyncio.Future[None] | object) -> float:
    began = asyncio.get_running_loop().time()
    async with asyncio.timeout(WITHIN_S):
        await deed  # type: ignore[misc]
    return asyncio.get_running_loop().time() - began


async def heard(
    installed: Whole,
    ada: Spielwerk,
    ben: Spielwerk,
    match_id: str,
    seen: list[int],
    *,
    games: int,
    open_before: int,
) -> float:
    """Ada joins: watcher and timer see it. She resigns: scoring and matchmaking see it."""
    place = await ada.match(match_id).join()
    took = [
        await until(lambda: place.version in seen, within_s=WITHIN_S),
        await until(
            lambda: installed.metric("deadlines_open") == open_before - 1, within_s=WITHIN_S
        ),
    ]

    async def known() -> bool:
        return match_id in await running_matches(ada)

    took.append(await until(known, within_s=WITHIN_S))
    await ben.match(match_id).join()
    await ada.match(match_id).resign()

    async def counted() -> bool:
        assert ada.device is not None
        return await games_of(ada, ada.device.player_id) == games

    async def forgotten() -> bool:
        return match_id not in await running_matches(ada)

    took += [
        await until(counted, within_s=WITHIN_S),
        await until(forgotten, within_s=WITHIN_S),
        await until(lambda: installed.metric("deadlines_open") == 0, within_s=WITHIN_S),
    ]
    return sum(took)
