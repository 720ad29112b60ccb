"""Watches whose feed fails, hangs, hears nothing or is shared by many."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, aclosing

import pytest

from match.playing import MATCH_ID, a_match
from rules.troubled import Responses, Table, table_of_two
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import MatchDamaged, ResourceExhausted, SpielwerkError, Unavailable
from spielwerk_rules import watching
from spielwerk_rules.feeds import Reader
from spielwerk_rules.watching import Progress

ALICE, BOB = "alice", "bob"
MANY = 50


async def opened(stack: AsyncExitStack, watch: Responses) -> Responses:
    """A watch after its snapshot."""
    await stack.enter_async_context(aclosing(watch))
    assert (await anext(watch)).HasField("snapshot")
    return watch


async def told(watch: Responses) -> SpielwerkError:
    """What ends the watch."""
    with pytest.raises(SpielwerkError) as ended:
        async for _ in watch:
            pass
    return ended.value


async def test_one_who_resumes_after_a_failed_feed_does_not_meet_it_again() -> None:
    """Though another reader, whose client stalls, has not left it yet."""
    async with table_of_two() as table, AsyncExitStack() as stack:
        await opened(stack, table.watch(BOB))
        alice = await opened(stack, table.watch(ALICE))
        table.log.bug = True
        table.log.lose_feeds()
        failed = await told(alice)
        assert (failed.reason, failed.metadata) == ("feed_failed", {"resume_after_version": "1"})
        back = await opened(stack, table.watch(ALICE))
        await table.join(0)
        assert (await anext(back)).update.version == 2


async def test_each_reader_of_a_failed_feed_is_told_its_own_version() -> None:
    async with table_of_two() as table, AsyncExitStack() as stack:
        bob = await opened(stack, table.watch(BOB))
        table.log.deaf = True
        await table.join(0)
        alice = await opened(stack, table.watch(ALICE))
        table.log.bug = True
        table.log.lose_feeds()
        versions = [(await told(w)).metadata["resume_after_version"] for w in (alice, bob)]
    assert versions == ["2", "1"]


async def test_the_error_of_a_frozen_match_does_not_grow() -> None:
    async with table_of_two() as table:
        await table.join(0)
        first, *_ = stored = await table.log.read(MATCH_ID)
        table.log.put(stored[-1].subject, first.data, first.headers)
        errors = [await frozen(table) for _ in range(10)]
    assert len({id(error) for error in errors}) == len(errors)
    assert {str(error) for error in errors} == {str(errors[0])}
    assert frames(errors[-1]) == frames(errors[1])


async def frozen(table: Table) -> MatchDamaged:
    with pytest.raises(MatchDamaged) as damaged:
        await table.matches.fresh(MATCH_ID)
    return damaged.value


def frames(error: BaseException) -> int:
    number, trace = 0, error.__traceback__
    while trace is not None:
        number, trace = number + 1, trace.tb_next
    return number


async def test_a_wait_that_is_given_up_in_the_moment_of_an_update_loses_nothing() -> None:
    reader = Reader(None, 10)
    waiting = asyncio.ensure_future(reader.next())
    await asyncio.sleep(0)
    reader.put(pb.MatchUpdate(version=7))
    waiting.cancel()
    await asyncio.wait({waiting})
    assert waiting.cancelled()
    assert (await reader.next()).version == 7


async def test_a_silent_loss_is_made_good_before_the_keep_alive_tells_of_it() -> None:
    async with table_of_two(keep_alive_s=0.05) as table, AsyncExitStack() as stack:
        alice, bob = [await opened(stack, table.watch(name)) for name in (ALICE, BOB)]
        table.log.deaf = True
        await table.join(0)
        for watch in (alice, bob):
            said = [await anext(watch)]
            while not said[-1].HasField("update"):
                said.append(await anext(watch))
            said.append(await anext(watch))
            *before, update, after = said
            assert {message.keep_alive.version for message in before} <= {1}
            assert (update.update.version, after.keep_alive.version) == (2, 2)


async def test_one_who_has_read_more_than_the_feed_has_told_hears_nothing_old() -> None:
    async with table_of_two() as table:
        reader, older = Reader(None, 10), await table.matches.fresh(MATCH_ID)
        reader.keep_alive(older)
        following = table.watching._live(reader, Progress(sent=2))
        async with aclosing(following):
            first = asyncio.ensure_future(anext(following))
            await asyncio.sleep(0)
            for version in (2, 3):
                reader.put(pb.MatchUpdate(version=version))
            assert (await first).update.version == 3


async def test_the_keep_alives_of_a_match_cost_one_look_at_the_log() -> None:
    async with table_of_two(keep_alive_s=0.2) as table, AsyncExitStack() as stack:
        watches = [await opened(stack, table.watch(ALICE)) for _ in range(MANY)]
        looks = table.log.looks
        for _ in range(2):
            said = await asyncio.gather(*(anext(watch) for watch in watches))
            assert all(message.HasField("keep_alive") for message in said)
        assert table.log.looks - looks < MANY


async def test_a_feed_that_reaches_no_log_for_a_keep_alive_ends_its_readers() -> None:
    async with table_of_two(keep_alive_s=0.3) as table, AsyncExitStack() as stack:
        alice = await opened(stack, table.watch(ALICE))
        table.log.away = True
        table.log.lose_feeds()
        ended = await told(alice)
        assert isinstance(ended, Unavailable)
        assert (ended.reason, ended.metadata["resume_after_version"]) == ("log_unavailable", "1")
        assert not table.feeds.open


async def test_a_feed_that_hangs_does_not_hold_its_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_LATE_S", 0.1)
    async with table_of_two(keep_alive_s=0.1) as table, AsyncExitStack() as stack:
        alice = await opened(stack, table.watch(ALICE))
        table.log.answering.clear()
        assert (await told(alice)).reason == "feed_lost"


async def test_a_keep_alive_takes_no_room_from_updates() -> None:
    reader, match = Reader(None, 1), a_match().now
    reader.keep_alive(match)
    reader.keep_alive(match)
    reader.put(pb.MatchUpdate(version=2))
    reader.keep_alive(match)
    assert (await reader.next()).version == 2
    reader.keep_alive(match)
    assert await reader.next() is match


async def test_a_full_queue_ends_its_reader_after_what_it_holds() -> None:
    reader = Reader(None, 2)
    for version in (1, 2, 3, 4):
        reader.put(pb.MatchUpdate(version=version))
    assert [(await reader.next()).version for _ in range(2)] == [1, 2]
    with pytest.raises(ResourceExhausted) as ended:
        await reader.next()
    assert ended.value.reason == "slow_reader"


async def test_a_drain_ends_a_silent_watch_with_the_version_to_resume_from() -> None:
    async with table_of_two() as table, AsyncExitStack() as stack:
        alice = await opened(stack, table.watch(ALICE))
        ended = asyncio.ensure_future(told(alice))
        await asyncio.sleep(0)
        table.draining.set()
        assert (await ended).reason == "draining"
        assert (await ended).metadata == {"resume_after_version": "1"}


async def test_moves_do_not_wait_for_one_who_reads_the_history() -> None:
    async with table_of_two() as table:
        table.log.reading.clear()
        reading = asyncio.ensure_future(table.matches.records(MATCH_ID, 0))
        await asyncio.sleep(0)
        await table.join(0)
        assert not reading.done()
        table.log.reading.set()
        _, records = await reading
        assert [record.version for record in records] == [1]


async def test_a_header_that_lies_hides_no_version_of_the_history() -> None:
    """What is in a record counts; its header only saves the reading of others."""
    async with table_of_two() as honest, table_of_two() as table:
        await honest.join(0)
        stored = (await honest.log.read(MATCH_ID))[-1]
        table.log.put(stored.subject, stored.data, {**stored.headers, "Sw-Version": "1"})
        match, records = await table.matches.records(MATCH_ID, 1)
    assert match.version == 2
    assert [record.version for record in records] == [2]
