"""A process stands still at any step while others go on; then it goes on from what it has read."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest
from redis.asyncio import Redis

from spielwerk.clock import ManualClock
from spielwerk.errors import NotFound, Unavailable
from spielwerk.rankings.periods import Period, PeriodKind
from spielwerk_scoring.boards import Boards
from spielwerk_scoring.forgetting import forget
from spielwerk_scoring.keys import BUILDER, GENERATIONS, LIVE, Generation
from spielwerk_scoring.rebuild import Rebuilt, rebuild
from spielwerk_scoring.shadows import Shadows
from spielwerk_scoring.store import Store

from .scripted import (
    BERLIN,
    CALENDAR,
    NOON,
    RANKINGS,
    GrowingLog,
    Scoring,
    expected,
    random_matches,
    raw_boards,
    stored_boards,
)
from .stalling import stalling_redis

YEAR = Period(PeriodKind.YEAR, "2026")
TAKEN: Final = 1
"""Steps after which a builder has its lease."""


def boards_of(redis: Redis) -> Boards:
    return Boards(redis, CALENDAR, ManualClock(NOON))


async def ended_log(matches: int = 8) -> GrowingLog:
    log = GrowingLog()
    await random_matches(log, matches)
    return log


async def a_shadow_is_left(redis: Redis, owner: str = "dead") -> Generation:
    """What a builder leaves that died, or is at work: it holds the lease."""
    shadows = Shadows(redis, owner)
    assert await shadows.take_lease(60_000)
    shadow = await shadows.begin({}, BERLIN.key)
    assert shadow is not None
    return shadow


async def ended(building: asyncio.Task[Rebuilt]) -> str:
    """How a rebuild ended; errors are those of losing one's place."""
    try:
        await building
    except Unavailable as error:
        return error.reason
    return "done"


async def test_sc_02_a_builder_that_stood_still_at_any_step_takes_nothing_from_a_later_one(
    redis: Redis, redis_url: str
) -> None:
    """Its lease has run out, and another one has made its own generation live."""
    log = await ended_log()
    step, endings, stalled = TAKEN, set(), True
    while stalled:
        await redis.flushall()
        await rebuild(log, redis, BERLIN, RANKINGS)
        await a_shadow_is_left(redis)
        await redis.delete(BUILDER)
        async with stalling_redis(redis_url, step) as (client, stall):
            frozen = asyncio.create_task(rebuild(log, client, BERLIN, RANKINGS, chunk=5))
            stalled = await stall.reached(frozen)
            await redis.delete(BUILDER)  # its lease runs out
            live = (await rebuild(log, redis, BERLIN, RANKINGS)).generation
            lived = await raw_boards(redis)
            stall.over.set()
            endings.add(await ended(frozen))
        assert await redis.get(LIVE) == live.name
        assert await raw_boards(redis) == lived
        assert await redis.smembers(GENERATIONS) == {live.name}
        assert await redis.get(BUILDER) is None
        step += 1
    assert step > 30
    assert endings == {"done", "rebuild_superseded"}
    assert await stored_boards(redis) == expected(log.entries())


async def test_sc_02_a_builder_that_stood_still_at_any_step_lets_another_one_go_on(
    redis: Redis, redis_url: str
) -> None:
    """Its lease has run out, and another one holds it and is at work."""
    log = await ended_log()
    step, endings, stalled = TAKEN, set(), True
    while stalled:
        await redis.flushall()
        await rebuild(log, redis, BERLIN, RANKINGS)
        async with stalling_redis(redis_url, step) as (client, stall):
            frozen = asyncio.create_task(rebuild(log, client, BERLIN, RANKINGS, chunk=5))
            stalled = await stall.reached(frozen)
            await redis.delete(BUILDER)  # its lease runs out
            shadow = await a_shadow_is_left(redis, "at work")
            stall.over.set()
            endings.add(await ended(frozen))
        assert await redis.get(BUILDER) == "at work"
        assert await redis.exists(shadow.checkpoint)
        assert shadow.name in await redis.smembers(GENERATIONS)
        assert await stored_boards(redis) == expected(log.entries())
        step += 1
    assert step > 30
    assert endings == {"done", "rebuild_superseded"}


