"""Matches that are promised and do not exist yet: not told of, and made by somebody."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from matchmaking.instances import Maker, cribbage, over, until
from matchmaking.table import LogMatches
from matchmaking.test_rooms import opened, refusal, who
from spielwerk.api.v1 import match_pb2
from spielwerk.errors import InvalidArgument
from spielwerk.log.subjects import new_match_id
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking.choices import Choice
from spielwerk_matchmaking.launch import Launch, Launcher
from spielwerk_matchmaking.parts import Parts
from spielwerk_matchmaking.room_store import Found, RoomStore
from spielwerk_matchmaking.rooms import Room
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.sittings import Sitting
from spielwerk_matchmaking.store import Store
from spielwerk_matchmaking.views import offer_message, room_message

NEVER_TAKEN_OVER = 60_000


class Slow:
    """Matches of a table that cannot make any before it is told so."""

    def __init__(self, matches: LogMatches) -> None:
        self._can = asyncio.Event()
        self.asked = asyncio.Event()
        matches.before = self._wait

    async def _wait(self, _request: match_pb2.CreateMatchRequest) -> None:
        self.asked.set()
        await self._can.wait()

    def go_on(self) -> None:
        self._can.set()


@pytest.fixture
def slow(matches: LogMatches) -> Slow:
    return Slow(matches)


async def test_a_room_tells_its_match_once_it_exists(
    maker: Maker, matches: LogMatches, slow: Slow
) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby, auto_start=True)
    starting = await lobby.join(who("bob"), room.code, None)
    refused = await refusal(lobby.leave(who("bob"), room.code))
    assert starting.state == "starting"
    assert room_message(starting).match_id == ""
    assert (refused.reason, refused.metadata) == ("already_started", {})
    slow.go_on()
    await until(lambda: starting.match_id in matches.created)
    assert await lobby.start(who("ann"), room.code) == starting.match_id
    told = room_message(await lobby.get(who("bob"), room.code))
    assert told.match_id == starting.match_id
    late = await refusal(lobby.leave(who("bob"), room.code))
    assert late.metadata == {"match_id": starting.match_id}


async def test_a_queue_tells_its_match_once_it_exists(
    maker: Maker, matches: LogMatches, slow: Slow
) -> None:
    parts = await maker()
    queue, tickets = parts.use.queue, parts.use.tickets
    ann = await queue.enqueue("ann", cribbage(), "r1")
    await queue.enqueue("bob", cribbage(), "r1")
    await slow.asked.wait()
    cancelled = await refusal(tickets.cancel("ann", ann))
    again = await refusal(queue.enqueue("ann", cribbage(), "r2"))
    assert (cancelled.reason, cancelled.metadata) == ("already_matched", {})
    assert (again.reason, again.metadata) == ("already_in_match", {})
    slow.go_on()
    match_id = (await over(parts, "ann", ann)).match_id
    assert match_id in matches.created
    for late in (tickets.cancel("ann", ann), queue.enqueue("ann", cribbage(), "r2")):
        assert (await refusal(late)).metadata == {"match_id": match_id}


async def test_a_rematch_tells_its_match_once_it_exists(maker: Maker, matches: LogMatches) -> None:
    parts = await maker(create_ms=50, lease_ms=NEVER_TAKEN_OVER)
    old = await _ended(parts, maker, matches)
    slow = Slow(matches)
    rematches = parts.use.rematches
    await rematches.agree("ann", old)
    offers = [await rematches.agree("bob", old), await rematches.get("ann", old)]
    for offer in map(offer_message, offers):
        assert (offer.state, list(offer.player_ids)) == (2, ["ann", "bob"])
        assert offer.match_id == ""
    watch = rematches.watch("ann", old)
    assert (await anext(watch)).promised
    slow.go_on()
    told = [offer async for offer in watch][-1]
    assert told.match_id in matches.created
    assert (await rematches.agree("bob", old)).match_id == told.match_id


async def test_a_rematch_that_can_never_be_made_is_open_again(
    maker: Maker, matches: LogMatches
) -> None:
    parts = await maker()
    old = await _ended(parts, maker, matches)

    def never(_request: match_pb2.CreateMatchRequest) -> None:
        raise InvalidArgument("bad_options", "this release does not know them")

    matches.before = never
    await parts.use.rematches.agree("ann", old)
    offer = await parts.use.rematches.agree("bob", old)
    assert (offer.state, offer.match_id) == ("none", "")
    matches.before = None
    await parts.use.rematches.agree("ann", old)
    assert (await parts.use.rematches.agree("bob", old)).match_id in matches.created


async def test_a_match_that_ended_long_ago_has_no_rematch(
    maker: Maker, matches: LogMatches
) -> None:
    """Its end is read again, as all are when the store was lost."""
    parts = await maker(wait=False, rematch_ms=1_000)
    await until(lambda: parts.follower.ready)
    old = await _ended(parts, maker, matches, at_ms=maker.clock.now_ms() - 2_000)
    assert (await refusal(parts.use.rematches.get("ann", old))).reason == "no_such_match"


async def test_a_launch_that_waited_too_long_for_others_is_left_to_the_next_maker(
    maker: Maker, matches: LogMatches, slow: Slow, redis_url: str
) -> None:
    """Else it would be made when a store that was lost has long been filled again without it."""
    loop = asyncio.get_running_loop()
    settings = MatchmakingSettings(creating=1, lease_ms=400, create_ms=200)
    async with aclosing(Store(redis_url)) as store:
        rooms = RoomStore(store, maker.clock, settings)
        launcher = Launcher(store, matches, rooms, maker.clock, settings, Metrics())
        first, second = (launcher.start(_launch(n)) for n in range(2))
        await slow.asked.wait()
        too_late = loop.time() + 0.3
        await until(lambda: loop.time() > too_late)
        slow.go_on()
        await asyncio.wait({first, second})
    assert list(matches.created) == [_launch(0).match_id]


async def test_a_promise_whose_caller_has_gone_is_kept_at_once(
    maker: Maker, matches: LogMatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = (await maker(lease_ms=NEVER_TAKEN_OVER)).use.lobby
    room = await opened(lobby, auto_start=True)
    swap, under_way = RoomStore.swap, asyncio.Event()

    async def told(rooms: RoomStore, found: Found, after: Room, lease_end: int) -> str:
        under_way.set()
        return await swap(rooms, found, after, lease_end)

    monkeypatch.setattr(RoomStore, "swap", told)
    joining = asyncio.create_task(lobby.join(who("bob"), room.code, None))
    await under_way.wait()
    joining.cancel()
    await asyncio.wait({joining})
    assert joining.cancelled()
    await until(lambda: bool(matches.created), seconds=20)


@pytest.mark.parametrize(
    ("choice", "setting", "rated"),
    [
        (cribbage(), "usual", True),
        (cribbage(target=61), "usual", False),
        (cribbage(target=61), "any", True),
    ],
)
async def test_house_rules_of_ones_own_do_not_count_unless_the_operator_says_so(
    maker: Maker, matches: LogMatches, choice: Choice, setting: str, rated: bool
) -> None:
    parts = await maker(rated=setting)
    ticket = await parts.use.queue.enqueue("ann", choice, "r1")
    await parts.use.queue.enqueue("bob", choice, "r1")
    request = matches.created[(await over(parts, "ann", ticket)).match_id]
    assert (not request.HasField("rated") or request.rated) is rated


def _launch(number: int) -> Launch:
    return Launch(
        match_id=new_match_id(number, b"0123456789"),
        game="cribbage",
        options=cribbage().options,
        seats=(Sitting(player=f"a{number}"), Sitting(player=f"b{number}")),
        watch="participants",
        origin="rematch",
    )


async def _ended(parts: Parts, maker: Maker, matches: LogMatches, at_ms: int | None = None) -> str:
    """A match of ann and bob that has ended with a result."""
    ticket = await parts.use.queue.enqueue("ann", cribbage(), "r1")
    await parts.use.queue.enqueue("bob", cribbage(), "r1")
    match_id = (await over(parts, "ann", ticket)).match_id
    matches.now_ms = maker.clock.now_ms() if at_ms is None else at_ms
    await matches.end(match_id, "finished", (0, 1))
    await until(lambda: _free(parts))
    return match_id


async def _free(parts: Parts) -> bool:
    return not (await parts.use.overview.of("ann")).matches
