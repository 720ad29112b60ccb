"""Boards against a plain sort: pages, windows, ties, exactness, and forgotten players."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from redis.asyncio import Redis

from spielwerk.clock import ManualClock
from spielwerk.errors import InvalidArgument, NotFound, Unavailable
from spielwerk.rankings.periods import Period, PeriodKind, periods_at
from spielwerk.rankings.plain import Row, standings, totals
from spielwerk.rankings.score import exact_text
from spielwerk.store import open_redis
from spielwerk_scoring.boards import Boards, Stretch
from spielwerk_scoring.forgetting import forget
from spielwerk_scoring.rebuild import rebuild
from spielwerk_scoring.store import Store

from .crashing import Crash, crashing_redis
from .scripted import BERLIN, CALENDAR, NOON, RANKINGS, GrowingLog, Scoring, random_matches

YEAR = Period(PeriodKind.YEAR, "2026")


def boards_of(redis: Redis) -> Boards:
    return Boards(redis, CALENDAR, ManualClock(NOON))


def plain(log: GrowingLog, game: str, period: Period = YEAR) -> tuple[Row, ...]:
    found = totals(log.entries(), RANKINGS, BERLIN).get((game, period), {})
    return standings(RANKINGS[game], found)


async def pages(boards: Boards, game: str, size: int) -> tuple[Row, ...]:
    rows: list[Row] = []
    below: str | None = None
    while True:
        page = await boards.page(game, YEAR, size, below)
        assert len(page.rows) <= size
        rows += page.rows
        below = page.last_member
        if below is None:
            return tuple(rows)


async def crowd(players: int, *, kinds: int, game: str = "skat") -> GrowingLog:
    """Players with many ties; a kind is one total."""
    log, chance = GrowingLog(batch=500), Random(players)
    names = [f"{chance.randbytes(6).hex()}" for _ in range(players)]
    for start in range(0, players, 4):
        seats = [
            (name, chance.randrange(kinds) * 1000, 1 + chance.randrange(2))
            for name in names[start : start + 4]
        ]
        await log.end(game, seats)
    return log


@pytest.mark.parametrize("players", [1, 2, 10, 500])
async def test_every_window_and_page_agrees_with_a_plain_sort(redis: Redis, players: int) -> None:
    log = await crowd(players, kinds=players // 3 + 1)
    await rebuild(log, redis, BERLIN, RANKINGS)
    boards, rows = boards_of(redis), plain(log, "skat")
    places = sorted({0, 1, 2, players // 2, players - 2, players - 1} & set(range(players)))
    for place in places:
        for radius in range(1, 51):
            window = await boards.around("skat", YEAR, rows[place].player_id, radius)
            assert window.rows == rows[max(0, place - radius) : place + radius + 1]
            assert window.players == players
    for size in (1, 3, 50, 200):
        if players // size <= 100:
            assert await pages(boards, "skat", size) == rows


@pytest.mark.slow
async def test_windows_of_a_hundred_thousand_players_agree_with_a_plain_sort(redis: Redis) -> None:
    log = await crowd(100_000, kinds=5_000)
    await rebuild(log, redis, BERLIN, RANKINGS, chunk=500)
    boards, rows = boards_of(redis), plain(log, "skat")
    for place in (0, 1, 49_999, 99_998, 99_999):
        window = await boards.around("skat", YEAR, rows[place].player_id, 50)
        assert window.rows == rows[max(0, place - 50) : place + 51]
    assert await pages(boards, "skat", 200) == rows


async def test_a_worse_single_score_leaves_no_second_entry(redis: Redis) -> None:
    log = GrowingLog()
    await log.end("house_of_cards", [("anna", 9_000, 1), ("ben", 7_000, 1)])
    for _ in range(5):
        await log.end("house_of_cards", [("anna", 1_000, 1), ("ben", 7_000, 1)])
    await rebuild(log, redis, BERLIN, RANKINGS)
    window = await boards_of(redis).around("house_of_cards", YEAR, "ben", 50)
    assert [(row.rank, row.player_id, row.total.games) for row in window.rows] == [
        (1, "anna", 6),
        (2, "ben", 6),
    ]
    assert (window.players, window.rows[0].total.extras) == (2, {"credits": 14})


async def test_an_unranked_player_has_no_window(redis: Redis) -> None:
    log = await crowd(10, kinds=3)
    await rebuild(log, redis, BERLIN, RANKINGS)
    boards = boards_of(redis)
    with pytest.raises(NotFound) as caught:
        await boards.around("skat", YEAR, "nobody", 5)
    assert caught.value.reason == "not_ranked"
    assert await boards.place("skat", YEAR, "nobody") == Stretch(YEAR, (), 10, None)


async def test_twenty_equal_players_share_a_rank_whatever_their_names(redis: Redis) -> None:
    log = GrowingLog()
    for number in range(20):
        await log.end("yatzee", [(f"{number * 7 % 20:02d}", 250_000, 2)])
    await log.end("yatzee", [("~first", 250_001, 2), ("0last", 249_999, 2)])
    await rebuild(log, redis, BERLIN, RANKINGS)
    boards = boards_of(redis)
    for size in (1, 3, 7, 50):
        rows = await pages(boards, "yatzee", size)
        assert [row.rank for row in rows] == [1] + [2] * 20 + [22]
    first_read = await pages(boards, "yatzee", 7)
    for row in first_read:
        place = await boards.place("yatzee", YEAR, row.player_id)
        assert place.rows == (row,)
    await rebuild(log, redis, BERLIN, RANKINGS)
    assert await pages(boards, "yatzee", 7) == first_read


async def test_totals_that_differ_by_a_thousandth_stand_in_exact_order(redis: Redis) -> None:
    """Around minus a million and a thousand million points, where doubles would be equal."""
    log, chance = GrowingLog(batch=100), Random(3)
    numbers = [base + step for base in (-(10**9), 10**12) for step in range(60)]
    chance.shuffle(numbers)
    for number in numbers:
        await log.end("yatzee", [(f"p{number % 997:03d}-{number}", number, 1_000_000)])
    await rebuild(log, redis, BERLIN, RANKINGS)
    rows = await pages(boards_of(redis), "yatzee", 50)
    assert [row.total.n_milli for row in rows] == sorted(numbers, reverse=True)
    assert [row.rank for row in rows] == list(range(1, 121))
    assert len({exact_text(row.score) for row in rows}) == 120


async def test_ten_thousand_increments_of_a_tenth_are_exact(redis: Redis) -> None:
    log = GrowingLog(batch=2000)
    for _ in range(10_000):
        await log.end("yatzee", [("anna", 100, 1)])
    await rebuild(log, redis, BERLIN, RANKINGS, chunk=500)
    place = await boards_of(redis).place("yatzee", YEAR, "anna")
    assert (place.rows[0].total.n_milli, place.rows[0].total.games) == (1_000_000, 10_000)


async def test_a_page_goes_on_where_it_stopped_although_the_board_changed(redis: Redis) -> None:
    log = GrowingLog()
    for number in range(6):
        await log.end("skat", [(f"p{number}", (10 - number) * 1000, 1)])
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
        first = await boards_of(redis).page("skat", YEAR, 3, None)
        await log.end("skat", [("new", 99_000, 1), ("p2", 500, 1)])
        await scoring.caught_up()
    second = await boards_of(redis).page("skat", YEAR, 3, first.last_member)
    assert [row.player_id for row in second.rows] == ["p3", "p4", "p5"]
    assert [row.rank for row in second.rows] == [4, 5, 6]


async def test_places_in_all_current_periods(redis: Redis) -> None:
    log = GrowingLog()
    day = 86_400_000
    for at_ms in (NOON, NOON - day, NOON - 20 * day, NOON - 300 * day, NOON - 400 * day):
        await log.end("skat", [("anna", 1_000, 1)], at_ms=at_ms)
    await rebuild(log, redis, BERLIN, RANKINGS)
    boards = boards_of(redis)
    games = []
    for kind in PeriodKind:
        place = await boards.place("skat", boards.period(kind, ""), "anna")
        games.append(place.rows[0].total.games)
    assert games == [1, 2, 1, 4, 5]  # 30 November lies in the week and not in the month
    assert [boards.period(kind, "") for kind in PeriodKind] == list(periods_at(NOON, BERLIN))


async def test_what_cannot_be_asked_is_refused(redis: Redis) -> None:
    boards = boards_of(redis)
    with pytest.raises(NotFound, match="no game"):
        await boards.page("chess", YEAR, 10, None)
    with pytest.raises(InvalidArgument) as caught:
        boards.period(PeriodKind.WEEK, "2026-11-29")
    assert caught.value.reason == "bad_period"


async def test_a_store_that_is_away_is_unavailable() -> None:
    client = open_redis("redis://127.0.0.1:9/0")
    with pytest.raises(Unavailable) as caught:
        await boards_of(client).page("skat", YEAR, 10, None)
    assert caught.value.reason == "rankings_unavailable"
    await client.aclose()


@pytest.mark.parametrize("place", [0, 15, -1])
async def test_a_forgotten_player_is_gone_and_the_others_close_up(redis: Redis, place: int) -> None:
    log = GrowingLog()
    await random_matches(log, 150, players=40)
    async with Scoring(log, redis) as scoring:
        await scoring.caught_up()
        gone = plain(log, "skat")[place].player_id
        assert await forget(scoring.store, RANKINGS, gone) > 5
        assert await forget(scoring.store, RANKINGS, gone) == 0
        await assert_without(redis, log, gone)
        await log.end("skat", [(gone, 5_000, 1), ("p01", 5_000, 1)])
        await scoring.caught_up()
        await assert_without(redis, log, gone)
        await rebuild(log, redis, BERLIN, RANKINGS)
        await assert_without(redis, log, gone)


async def test_forgetting_can_be_repeated_after_a_crash_at_any_step(
    redis: Redis, redis_url: str
) -> None:
    log = GrowingLog()
    await random_matches(log, 30)
    await rebuild(log, redis, BERLIN, RANKINGS)
    crashed, step = True, 0
    while crashed:
        client = crashing_redis(redis_url, step)
        try:
            await forget(Store(client), RANKINGS, "p03")
            crashed = False
        except Crash:
            step += 1
        await client.aclose()
    assert step > 5
    await assert_without(redis, log, "p03")


async def test_forgetting_during_a_rebuild_lasts(redis: Redis) -> None:
    log = GrowingLog(batch=1)
    await random_matches(log, 30)
    await rebuild(log, redis, BERLIN, RANKINGS)

    store = Store(redis)
    shadow_seen = False
    running = asyncio.create_task(rebuild(log, redis, BERLIN, RANKINGS, chunk=1))
    while not running.done():
        if not shadow_seen and len(await store.generations()) == 2:
            shadow_seen = True
            await forget(store, RANKINGS, "p05")
        await asyncio.sleep(0)
    await running
    assert shadow_seen
    await assert_without(redis, log, "p05")


async def assert_without(redis: Redis, log: GrowingLog, gone: str) -> None:
    for game, ranking in RANKINGS.items():
        found = dict(totals(log.entries(), RANKINGS, BERLIN).get((game, YEAR), {}))
        found.pop(gone, None)
        assert await pages(boards_of(redis), game, 50) == standings(ranking, found)
        with pytest.raises(NotFound):
            await boards_of(redis).around(game, YEAR, gone, 1)