async def test_sc_02_a_rebuild_that_lost_its_lease_ends_although_nobody_else_has_it(
    redis: Redis, redis_url: str
) -> None:
    """It counts one more chunk at most: the one that was under way."""
    log = await ended_log(20)
    places = [0, *(message.sequence for message in log.messages)]
    store, shadow = Store(redis), Generation("1")
    async with stalling_redis(redis_url, 25) as (client, stall):
        frozen = asyncio.create_task(rebuild(log, client, BERLIN, RANKINGS, chunk=1))
        assert await stall.reached(frozen)
        before = await store.checkpoint(shadow)
        await redis.delete(BUILDER)
        stall.over.set()
        assert await ended(frozen) == "rebuild_superseded"
    after = await store.checkpoint(shadow)
    assert before is not None
    assert after is not None
    assert 0 < places.index(before.sequence) < 15
    assert places.index(after.sequence) <= places.index(before.sequence) + 1
    assert await redis.get(LIVE) is None


async def test_what_is_live_is_not_discarded_even_by_the_builder(redis: Redis) -> None:
    await rebuild(await ended_log(), redis, BERLIN, RANKINGS)
    lived = await raw_boards(redis)
    live, shadow = Generation(str(await redis.get(LIVE))), await a_shadow_is_left(redis, "builder")
    assert not await Shadows(redis, "builder").discard(live)
    assert not await Shadows(redis, "somebody else").discard(shadow)
    assert not await Shadows(redis, "somebody else").swap(shadow, live)
    assert await redis.smembers(GENERATIONS) == {live.name, shadow.name}
    assert await raw_boards(redis) == lived
    assert await Shadows(redis, "builder").discard(shadow)
    assert await redis.smembers(GENERATIONS) == {live.name}


async def test_sc_06_a_player_deleted_at_any_step_of_a_rebuild_is_gone_and_does_not_end_it(
    redis: Redis, redis_url: str
) -> None:
    log = await ended_log()
    step, stalled = 0, True
    while stalled:
        await redis.flushall()
        await rebuild(log, redis, BERLIN, RANKINGS)
        async with stalling_redis(redis_url, step) as (client, stall):
            building = asyncio.create_task(rebuild(log, client, BERLIN, RANKINGS, chunk=5))
            stalled = await stall.reached(building)
            await forget(Store(redis), RANKINGS, "p05")
            stall.over.set()
            live = (await building).generation
        assert await redis.get(LIVE) == live.name
        left = [entry for entry in log.entries() if entry.player_id != "p05"]
        boards = await stored_boards(redis)
        assert {name: board for name, board in boards.items() if board[1]} == expected(left)
        step += 1
    assert step > 30


@pytest.mark.parametrize("asked", ["page", "around", "place"])
async def test_sc_02_who_reads_while_boards_are_replaced_at_any_step_is_told_the_same(
    redis: Redis, redis_url: str, asked: str
) -> None:
    log = await ended_log()
    await rebuild(log, redis, BERLIN, RANKINGS)

    async def read(store: Redis) -> Any:
        boards = boards_of(store)
        match asked:
            case "page":
                return await boards.page("skat", YEAR, 50, None)
            case "around":
                return await boards.around("skat", YEAR, player_id, 2)
            case _:
                return await boards.place("skat", YEAR, player_id)

    top = await boards_of(redis).page("skat", YEAR, 1, None)
    player_id = top.rows[0].player_id
    right = await read(redis)
    step, stalled = 0, True
    while stalled:
        async with stalling_redis(redis_url, step) as (client, stall):
            reading = asyncio.create_task(read(client))
            stalled = await stall.reached(reading)
            await rebuild(log, redis, BERLIN, RANKINGS)
            stall.over.set()
            assert await reading == right
        step += 1
    assert step > 3


