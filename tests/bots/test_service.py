"""Bots play whole matches through the API of the real rules service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from bots.running import bots_for
from client.house import House, house_at
from client.playing import play_on
from faults.servers import nats_server
from spielwerk.client import Update
from spielwerk.log.settings import LogSettings
from spielwerk.match.model import CauseKind
from spielwerk.rpc.host import Host
from spielwerk.settings import RedisSettings


def played(host: Host, outcome: str = "played") -> float:
    return host.metrics.value("spielwerk_bot_turns_total", game="cribbage", outcome=outcome)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.005)


async def ended(house: House, match_id: str) -> list[Update]:
    """The whole match, once it is over."""
    async with house.client("eve") as eve:
        updates = [item async for item in eve.match(match_id).watch(0)]
    assert isinstance(updates[-1], Update)
    assert updates[-1].ended is not None
    return [update for update in updates if isinstance(update, Update)]


async def test_two_bots_play_a_match_to_its_end(house: House) -> None:
    async with bots_for(house) as host:
        match_id = await house.open_match("bot:normal", "bot:beginner")
        updates = await ended(house, match_id)
    assert {u.cause for u in updates[1:]} == {CauseKind.BOT}
    assert played(host, "failed") == 0


async def test_a_person_plays_against_a_bot(house: House) -> None:
    async with bots_for(house), house.client("ada") as ada:
        match = ada.match(await house.open_match("ada", "bot:expert"))
        await match.join()
        moves = await play_on(match)
        view = await match.view()
    assert moves > 10
    assert view.ended is not None
    assert view.ended.reason == "target_reached"


async def test_turns_that_were_open_before_the_start_are_played(house: House) -> None:
    match_ids = [await house.open_match("bot:beginner", "bot:beginner") for _ in range(5)]
    async with bots_for(house):
        for match_id in match_ids:
            await ended(house, match_id)


async def test_several_instances_never_play_a_turn_twice(house: House) -> None:
    async with bots_for(house) as one, bots_for(house) as two:
        match_id = await house.open_match("bot:beginner", "bot:normal")
        updates = await ended(house, match_id)
        counted = [u for u in updates if u.cause is CauseKind.BOT]
        await until(lambda: played(one) + played(two) + _stale(one, two) >= len(counted))
    assert [u.version for u in updates] == list(range(1, len(updates) + 1))
    assert played(one, "failed") + played(two, "failed") == 0


def _stale(*hosts: Host) -> float:
    return sum(played(host, "stale") for host in hosts)


async def test_bots_play_without_redis(house: House) -> None:
    house.common["redis"] = RedisSettings(url="redis://127.0.0.1:1/0")
    async with bots_for(house):
        await ended(house, await house.open_match("bot:beginner", "bot:beginner"))


async def test_finished_matches_are_not_played_again_after_a_start(house: House) -> None:
    async with bots_for(house):
        over = await house.open_match("bot:beginner", "bot:beginner")
        length = len(await ended(house, over))
    async with bots_for(house) as host:
        await ended(house, await house.open_match("bot:beginner", "bot:beginner"))
        assert played(host, "stale") + played(host, "failed") == 0
    assert len(await ended(house, over)) == length


async def test_bots_play_on_over_a_restart_of_rules(house: House) -> None:
    async with bots_for(house) as host:
        match_id = await house.open_match("bot:beginner", "bot:beginner")
        await until(lambda: played(host) >= 10)
        await house.stop()
        await house.start()
        await ended(house, match_id)


async def test_a_bots_move_comes_after_its_pause(house: House) -> None:
    async with bots_for(house, min_think_ms=200), house.client("ada") as ada:
        match = ada.match(await house.open_match("ada", "bot:beginner"))
        await match.join()
        async with match.watch(0) as watched:
            times = {}
            async for item in watched:
                times[item.version] = item
                if isinstance(item, Update) and item.cause is CauseKind.BOT:
                    break
    last = max(times)
    assert times[last].recorded_at_ms - times[last - 1].recorded_at_ms >= 200


async def test_bots_play_on_over_a_crash_of_the_broker(redis_url: str, tmp_path: Path) -> None:
    log = LogSettings(new_installation=True)
    async with (
        nats_server(tmp_path / "broker") as broker,
        house_at(broker.url, log, redis_url, tmp_path) as house,
        bots_for(house) as host,
    ):
        match_ids = [await house.open_match("bot:beginner", "bot:beginner") for _ in range(3)]
        await until(lambda: played(host) >= 20)
        broker.kill()
        await broker.start()
        for match_id in match_ids:
            await ended(house, match_id)
