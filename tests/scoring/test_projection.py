"""The projection: each result once, whatever is killed, wiped or restored."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from redis.asyncio import Redis

from spielwerk.clock import ManualClock
from spielwerk.errors import FailedPrecondition, Unavailable
from spielwerk.log.subjects import match_id_of, new_match_id
from spielwerk.rankings.periods import PeriodKind, load_zone
from spielwerk_scoring.boards import Boards
from spielwerk_scoring.calendar import Calendar
from spielwerk_scoring.keys import BUILDER, GENERATIONS, LIVE
from spielwerk_scoring.rebuild import rebuild

from .crashing import Crash, crashing_redis
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


async def test_the_boards_equal_a_plain_recomputation(redis: Redis) -> None:
    log = GrowingLog()
    await random_matches(log, 60)
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
        await random_matches(log, 60, seed=2)
        await scoring.caught_up()
    assert await stored_boards(redis) == expected(log.entries())


async def test_sc_02_a_rebuild_gives_the_same_bytes_as_living_through_it(redis: Redis) -> None:
    log = GrowingLog()
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
        await random_matches(log, 120)
        await scoring.caught_up()
        lived = await raw_boards(redis)
        generation = await redis.get(LIVE)
        for _ in range(2):
            await rebuild(log, redis, BERLIN, RANKINGS)
            assert await raw_boards(redis) == lived
        assert await redis.get(LIVE) != generation
        await random_matches(log, 20, seed=3)
        await scoring.caught_up()
    assert await stored_boards(redis) == expected(log.entries())


async def test_a_series_counts_all_its_games_and_an_unrated_or_void_match_none(
    redis: Redis,
) -> None:
    log = GrowingLog()
    await log.end("skat", [("anna", 36_000, 36), ("ben", -500, 36), ("cleo", 0, 36)])
    await log.end("skat", [("anna", 99_000, 9), ("ben", 0, 9), ("cleo", 0, 9)], rated=False)
    await log.end("skat", [("anna", 99_000, 9), ("ben", 0, 9), ("cleo", 0, 9)], result=False)
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
    players, totals = (await stored_boards(redis))["skat:year:2026"]
    assert players == ["anna", "cleo", "ben"]
    assert totals == {"anna": "[36000,36]", "ben": "[-500,36]", "cleo": "[0,36]"}


async def test_bots_hold_no_rank_and_who_played_no_game_is_not_ranked(redis: Redis) -> None:
    log = GrowingLog()
    await log.end("house_of_cards", [("anna", 5_000, 1), ("", 9_000, 1), ("ben", 7_000, 0)])
    await log.end("house_of_cards", [("anna", 3_000, 1)])
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
    players, totals = (await stored_boards(redis))["house_of_cards:all_time:all"]
    assert players == ["anna"]
    assert totals == {"anna": '[5000,2,{"credits":8}]', "ben": '[7000,0,{"credits":7}]'}


async def test_a_message_that_is_no_record_stops_nothing(redis: Redis) -> None:
    log = GrowingLog()
    first = await log.end("skat", [("anna", 1_000, 1)])
    match_id = match_id_of(first.subject)
    await log.put(match_id, first.data, ours=False)
    await log.put(match_id, b"\xff\xff")
    await log.put(match_id, b"")
    await log.put(new_match_id(NOON, bytes(10)), first.data)
    await log.end("skat", [("cleo", 1_000, 1)])
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
        assert scoring.metrics.value("spielwerk_foreign_messages_total") == 4
    players, _ = (await stored_boards(redis))["skat:year:2026"]
    assert players == ["cleo", "anna"]


async def test_a_result_belongs_to_the_day_on_which_the_match_ended(redis: Redis) -> None:
    """It is processed much later than that."""
    log = GrowingLog()
    midnight = NOON + 12 * 3_600_000
    await log.end("skat", [("anna", 1_000, 1)], at_ms=midnight - 100)
    await log.end("skat", [("ben", 1_000, 1)], at_ms=midnight)
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
    boards = await stored_boards(redis)
    assert boards["skat:day:2026-12-01"][0] == ["anna"]
    assert boards["skat:day:2026-12-02"][0] == ["ben"]


async def test_sc_01_several_processes_count_each_result_once(redis: Redis) -> None:
    log = GrowingLog()
    async with Scoring(log, redis) as one, Scoring(log, redis) as two, Scoring(log, redis) as three:
        for seed in range(4):
            await random_matches(log, 30, seed=seed)
            await asyncio.gather(one.caught_up(), two.caught_up(), three.caught_up())
        applied = [process.counted() for process in (one, two, three)]
    assert await stored_boards(redis) == expected(log.entries())
    assert sum(applied) <= 120


async def test_sc_02_a_store_wiped_during_play_is_built_again(redis: Redis) -> None:
    log = GrowingLog()
    async with Scoring(log, redis) as scoring:
        for seed in range(3):
            await random_matches(log, 25, seed=seed)
            await scoring.caught_up()
            await redis.flushall()
        await scoring.caught_up()
    assert await stored_boards(redis) == expected(log.entries())


async def test_a_store_that_fell_back_to_an_older_copy_is_caught_up(redis: Redis) -> None:
    log = GrowingLog()
    async with Scoring(log, redis) as scoring:
        await random_matches(log, 20)
        await scoring.caught_up()
        copy = {key: await redis.dump(key) for key in await redis.keys()}
        await random_matches(log, 20, seed=2)
        await scoring.caught_up()
        async with redis.pipeline(transaction=True) as pipe:
            pipe.flushall()
            for key, value in copy.items():
                pipe.restore(key, 0, value or b"")
            await pipe.execute()
        await random_matches(log, 5, seed=3)
        await scoring.caught_up()
    assert await stored_boards(redis) == expected(log.entries())


async def test_es_03_a_log_restored_from_a_backup_makes_the_service_unready_until_a_rebuild(
    redis: Redis,
) -> None:
    log = GrowingLog()
    async with Scoring(log, redis) as scoring:
        await random_matches(log, 40)
        await scoring.caught_up()
        log.cut(log.messages[29].sequence)
        await scoring.problem("the log ends at")
        assert not scoring.projection.ready()
        await rebuild(log, redis, BERLIN, RANKINGS)
        await scoring.caught_up()
        assert scoring.projection.ready()
    assert await stored_boards(redis) == expected(log.entries())


async def test_es_03_other_results_under_counted_positions_are_noticed(redis: Redis) -> None:
    """The log was restored and played on beyond the checkpoint while scoring was stopped."""
    log = GrowingLog()
    async with Scoring(log, redis) as scoring:
        await random_matches(log, 40)
        await scoring.caught_up()
    log.cut(log.messages[29].sequence)
    await random_matches(log, 60, seed=5)
    async with Scoring(log, redis) as scoring:
        await scoring.problem("spielwerk rankings rebuild")
        await rebuild(log, redis, BERLIN, RANKINGS)
        await scoring.caught_up()
    assert await stored_boards(redis) == expected(log.entries())


async def test_es_03_another_stream_is_noticed_also_while_running(redis: Redis) -> None:
    log = GrowingLog()
    async with Scoring(log, redis) as scoring:
        await random_matches(log, 10)
        await scoring.caught_up()
        log.created = "2026-12-24T00:00:00Z"
        await scoring.problem("another stream")
    async with Scoring(log, redis) as scoring:
        await scoring.problem("another stream")


async def test_another_zone_needs_a_rebuild(redis: Redis) -> None:
    log = GrowingLog()
    await random_matches(log, 30)
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
    kiritimati = Calendar(RANKINGS, load_zone("Pacific/Kiritimati"))
    async with Scoring(log, redis, kiritimati) as scoring:
        await scoring.problem("made for the zone Europe/Berlin")
        await rebuild(log, redis, kiritimati.zone, RANKINGS)
        await scoring.caught_up()
    assert await stored_boards(redis) == expected(log.entries(), kiritimati)


async def test_a_game_that_this_process_does_not_know_waits_for_one_that_does(
    redis: Redis,
) -> None:
    log = GrowingLog()
    await random_matches(log, 10)
    async with Scoring(log, redis, Calendar({"skat": RANKINGS["skat"]}, BERLIN)) as old:
        await old.problem("no ranking for")
        async with Scoring(log, redis) as new:
            await new.caught_up()
    assert await stored_boards(redis) == expected(log.entries())


async def test_sc_01_nothing_is_lost_or_doubled_by_a_crash_at_any_step(
    redis: Redis, redis_url: str
) -> None:
    """The process dies before or after each single answer of the store, building and following."""
    step = 0
    crashed = True
    while crashed:
        await redis.flushall()
        log = GrowingLog(batch=4)
        await random_matches(log, 8, seed=step)
        crashing = crashing_redis(redis_url, step)
        crashed = False
        with suppress(Crash):
            crashed = True
            async with Scoring(log, crashing, look_s=5) as dying:
                await dying.caught_up()
                await random_matches(log, 8, seed=1000 + step)
                await dying.caught_up()
            crashed = False
        await crashing.aclose()
        await redis.delete(BUILDER)  # the dead process' lease runs out
        async with Scoring(log, redis) as scoring:
            await scoring.caught_up()
        assert await stored_boards(redis) == expected(log.entries())
        step += 1
    assert step > 40


async def test_sc_02_an_interrupted_rebuild_is_not_seen_and_can_be_repeated(
    redis: Redis, redis_url: str
) -> None:
    log = GrowingLog()
    await random_matches(log, 20)
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
    before = await raw_boards(redis)
    step = 0
    crashed = True
    while crashed:
        crashing = crashing_redis(redis_url, step)
        try:
            await rebuild(log, crashing, BERLIN, RANKINGS, chunk=7)
            crashed = False
        except Crash:
            await redis.delete(BUILDER)
        await crashing.aclose()
        assert await raw_boards(redis) == before
        step += 1
    assert step > 20
    assert len(await redis.smembers(GENERATIONS)) == 1


async def test_two_rebuilds_do_not_disturb_each_other(redis: Redis) -> None:
    log = GrowingLog()
    await random_matches(log, 40)
    answers = await asyncio.gather(
        *(rebuild(log, redis, BERLIN, RANKINGS) for _ in range(3)), return_exceptions=True
    )
    refused = [error.reason for error in answers if isinstance(error, FailedPrecondition)]
    assert refused == ["rebuild_running"] * 2
    assert await stored_boards(redis) == expected(log.entries())


async def test_sc_02_readers_see_whole_boards_while_they_are_replaced(redis: Redis) -> None:
    log = GrowingLog(batch=1)
    await random_matches(log, 40)
    await rebuild(log, redis, BERLIN, RANKINGS)
    boards = Boards(redis, CALENDAR, ManualClock(NOON))
    year = boards.period(PeriodKind.YEAR, "2026")
    before = await boards.page("skat", year, 200, None)
    rebuilding = asyncio.create_task(rebuild(log, redis, BERLIN, RANKINGS, chunk=1))
    looks = 0
    while not rebuilding.done():
        assert await boards.page("skat", year, 200, None) == before
        looks += 1
    await rebuilding
    assert looks > 10
    assert await boards.page("skat", year, 200, None) == before


async def test_sc_02_before_the_first_build_readers_are_told_to_come_back(redis: Redis) -> None:
    boards = Boards(redis, CALENDAR, ManualClock(NOON))
    with pytest.raises(Unavailable, match="being built"):
        await boards.page("skat", boards.period(PeriodKind.YEAR, ""), 10, None)