async def test_a_player_who_has_no_rank_is_told_so_also_while_boards_are_replaced(
    redis: Redis, redis_url: str
) -> None:
    log = await ended_log()
    await rebuild(log, redis, BERLIN, RANKINGS)
    players = (await boards_of(redis).page("skat", YEAR, 0, None)).players
    assert players > 0
    for step in range(4):
        async with stalling_redis(redis_url, step) as (client, stall):
            reading = asyncio.create_task(boards_of(client).place("skat", YEAR, "nobody"))
            assert await stall.reached(reading)
            await rebuild(log, redis, BERLIN, RANKINGS)
            stall.over.set()
            place = await reading
        assert (place.rows, place.players) == ((), players)
    with pytest.raises(NotFound) as caught:
        await boards_of(redis).around("skat", YEAR, "nobody", 1)
    assert caught.value.reason == "not_ranked"


async def destroy(redis: Redis) -> None:
    """Everything of the generation that stays live."""
    live = Generation(str(await redis.get(LIVE)))
    for key in await redis.keys(f"{live.checkpoint.removesuffix('checkpoint')}*"):
        await redis.delete(key)


async def test_boards_that_are_gone_are_not_told_to_be_empty(redis: Redis) -> None:
    await rebuild(await ended_log(), redis, BERLIN, RANKINGS)
    await destroy(redis)
    boards = boards_of(redis)
    for asking in (
        boards.page("skat", YEAR, 10, None),
        boards.around("skat", YEAR, "p01", 1),
        boards.place("skat", YEAR, "p01"),
    ):
        with pytest.raises(Unavailable) as caught:
            await asking
        assert caught.value.reason == "rankings_rebuilding"


async def test_sc_02_live_boards_that_are_gone_are_built_anew_while_running(redis: Redis) -> None:
    log = await ended_log()
    async with Scoring(log, redis) as one, Scoring(log, redis) as two:
        for seed in range(3):
            await one.caught_up()
            await two.caught_up()
            await destroy(redis)
            await random_matches(log, 8, seed=seed)
        await one.caught_up()
        await two.caught_up()
    assert await stored_boards(redis) == expected(log.entries())
    assert len(await redis.smembers(GENERATIONS)) == 1


async def test_live_boards_that_are_gone_are_a_problem_and_are_waited_for_in_peace(
    redis: Redis,
) -> None:
    log = await ended_log()
    await rebuild(log, redis, BERLIN, RANKINGS)
    await destroy(redis)
    async with Scoring(log, redis, look_s=3_600) as scoring:
        await scoring.problem("are gone")
        assert not scoring.projection.ready()
        before = await commands(redis)
        assert [await commands(redis) - before for _ in range(200)] == list(range(1, 201))
    assert await redis.get(LIVE) == "1"


async def commands(redis: Redis) -> int:
    """How many the store has had, of anybody."""
    return int((await redis.info("stats"))["total_commands_processed"])


async def test_live_boards_that_another_process_builds_anew_are_told_of_once(
    redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    log = await ended_log()
    await rebuild(log, redis, BERLIN, RANKINGS)
    await destroy(redis)
    await a_shadow_is_left(redis, "at work")
    async with Scoring(log, redis) as scoring:
        for _ in range(5):
            await scoring.problem("are gone")
            await scoring.problem("another process builds")
        await redis.delete(BUILDER)
        await scoring.caught_up()
    assert caplog.text.count("rankings stand still") == 1
    assert await stored_boards(redis) == expected(log.entries())


async def test_a_live_name_that_is_lost_alone_is_noticed(redis: Redis) -> None:
    """The boards are there, but nobody can find them."""
    log = await ended_log()
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
        await redis.delete(LIVE)
        async with asyncio.timeout(20):
            await scoring.caught_up()
    assert await stored_boards(redis) == expected(log.entries())
    assert len(await redis.smembers(GENERATIONS)) == 1
