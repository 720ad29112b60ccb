"""What a watch makes of a server that repeats, leaves out, breaks off and sends its reader away."""

from __future__ import annotations

import asyncio
import gc

import pytest

from client.house import House
from client.middleman import Mangle, Messages, middleman_before
from client.playing import play_on
from spielwerk.api.v1 import match_pb2
from spielwerk.client import MatchView, Patience, Spielwerk, Watched
from spielwerk.errors import PermissionDenied, ResourceExhausted, Unavailable

QUICK = Patience(attempt_s=5.0, total_s=60.0, first_pause_s=0.001, longest_pause_s=0.01)


@pytest.fixture
async def over(house: House) -> str:
    """A match of some forty versions that has ended."""
    match_id = await house.open_match("ada", "ben")
    async with house.client("ada") as ada, house.client("ben") as ben:
        matches = ada.match(match_id), ben.match(match_id)
        for match in matches:
            await match.join()
        await asyncio.gather(*(play_on(match) for match in matches))
    return match_id


async def watched(
    house: House, match_id: str, *mangles: Mangle, after: int | None = 0
) -> tuple[list[Watched], list[int | None]]:
    """What is seen through these mangles, and from where each watch went on."""
    async with middleman_before(house) as (middleman, address):
        middleman.watches = list(mangles)
        token = house.token("eve")
        async with Spielwerk.connect(address, token=token, streams=QUICK) as eve:
            seen = [item async for item in eve.match(match_id).watch(after)]
        starts = [
            r.after_version if r.HasField("after_version") else None
            for r in middleman.requests(match_pb2.WatchRequest)
        ]
    return seen, starts


def complete(seen: list[Watched]) -> bool:
    return [i.version for i in seen] == list(range(1, len(seen) + 1)) and bool(seen[-1].ended)


async def twice(messages: Messages) -> Messages:
    async for message in messages:
        yield message
        yield message


async def without_the_fifth(messages: Messages) -> Messages:
    async for message in messages:
        if message.update.version != 5:
            yield message


async def cut_after_three(messages: Messages) -> Messages:
    async for message in messages:
        yield message
        if message.update.version == 3:
            raise Unavailable("draining")


async def sent_away(messages: Messages) -> Messages:
    async for message in messages:
        yield message
        if message.update.version == 7:
            raise ResourceExhausted("slow_reader", resume_after_version="7")


async def ends_early(messages: Messages) -> Messages:
    async for message in messages:
        yield message
        if message.update.version == 9:
            return


async def nothing_but_a_keep_alive(messages: Messages) -> Messages:
    async for message in messages:
        alive = type(message)()
        alive.keep_alive.match_id = message.update.match_id
        alive.keep_alive.version = 1000
        yield alive


async def test_repeated_versions_are_seen_once(house: House, over: str) -> None:
    seen, starts = await watched(house, over, twice)
    assert complete(seen)
    assert starts == [0]


async def test_a_gap_is_read_again_from_the_last_version(house: House, over: str) -> None:
    seen, starts = await watched(house, over, without_the_fifth)
    assert complete(seen)
    assert starts == [0, 4]


async def test_a_broken_stream_goes_on_at_the_last_version(house: House, over: str) -> None:
    seen, starts = await watched(house, over, cut_after_three)
    assert complete(seen)
    assert starts == [0, 3]


async def test_a_slow_reader_that_is_sent_away_comes_back(house: House, over: str) -> None:
    seen, starts = await watched(house, over, sent_away)
    assert complete(seen)
    assert starts == [0, 7]


async def test_an_end_without_the_last_version_is_not_believed(house: House, over: str) -> None:
    seen, starts = await watched(house, over, ends_early)
    assert complete(seen)
    assert starts == [0, 9]


async def test_a_keep_alive_tells_of_a_lost_version(house: House, over: str) -> None:
    seen, starts = await watched(house, over, cut_after_three, nothing_but_a_keep_alive)
    assert complete(seen)
    assert starts == [0, 3, 3]


async def test_all_together_still_give_each_version_once(house: House, over: str) -> None:
    mangles = (without_the_fifth, twice, sent_away, cut_after_three, ends_early)
    seen, _ = await watched(house, over, *mangles)
    assert complete(seen)


async def test_a_snapshot_of_an_ended_match_is_all_there_is(house: House, over: str) -> None:
    seen, starts = await watched(house, over, after=None)
    assert isinstance(seen[0], MatchView)
    assert (len(seen), starts) == (1, [None])


async def test_an_error_that_no_repeat_cures_is_raised(house: House) -> None:
    with pytest.raises(PermissionDenied):
        await watched(house, "01234567890123456789012345", after=None)


async def test_patience_ends_with_the_error_of_the_last_attempt(house: House) -> None:
    short = Patience(total_s=0.2, first_pause_s=0.01, longest_pause_s=0.05)
    nobody = Spielwerk.connect("127.0.0.1:1", token=house.token("eve"), streams=short)
    async with nobody as eve:
        with pytest.raises(Unavailable):
            await anext(eve.match("01234567890123456789012345").watch())


async def until_no_streams(house: House) -> None:
    async with asyncio.timeout(10):
        while house.open_streams("Watch"):
            await asyncio.sleep(0.01)


async def test_leaving_the_block_ends_the_call(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    async with house.client("eve") as eve:
        async with eve.match(match_id).watch() as items:
            await anext(items)
            assert house.open_streams("Watch") == 1
        await until_no_streams(house)


async def test_a_watch_that_is_dropped_ends_its_call(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    async with house.client("eve") as eve:
        async for item in eve.match(match_id).watch():
            assert item.version == 1
            break
        gc.collect()
        await until_no_streams(house)


async def test_a_cancelled_reader_ends_its_call(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    async with house.client("eve") as eve:
        items = eve.match(match_id).watch()
        await anext(items)
        reading = asyncio.ensure_future(anext(items))
        await eve.server_info()
        reading.cancel()
        await asyncio.wait({reading})
        assert reading.cancelled()
        await until_no_streams(house)


async def test_cancelled_calls_leave_no_tasks_behind(house: House) -> None:
    async with house.client("eve") as eve:
        await eve.server_info()
        before = len(asyncio.all_tasks())
        calls = [asyncio.ensure_future(eve.server_info()) for _ in range(50)]
        await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        async with asyncio.timeout(10):
            while len(asyncio.all_tasks()) > before:
                await asyncio.sleep(0.01)
