"""Queues under load on two instances: the invariants that no order of events may break."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import Counter
from contextlib import AsyncExitStack
from itertools import pairwise

from matchmaking.instances import Maker, answer, cribbage, over, until
from matchmaking.table import LogMatches
from spielwerk.api.v1 import match_pb2
from spielwerk.errors import SpielwerkError, Unavailable
from spielwerk.log.subjects import new_match_id
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.launch import Launch
from spielwerk_matchmaking.parts import Parts

FAST = {"burst": 1000, "interval_ms": 1}


async def test_mm_01_no_player_is_in_two_matches_and_no_cancel_is_broken(
    maker: Maker, matches: LogMatches
) -> None:
    """500 players enqueue, cancel after 0-300 ms, enqueue again; requests are sent 1-3 times."""
    instances = [await maker(), await maker()]
    dice = random.Random(1)
    outcomes: Counter[str] = Counter()
    cancelled: list[tuple[str, str]] = []
    refused: list[tuple[str, SpielwerkError]] = []
    wishes = [cribbage(max_timeouts_in_row=n) for n in range(1, 41)]

    async def send(player: str, request_id: str) -> str | None:
        """The same request 1 to 3 times at once; the answers agree."""
        wish = dice.choice(wishes)
        calls = [
            dice.choice(instances).use.queue.enqueue(player, wish, request_id)
            for _ in range(dice.randint(1, 3))
        ]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        tickets = {answer for answer in answers if isinstance(answer, str)}
        reasons = {answer.reason for answer in answers if isinstance(answer, SpielwerkError)}
        assert len(tickets) + len(reasons) == 1, answers
        return tickets.pop() if tickets else None

    async def play(player: str) -> None:
        await asyncio.sleep(dice.random() * 3)
        for request in range(2):
            ticket = await send(player, f"r{request}")
            if ticket is None:
                outcomes["enqueue refused: in a match"] += 1
                return
            await asyncio.sleep(dice.random() * 0.3)
            end = await answer(dice.choice(instances).use.tickets.cancel(player, ticket))
            if isinstance(end, SpielwerkError):
                outcomes["cancel refused: matched"] += 1
                refused.append((player, end))
                return
            outcomes["cancelled"] += 1
            cancelled.append((player, ticket))
        outcomes["last ticket"] += await send(player, "last") is not None

    await asyncio.gather(*(play(f"p{n}") for n in range(500)))
    await until(lambda: _at_rest(instances[0]))
    seats = Counter(p for match_id in matches.created for p in matches.players(match_id))
    print(dict(outcomes), f"{len(matches.created)} matches")
    assert max(seats.values()) == 1
    for player, error in refused:
        assert error.reason == "already_matched"
        assert player in seats
        told = error.metadata.get("match_id")  # only of a match that exists by then
        assert told is None or player in matches.players(told)
    for player, ticket in cancelled:
        assert (await instances[0].use.tickets.get(player, ticket)).state == "cancelled"
    assert outcomes["cancelled"] > 20
    assert outcomes["cancel refused: matched"] > 20


async def test_mm_02_of_three_matches_at_once_a_player_gets_one(
    maker: Maker, matches: LogMatches
) -> None:
    """In each round partners wait in three queues and one player enters all of them in parallel."""
    instances = [await maker(enqueue_rate=FAST), await maker(enqueue_rate=FAST)]
    outcomes: Counter[str] = Counter()
    choices = [cribbage(max_timeouts_in_row=n) for n in (1, 2, 3)]

    async def enter(player: str, n: int) -> str:
        queue = instances[n % 2].use.queue
        ticket = await answer(queue.enqueue(player, choices[n], f"q{n}"))
        if isinstance(ticket, SpielwerkError):
            return ticket.reason
        end = await over(instances[0], player, ticket)
        return f"{end.state} {end.reason}".strip()

    async def round_(number: int) -> None:
        partners = [f"w{number}-{n}" for n in range(3)]
        tickets = [
            await instances[n % 2].use.queue.enqueue(partner, choices[n], "q")
            for n, partner in enumerate(partners)
        ]
        ends = await asyncio.gather(*(enter(f"p{number}", n) for n in range(3)))
        outcomes.update(ends)
        assert ends.count("matched") == 1, ends
        assert set(ends) <= {
            *("matched", "already_in_match"),
            *("cancelled matched_elsewhere", "cancelled already_in_match"),
        }
        won = ends.index("matched")
        for n, partner in enumerate(partners):
            if n != won:
                await instances[n % 2].use.tickets.cancel(partner, tickets[n])

    for number in range(200):
        await round_(number)
    print(dict(outcomes))
    seats = Counter(p for match_id in matches.created for p in matches.players(match_id))
    assert max(seats.values()) == 1
    assert len(matches.created) == 200


class Dying:
    """The matches of an instance that dies while it creates them, or when it has done so."""

    def __init__(self, matches: LogMatches) -> None:
        self._matches = matches
        self.dead = asyncio.Event()
        self.stuck = 0

    async def create(self, request: match_pb2.CreateMatchRequest) -> None:
        if self.stuck % 2:
            await self._matches.create(request)
        self.stuck += 1
        await self.dead.wait()
        raise Unavailable("dead")


async def test_mm_04_two_instances_never_take_the_same_ticket(
    maker: Maker, matches: LogMatches
) -> None:
    """Players of many queues at once; one instance dies between proposal and confirmation."""
    dying = Dying(matches)
    survivor = await maker(lease_ms=500)
    async with AsyncExitStack() as mortal:
        victim = await maker(stack=mortal, matches=dying, lease_ms=500, creating=400)
        choices = [cribbage(max_timeouts_in_row=n) for n in range(1, 11)]
        tickets = {}
        for n in range(200):
            parts = (survivor, victim)[n % 2]
            ticket = await parts.use.queue.enqueue(f"p{n}", choices[n % 10], "r")
            tickets[f"p{n}"] = ticket
        await until(lambda: dying.stuck > 5)
        dying.dead.set()
    ends = [await over(survivor, player, ticket) for player, ticket in tickets.items()]
    print(f"{len(matches.created)} matches, {dying.stuck} of them left behind by the dead instance")
    assert {end.state for end in ends} == {"matched"}
    seats = Counter(p for match_id in matches.created for p in matches.players(match_id))
    assert len(seats) == 200
    assert max(seats.values()) == 1
    assert not await survivor.store.redis.zcard(keys.LEASES)


async def test_mm_05_ids_of_one_millisecond_differ_and_do_not_follow_from_each_other() -> None:
    ids = [new_match_id(1_790_000_000_000, secrets.token_bytes(10)) for _ in range(10_000)]
    assert len(set(ids)) == 10_000
    tails = [int.from_bytes(id_[10:].encode(), "big") for id_ in ids]
    rising = sum(a < b for a, b in pairwise(tails))
    assert 4_700 < rising < 5_300  # a counter would always rise


async def test_mm_05_a_pairing_whose_id_is_taken_is_made_anew_under_another(
    maker: Maker, matches: LogMatches
) -> None:
    taken: list[str] = []

    async def occupy(request: match_pb2.CreateMatchRequest) -> None:
        taken.append(request.match_id)
        matches.before = None
        foreign = Launch(taken[0], "cribbage", cribbage().options, (), "anyone", "")
        await matches.create(foreign.request())

    matches.before = occupy
    parts = await maker()
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r")
    await parts.use.queue.enqueue("bob", cribbage(), "r")
    matched = await over(parts, "ann", ticket)
    assert matched.match_id != taken[0]
    assert sorted(matches.players(matched.match_id)) == ["ann", "bob"]


async def test_mm_11_a_backlog_of_thousands_shrinks_steadily(
    maker: Maker, matches: LogMatches
) -> None:
    parts = await maker()
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.gather(*(parts.use.queue.enqueue(f"p{n}", cribbage(), "r") for n in range(2000)))
    waiting = []

    async def empty() -> bool:
        waiting.append(int(await parts.store.redis.zcard(keys.WAITING)))
        return waiting[-1] == 0

    await until(empty)
    print(f"2000 players matched in {loop.time() - began:.1f} s, backlog {waiting[::50]}")
    assert waiting == sorted(waiting, reverse=True)
    await until(lambda: len(matches.created) == 1000)


async def _at_rest(parts: Parts) -> bool:
    """At most one ticket waits in each queue, and every pairing has become a match."""
    redis = parts.store.redis
    places = await redis.zrange(keys.WAITING, 0, -1)
    queues = [place.partition("|")[0] for place in places]
    return len(set(queues)) == len(queues) and not await redis.zcard(keys.LEASES)
