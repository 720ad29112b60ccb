"""Queues: first come, first served, one match a player, and definite answers that stay true."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from matchmaking.instances import Maker, cribbage, over, until
from matchmaking.table import LogMatches
from spielwerk.api.v1 import games_pb2
from spielwerk.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    Unavailable,
)
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.choices import choose
from spielwerk_matchmaking.parts import Parts


async def matched(parts: Parts, *players: str) -> str:
    """Enqueue them one after the other in one queue; the id of their match."""
    tickets = [await parts.use.queue.enqueue(p, cribbage(), f"m-{p}") for p in players]
    return (await over(parts, players[-1], tickets[-1])).match_id


@asynccontextmanager
async def held(parts: Parts, matches: LogMatches) -> AsyncIterator[None]:
    """While inside, the match of x and y is being made and no other one (`creating` is 1)."""
    release = asyncio.Event()

    async def wait(_: object) -> None:
        await release.wait()

    matches.before = wait
    for player in ("x", "y"):
        await parts.use.queue.enqueue(player, cribbage(skunk=True), "held")
    attempts = matches.attempts
    await until(lambda: matches.attempts > attempts)
    yield
    release.set()


async def test_two_players_of_one_queue_are_matched(maker: Maker, matches: LogMatches) -> None:
    parts = await maker()
    first = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    second = await parts.use.queue.enqueue("bob", cribbage(), "r1")
    a, b = await over(parts, "ann", first), await over(parts, "bob", second)
    assert a.state == b.state == "matched"
    assert a.match_id == b.match_id
    assert {a.seat, b.seat} == {0, 1}
    assert matches.players(a.match_id)[a.seat or 0] == "ann"


async def test_the_oldest_are_matched_first(maker: Maker, matches: LogMatches) -> None:
    parts = await maker(creating=1)
    async with held(parts, matches):
        for player in ("ann", "bob", "cleo", "dan", "eve"):
            await parts.use.queue.enqueue(player, cribbage(), "r1")
    await until(lambda: len(matches.created) == 3)
    sides = [set(matches.players(match_id)) for match_id in matches.created]
    assert sides == [{"x", "y"}, {"ann", "bob"}, {"cleo", "dan"}]


async def test_other_options_are_another_queue(maker: Maker) -> None:
    parts = await maker()
    short = await parts.use.queue.enqueue("ann", cribbage(target=61), "r1")
    long = await parts.use.queue.enqueue("bob", cribbage(), "r1")
    same = await parts.use.queue.enqueue("cleo", cribbage(target=121), "r1")
    assert (await over(parts, "bob", long)).match_id == (await over(parts, "cleo", same)).match_id
    assert (await parts.use.tickets.get("ann", short)).state == "waiting"


async def test_the_same_request_gives_the_same_ticket(maker: Maker) -> None:
    parts = await maker()
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    again = await asyncio.gather(
        *(parts.use.queue.enqueue("ann", cribbage(), "r1") for _ in range(5))
    )
    assert set(again) == {ticket}
    with pytest.raises(AlreadyExists, match="another request"):
        await parts.use.queue.enqueue("ann", cribbage(target=61), "r1")


async def test_a_request_is_remembered_after_its_ticket_is_over(maker: Maker) -> None:
    parts = await maker()
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    await parts.use.tickets.cancel("ann", ticket)
    assert await parts.use.queue.enqueue("ann", cribbage(), "r1") == ticket
    assert (await parts.use.tickets.get("ann", ticket)).state == "cancelled"


async def test_a_player_has_one_open_ticket_in_a_queue(maker: Maker) -> None:
    parts = await maker()
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    with pytest.raises(FailedPrecondition) as refused:
        await parts.use.queue.enqueue("ann", cribbage(), "r2")
    assert (refused.value.reason, refused.value.metadata) == (
        "already_queued",
        {"ticket_id": ticket},
    )


async def test_a_player_in_a_queue_match_is_refused_until_its_end(
    maker: Maker, matches: LogMatches
) -> None:
    parts = await maker(end_patience_ms=50)
    match_id = await matched(parts, "ann", "bob")
    with pytest.raises(FailedPrecondition) as refused:
        await parts.use.queue.enqueue("ann", cribbage(target=61), "r2")
    assert (refused.value.reason, refused.value.metadata) == (
        "already_in_match",
        {"match_id": match_id},
    )
    await matches.end(match_id, "finished", (0, 1))
    await until(lambda: _free(parts, "ann"))
    assert await parts.use.queue.enqueue("ann", cribbage(target=61), "r2")


async def test_who_enqueues_right_after_the_end_is_not_refused(
    maker: Maker, matches: LogMatches
) -> None:
    parts = await maker()
    match_id = await matched(parts, "ann", "bob")
    for attempt in range(20):
        await matches.end(match_id, "finished", (0, 1))
        first = await parts.use.queue.enqueue("ann", cribbage(), f"a{attempt}")
        await parts.use.queue.enqueue("bob", cribbage(), f"b{attempt}")
        match_id = (await over(parts, "ann", first)).match_id


async def test_other_tickets_of_a_matched_player_are_withdrawn(maker: Maker) -> None:
    parts = await maker()
    other = await parts.use.queue.enqueue("ann", cribbage(target=61), "r1")
    await matched(parts, "ann", "bob")
    ticket = await parts.use.tickets.get("ann", other)
    assert (ticket.state, ticket.reason) == ("cancelled", "matched_elsewhere")
    assert await parts.use.tickets.open("ann") == ()


async def test_a_cancelled_ticket_is_never_matched(maker: Maker) -> None:
    parts = await maker()
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    for _ in range(2):
        assert (await parts.use.tickets.cancel("ann", ticket)).state == "cancelled"
    await matched(parts, "bob", "cleo")
    assert (await parts.use.tickets.get("ann", ticket)).state == "cancelled"


async def test_a_cancel_after_the_match_says_so(maker: Maker) -> None:
    parts = await maker()
    first = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    match_id = await matched(parts, "bob")
    with pytest.raises(FailedPrecondition) as refused:
        await parts.use.tickets.cancel("ann", first)
    assert refused.value.reason == "already_matched"
    assert refused.value.metadata == {"match_id": match_id}


async def test_tickets_of_others_are_unknown(maker: Maker) -> None:
    parts = await maker()
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    for id_ in (ticket, "0" * 32, "", "../x", "é" * 32):
        with pytest.raises(NotFound) as unknown:
            await parts.use.tickets.get("bob", id_)
        assert unknown.value.reason == "ticket_unknown"
        with pytest.raises(NotFound):
            await parts.use.tickets.cancel("bob", id_)
    assert (await parts.use.tickets.get("ann", ticket)).state == "waiting"


async def test_open_tickets_and_their_pace_are_limited(maker: Maker) -> None:
    rate = {"burst": 4, "interval_ms": 10_000}
    parts = await maker(tickets_per_player=2, enqueue_rate=rate)
    tickets = [
        await parts.use.queue.enqueue("ann", cribbage(max_timeouts_in_row=n), f"r{n}")
        for n in (1, 2)
    ]
    with pytest.raises(ResourceExhausted, match="too many tickets"):
        await parts.use.queue.enqueue("ann", cribbage(), "r3")
    for n, ticket in enumerate(tickets):
        await parts.use.tickets.cancel("ann", ticket)
        await parts.use.queue.enqueue("ann", cribbage(max_timeouts_in_row=8 + n), f"s{n}")
    last = await parts.use.queue.enqueue("ann", cribbage(max_timeouts_in_row=9), "s1")
    await parts.use.tickets.cancel("ann", last)
    with pytest.raises(ResourceExhausted, match="too fast") as limited:
        await parts.use.queue.enqueue("ann", cribbage(), "r4")
    assert 0 < (limited.value.retry_after or 0) <= 10


async def test_all_waiting_tickets_are_limited(maker: Maker) -> None:
    parts = await maker(tickets=1)
    await parts.use.queue.enqueue("ann", cribbage(target=61), "r1")
    with pytest.raises(ResourceExhausted, match="queue full"):
        await parts.use.queue.enqueue("bob", cribbage(), "r1")


async def test_bad_wishes_are_refused(maker: Maker) -> None:
    parts = await maker()
    with pytest.raises(InvalidArgument) as options:
        cribbage(target=62)
    assert options.value.reason == "bad_options"
    with pytest.raises(InvalidArgument) as players:
        choose("cribbage", games_pb2.GameOptions(), 3, "queue")
    assert players.value.reason == "bad_players"
    with pytest.raises(NotFound) as game:
        choose("halma", games_pb2.GameOptions(), 2, "queue")
    assert game.value.reason == "game_unknown"
    for request_id in ("", "a" * 65, "a b", "ä"):
        with pytest.raises(InvalidArgument) as request:
            await parts.use.queue.enqueue("ann", cribbage(), request_id)
        assert request.value.reason == "bad_request_id"


async def test_a_ticket_without_a_sign_of_life_expires(maker: Maker) -> None:
    parts = await maker()
    ghost = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    maker.clock.advance(15_001)
    expired = await over(parts, "ann", ghost)
    assert (expired.state, expired.reason) == ("expired", "client_gone")
    assert await parts.use.queue.enqueue("ann", cribbage(), "r2") != ghost


async def test_a_ghost_is_not_matched_even_before_it_is_swept(maker: Maker) -> None:
    parts = await maker(round_ms=60_000)
    ghost = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    maker.clock.advance(15_001)
    living = await parts.use.queue.enqueue("bob", cribbage(), "r1")
    assert (await over(parts, "ann", ghost)).state == "expired"
    assert (await parts.use.tickets.get("bob", living)).state == "waiting"


async def test_after_a_no_show_those_who_joined_have_their_old_place(
    maker: Maker, matches: LogMatches
) -> None:
    parts = await maker()
    first = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    second = await parts.use.queue.enqueue("bob", cribbage(), "r1")
    match_id = (await over(parts, "ann", first)).match_id
    later = await parts.use.queue.enqueue("cleo", cribbage(target=61), "r1")
    await parts.use.queue.enqueue("dan", cribbage(), "r1")
    await matches.end(match_id, "no_show", [matches.players(match_id).index("ann")])

    async def expired() -> bool:
        ticket = await parts.use.tickets.get("bob", second)
        return (ticket.state, ticket.reason, ticket.match_id) == ("expired", "no_show", "")

    await until(expired)

    async def matched_again() -> bool:
        ticket = await parts.use.tickets.get("ann", first)
        return ticket.state == "matched" and ticket.match_id != match_id

    await until(matched_again)
    again = await parts.use.tickets.get("ann", first)
    assert sorted(matches.players(again.match_id)) == ["ann", "dan"]
    assert (await parts.use.tickets.get("cleo", later)).state == "waiting"


async def test_who_is_put_back_stands_before_those_who_came_later(
    maker: Maker, matches: LogMatches
) -> None:
    parts = await maker(creating=1)
    first = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    await parts.use.queue.enqueue("bob", cribbage(), "r1")
    match_id = (await over(parts, "ann", first)).match_id
    async with held(parts, matches):
        for player in ("cleo", "dan"):
            await parts.use.queue.enqueue(player, cribbage(), "r1")
        await matches.end(match_id, "no_show", [matches.players(match_id).index("ann")])
        await until(lambda: _waits(parts, "ann", first))
    await until(lambda: len(matches.created) == 3)
    assert set(matches.players(list(matches.created)[-1])) == {"ann", "cleo"}


async def test_a_match_that_is_refused_for_good_ends_its_tickets(
    maker: Maker, matches: LogMatches
) -> None:
    def refuse(_: object) -> None:
        raise InvalidArgument("bad_options")

    matches.before = refuse
    parts = await maker()
    tickets = [await parts.use.queue.enqueue(p, cribbage(), "r1") for p in ("ann", "bob")]
    ends = [await over(parts, p, t) for p, t in zip(("ann", "bob"), tickets, strict=True)]
    assert {(end.state, end.reason) for end in ends} == {("cancelled", "bad_options")}
    assert await _free(parts, "ann")


async def test_an_attempt_without_an_answer_is_repeated_under_the_same_id(
    maker: Maker, matches: LogMatches
) -> None:
    ids = []

    def fail_twice(request: object) -> None:
        ids.append(request.match_id)  # type: ignore[attr-defined]
        if len(ids) < 3:
            raise Unavailable("outcome_unknown")

    matches.before = fail_twice
    parts = await maker(lease_ms=100)
    match_id = await matched(parts, "ann", "bob")
    assert ids == [match_id] * 3


async def test_a_lonely_ticket_is_matched_when_the_second_comes(maker: Maker) -> None:
    parts = await maker(round_ms=50)
    first = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    calls = await _script_calls(parts)
    await until(lambda: _called_since(parts, calls + 20))  # some rounds of a few scripts each
    match_id = await matched(parts, "bob")
    assert (await over(parts, "ann", first, seconds=1)).match_id == match_id


async def test_finished_tickets_are_forgotten_and_empty_queues_too(maker: Maker) -> None:
    parts = await maker()
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    await parts.use.tickets.cancel("ann", ticket)
    await parts.store.redis.zadd(keys.FINISHED, {ticket: 1})
    await until(lambda: _empty(parts))
    with pytest.raises(NotFound):
        await parts.use.tickets.get("ann", ticket)


async def _free(parts: Parts, player: str) -> bool:
    return not await parts.store.redis.hexists(keys.BUSY, player)


async def _waits(parts: Parts, player: str, ticket_id: str) -> bool:
    return (await parts.use.tickets.get(player, ticket_id)).state == "waiting"


async def _script_calls(parts: Parts) -> int:
    statistics = await parts.store.redis.info("commandstats")
    return int(statistics["cmdstat_evalsha"]["calls"])


async def _called_since(parts: Parts, calls: int) -> bool:
    return await _script_calls(parts) >= calls


async def _empty(parts: Parts) -> bool:
    redis = parts.store.redis
    names = (keys.TICKETS, keys.WAITING, keys.BEATS, keys.OPEN, keys.FINISHED, keys.QUEUES)
    return not await redis.exists(*names)
