"""What every event log does: in JetStream, in one stream or several, and in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import pytest

from log.tails import following, sequences
from spielwerk.log.connect import Connection
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.memory import MemoryLog
from spielwerk.log.port import Conflict, Kind
from spielwerk.log.settings import LogSettings
from spielwerk.log.sharded import ShardedLog
from spielwerk.log.streams import open_streams
from spielwerk.log.subjects import new_match_id, prefix, subject

HEADERS = {"Sw-Record": "1", "Sw-Game": "skat"}
A = new_match_id(1_790_000_000_000, b"0123456789")
B = new_match_id(1_790_000_000_001, b"9876543210")

Put = Callable[[str, bytes, Mapping[str, str]], Awaitable[None]]


@dataclass
class Subject:
    """One implementation of MatchLog and LiveFeed, and how strangers get messages into it."""

    log: JetStreamLog | MemoryLog | ShardedLog
    put: Put


@dataclass
class Stream(Subject):
    """One that is a Tail, too."""

    log: JetStreamLog | MemoryLog


@pytest.fixture(params=["memory", "jetstream", "sharded"])
def the(request: pytest.FixtureRequest) -> Subject:
    found: Subject = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["memory", "jetstream"])
def one(request: pytest.FixtureRequest) -> Stream:
    found: Stream = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def memory() -> Stream:
    log = MemoryLog()

    async def put(to: str, data: bytes, headers: Mapping[str, str]) -> None:
        log.put(to, data, headers)

    return Stream(log, put)


@pytest.fixture
def jetstream(nats: Connection, log: JetStreamLog) -> Stream:
    return Stream(log, into(nats))


@pytest.fixture
async def sharded(nats: Connection) -> Subject:
    settings = LogSettings(stream="TEST", streams=4, new_installation=True)
    await open_streams(nats, settings)
    return Subject(ShardedLog(nats, settings), into(nats))


def into(nats: Connection) -> Put:
    """Publishes without any condition."""

    async def put(to: str, data: bytes, headers: Mapping[str, str]) -> None:
        await nats.nc.request(to, data, headers=dict(headers), timeout=5)

    return put


async def test_an_appended_record_is_read_back_as_it_was_given(the: Subject) -> None:
    sequence = await the.log.append(A, Kind.OPEN, b"\x00\r\n\xff", HEADERS, expected=0)

    (stored,) = await the.log.read(A)

    assert stored.sequence == sequence
    assert stored.subject == subject(A, Kind.OPEN)
    assert stored.data == b"\x00\r\n\xff"
    assert stored.headers == HEADERS
    assert await the.log.last(A) == stored


async def test_records_of_a_match_come_in_order_and_without_those_of_others(the: Subject) -> None:
    first = await the.log.append(A, Kind.OPEN, b"a1", {}, expected=0)
    await the.log.append(B, Kind.OPEN, b"b1", {}, expected=0)
    second = await the.log.append(A, Kind.MOVE, b"a2", {}, expected=first)
    await the.log.append(A, Kind.END, b"a3", {}, expected=second)

    assert [stored.data for stored in await the.log.read(A)] == [b"a1", b"a2", b"a3"]
    assert [stored.data for stored in await the.log.read(A, after=first)] == [b"a2", b"a3"]


async def test_a_match_without_records_is_empty(the: Subject) -> None:
    assert await the.log.read(A) == []
    assert await the.log.last(A) is None


async def test_an_append_behind_another_position_is_a_conflict_and_stores_nothing(
    the: Subject,
) -> None:
    first = await the.log.append(A, Kind.OPEN, b"1", {}, expected=0)

    for wrong in (0, first + 1):
        with pytest.raises(Conflict):
            await the.log.append(A, Kind.MOVE, b"2", {}, expected=wrong)

    assert len(await the.log.read(A)) == 1


async def test_an_open_of_a_match_that_exists_is_a_conflict(the: Subject) -> None:
    await the.log.append(A, Kind.OPEN, b"1", {}, expected=0)
    with pytest.raises(Conflict):
        await the.log.append(A, Kind.OPEN, b"1", {}, expected=0)


async def test_conflicts_are_seen_across_kinds(the: Subject) -> None:
    first = await the.log.append(A, Kind.OPEN, b"1", {}, expected=0)
    await the.log.append(A, Kind.MOVE, b"2", {}, expected=first)
    with pytest.raises(Conflict):
        await the.log.append(A, Kind.END, b"3", {}, expected=first)


async def test_of_many_appends_at_one_position_exactly_one_is_stored(the: Subject) -> None:
    first = await the.log.append(A, Kind.OPEN, b"0", {}, expected=0)

    results = await asyncio.gather(
        *(the.log.append(A, Kind.MOVE, b"%d" % n, {}, expected=first) for n in range(40)),
        return_exceptions=True,
    )

    winners = [result for result in results if isinstance(result, int)]
    losers = [result for result in results if isinstance(result, Conflict)]
    assert (len(winners), len(losers)) == (1, 39)
    assert [stored.sequence for stored in await the.log.read(A)] == [first, *winners]


async def test_matches_do_not_conflict_with_each_other(the: Subject) -> None:
    ids = [new_match_id(1_790_000_000_000 + n, b"0123456789") for n in range(50)]

    async def play(match_id: str) -> None:
        expected = 0
        for _ in range(20):
            expected = await the.log.append(match_id, Kind.MOVE, b"x", {}, expected=expected)

    await asyncio.gather(*map(play, ids))

    assert [len(await the.log.read(match_id)) for match_id in ids] == [20] * 50


async def test_a_long_match_is_read_completely(the: Subject) -> None:
    expected = 0
    for number in range(2500):
        expected = await the.log.append(A, Kind.MOVE, b"%d" % number, {}, expected=expected)

    assert [int(stored.data) for stored in await the.log.read(A)] == list(range(2500))


async def test_a_foreign_message_is_read_and_its_sequence_counts(the: Subject) -> None:
    first = await the.log.append(A, Kind.OPEN, b"1", HEADERS, expected=0)
    await the.put(f"{prefix(A)}.move", b"foreign", {})
    await the.put(f"{prefix(A)}.strange", b"", {"Status": "204", "Nats-Num-Pending": "0"})

    with pytest.raises(Conflict):
        await the.log.append(A, Kind.MOVE, b"2", HEADERS, expected=first)
    last = await the.log.last(A)
    assert last is not None
    await the.log.append(A, Kind.MOVE, b"2", HEADERS, expected=last.sequence)

    stored = await the.log.read(A)
    assert [message.data for message in stored] == [b"1", b"foreign", b"", b"2"]
    assert stored[1].headers == {}


async def test_a_live_feed_carries_what_is_appended_after_it_was_entered(the: Subject) -> None:
    first = await the.log.append(A, Kind.OPEN, b"1", HEADERS, expected=0)
    async with the.log.live(A) as feed:
        await the.log.append(B, Kind.OPEN, b"other", {}, expected=0)
        second = await the.log.append(A, Kind.MOVE, b"2", HEADERS, expected=first)
        await the.log.append(A, Kind.END, b"3", HEADERS, expected=second)

        received = [await anext(feed), await anext(feed)]

    assert received == (await the.log.read(A))[1:]


async def test_a_refused_append_is_not_seen_live(the: Subject) -> None:
    async with the.log.live(A) as feed:
        first = await the.log.append(A, Kind.OPEN, b"1", {}, expected=0)
        with pytest.raises(Conflict):
            await the.log.append(A, Kind.MOVE, b"refused", {}, expected=0)
        await the.log.append(A, Kind.MOVE, b"2", {}, expected=first)

        assert [(await anext(feed)).data for _ in range(2)] == [b"1", b"2"]


async def test_following_an_empty_log_says_at_once_that_it_is_empty(one: Stream) -> None:
    async with following(one.log, [Kind.OPEN], after=0, headers_only=True) as tail:
        batch = await anext(tail)

    assert not batch.messages
    assert (batch.position, batch.caught_up) == (0, True)


async def test_following_gives_the_asked_kinds_in_order_and_then_what_comes(one: Stream) -> None:
    await one.log.append(A, Kind.OPEN, b"a", HEADERS, expected=0)
    await one.log.append(B, Kind.MOVE, b"skipped", HEADERS, expected=0)
    third = await one.log.append(A, Kind.END, b"b", HEADERS, expected=1)

    kinds = [Kind.OPEN, Kind.END]
    async with following(one.log, kinds, after=0, headers_only=False) as tail:
        batch = await anext(tail)
        assert [stored.data for stored in batch.messages] == [b"a", b"b"]
        assert [stored.headers for stored in batch.messages] == [HEADERS, HEADERS]
        assert (batch.position, batch.caught_up) == (third, True)

        fourth = await one.log.append(A, Kind.OPEN, b"c", {}, expected=third)
        batch = await anext(tail)
        assert [stored.sequence for stored in batch.messages] == [fourth]
        assert (batch.position, batch.caught_up) == (fourth, True)


async def test_following_all_kinds_leaves_out_what_is_of_none(one: Stream) -> None:
    await one.put(f"{prefix(A)}.strange", b"", {})
    await one.put("match.short", b"", {})

    async with following(one.log, list(Kind), after=0, headers_only=True) as tail:
        batch = await anext(tail)
        assert not batch.messages
        assert batch.caught_up

        first = await one.log.append(B, Kind.OPEN, b"1", {}, expected=0)
        assert await sequences(tail, 1) == [first]


async def test_following_continues_behind_a_position(one: Stream) -> None:
    first = await one.log.append(A, Kind.OPEN, b"1", {}, expected=0)
    second = await one.log.append(A, Kind.MOVE, b"2", {}, expected=first)

    async with following(one.log, list(Kind), after=first, headers_only=True) as tail:
        batch = await anext(tail)

    assert [stored.sequence for stored in batch.messages] == [second]


async def test_with_headers_only_no_payload_leaves_the_log(one: Stream) -> None:
    await one.log.append(A, Kind.OPEN, b"a hand of cards", HEADERS, expected=0)

    async with following(one.log, [Kind.OPEN], after=0, headers_only=True) as tail:
        (stored,) = (await anext(tail)).messages

    assert stored.data == b""
    assert stored.headers["Sw-Game"] == "skat"


async def test_following_many_records_misses_and_repeats_none(one: Stream) -> None:
    for number in range(50):
        match_id = new_match_id(1_790_000_000_000 + number, b"0123456789")
        expected = 0
        for _ in range(100):
            expected = await one.log.append(match_id, Kind.MOVE, b"x", {}, expected=expected)

    async with following(one.log, [Kind.MOVE], after=0, headers_only=True) as tail:
        seen = await sequences(tail, 5000)

    assert seen == list(range(1, 5001))


async def test_the_identity_names_the_ends_of_the_log(one: Stream) -> None:
    empty = await one.log.identity()
    await one.log.append(A, Kind.OPEN, b"1", {}, expected=0)
    grown = await one.log.identity()

    assert empty.last_sequence == 0
    assert (grown.first_sequence, grown.last_sequence) == (1, 1)
    assert (grown.name, grown.created) == (empty.name, empty.created)
