"""Private rooms: known by code alone, never overfilled, kept by those who are there."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from matchmaking.instances import Maker, answer, cribbage, until
from matchmaking.table import LogMatches
from spielwerk.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    PermissionDenied,
    ResourceExhausted,
    SpielwerkError,
    Unavailable,
)
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.lobby import Lobby, Table
from spielwerk_matchmaking.parts import Parts
from spielwerk_matchmaking.room_store import Visitor
from spielwerk_matchmaking.rooms import CODE_LENGTH, Room, new_code, read_code, shown_code
from spielwerk_matchmaking.settings import Rate

FAST: dict[str, Any] = {"burst": 100_000, "interval_ms": 1}
FREE: dict[str, Any] = {
    "room_rate": FAST,
    "guess_rate": FAST,
    "address_rate": FAST,
    "rooms_per_player": 2000,
}


def who(player: str, address: str = "ipv4:10.0.0.1") -> Visitor:
    return Visitor(player, address)


def table(**more: Any) -> Table:
    given = {"seat": None, "bots": {}, "watch": "participants", "auto_start": False} | more
    return Table(choice=cribbage("room"), **given)


async def opened(lobby: Lobby, host: str = "ann", request_id: str = "r1", **more: Any) -> Room:
    return await lobby.create(who(host), table(**more), request_id)


async def refusal(call: Any) -> SpielwerkError:
    with pytest.raises(SpielwerkError) as refused:
        await call
    return refused.value


async def test_a_friend_joins_by_code_and_the_host_starts(
    maker: Maker, matches: LogMatches
) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby, seat=1)
    typed = shown_code(room.code).lower().replace("-", " ")
    joined = await lobby.join(who("bob"), typed, None)
    assert joined.seat_of("bob") == 0
    match_id = await lobby.start(who("ann"), room.code)
    assert matches.players(match_id) == ["bob", "ann"]
    assert await lobby.start(who("ann"), room.code) == match_id
    assert (await lobby.join(who("bob"), room.code, None)).match_id == match_id


async def test_a_room_may_start_by_itself(maker: Maker, matches: LogMatches) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby, auto_start=True)
    starting = await lobby.join(who("bob"), room.code, None)
    assert starting.state == "starting"
    await until(lambda: starting.match_id in matches.created)


async def test_bots_fill_seats_at_the_hosts_wish(maker: Maker, matches: LogMatches) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby)
    await lobby.set_bot(who("ann"), room.code, 1, "expert")
    await lobby.set_bot(who("ann"), room.code, 1, "")
    await lobby.set_bot(who("ann"), room.code, 1, "beginner")
    match_id = await lobby.start(who("ann"), room.code)
    bot = matches.created[match_id].occupants[1].bot
    assert (bot.strength, bot.policy) == ("beginner", "")  # rules knows its policies best
    assert (await refusal(lobby.set_bot(who("ann"), room.code, 0, "expert"))).reason in (
        "already_started",
        "seat_taken",
    )


async def test_a_room_can_be_made_with_bots(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby, bots={0: "normal"})
    assert room.seat_of("ann") == 1
    assert isinstance(
        await refusal(opened(lobby, "bob", seat=0, bots={0: "normal"})), InvalidArgument
    )
    assert (await refusal(opened(lobby, "bob", bots={1: "genius"}))).reason == "bad_bot"
    assert (await refusal(opened(lobby, "bob", bots={7: "normal"}))).reason == "bad_seat"


async def test_only_the_host_sets_bots_and_starts(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby)
    await lobby.join(who("bob"), room.code, None)
    for call in (
        lobby.set_bot(who("bob"), room.code, 0, "normal"),
        lobby.start(who("bob"), room.code),
        lobby.move(who("bob"), room.code, "ann", 1),
    ):
        assert (await refusal(call)).reason == "not_the_host"


async def test_seats_can_be_changed_while_the_room_is_open(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby)
    assert (await lobby.move(who("ann"), room.code, "", 1)).seat_of("ann") == 1
    await lobby.join(who("bob"), room.code, None)
    taken = await refusal(lobby.move(who("bob"), room.code, "", 1))
    assert taken.reason == "seat_taken"
    assert (await refusal(lobby.move(who("ann"), room.code, "cleo", 1))).reason == "not_in_room"
    assert (await refusal(lobby.move(who("ann"), room.code, "", 2))).reason == "bad_seat"


async def test_an_unfilled_room_does_not_start(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby)
    assert (await refusal(lobby.start(who("ann"), room.code))).reason == "seats_free"


async def test_the_longest_member_becomes_host_and_an_empty_room_is_closed(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby)
    await lobby.join(who("bob"), room.code, None)
    await lobby.leave(who("ann"), room.code)
    await lobby.leave(who("ann"), room.code)
    assert (await lobby.get(who("bob"), room.code)).host == "bob"
    await lobby.leave(who("bob"), room.code)
    assert (await refusal(lobby.join(who("bob"), room.code, None))).reason == "no_such_room"


async def test_the_same_request_gives_the_same_room(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    rooms = await asyncio.gather(*(opened(lobby) for _ in range(5)))
    assert len({room.code for room in rooms}) == 1
    assert isinstance(await refusal(opened(lobby, seat=1)), AlreadyExists)


async def test_members_see_each_change_and_the_start(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby)
    async with aclosing(lobby.watch(who("ann"), room.code)) as watch:
        assert (await anext(watch)).seats[1].free
        await lobby.join(who("bob"), room.code, None)
        assert (await anext(watch)).seat_of("bob") == 1
        await lobby.start(who("ann"), room.code)
        states = [state.state async for state in watch]
    assert states[-1] == "started"


async def test_a_watch_tells_that_the_room_was_closed(maker: Maker) -> None:
    parts = await maker()
    lobby = parts.use.lobby
    room = await opened(lobby)
    async with aclosing(lobby.watch(who("ann"), room.code)) as watch:
        await anext(watch)
        await lobby.leave(who("ann"), room.code)
        assert [state.state async for state in watch] == ["closed"]


async def test_a_match_that_cannot_be_made_reopens_the_room(
    maker: Maker, matches: LogMatches
) -> None:
    def refuse(_: object) -> None:
        raise InvalidArgument("bad_options")

    matches.before = refuse
    lobby = (await maker()).use.lobby
    room = await opened(lobby, bots={1: "normal"})
    assert (await refusal(lobby.start(who("ann"), room.code))).reason == "match_pending"
    known = await lobby.get(who("ann"), room.code)
    assert (known.state, known.problem, known.match_id) == ("open", "bad_options", "")
    matches.before = None
    assert await lobby.start(who("ann"), room.code) in matches.created


async def test_a_start_whose_instance_dies_is_finished_by_another(
    maker: Maker, matches: LogMatches
) -> None:
    attempts: list[str] = []
    dead = asyncio.Event()

    def unclear_at_first(request: Any) -> None:
        attempts.append(request.match_id)
        if not dead.is_set():
            raise Unavailable("outcome_unknown")

    matches.before = unclear_at_first
    first, second = await maker(lease_ms=300), await maker(lease_ms=300)
    room = await opened(first.use.lobby, bots={1: "normal"})
    assert (await refusal(first.use.lobby.start(who("ann"), room.code))).reason == "match_pending"
    dead.set()
    await until(lambda: _state(second.use.lobby, room.code, "started"))
    assert len(set(attempts)) == 1


async def test_mm_02_the_last_seat_goes_to_one_and_no_started_match_has_an_empty_seat(
    maker: Maker, matches: LogMatches
) -> None:
    """Two players want the last seat, one of them withdraws at once; the room starts by itself."""
    lobbies = [(await maker(**FREE)).use.lobby, (await maker(**FREE)).use.lobby]
    outcomes: Counter[str] = Counter()

    async def join_and_leave(player: str, code: str, lobby: Lobby) -> str:
        try:
            await lobby.join(who(player), code, None)
            await lobbies[0].leave(who(player), code)
        except SpielwerkError as error:
            return error.reason
        return "joined and left"

    async def join(player: str, code: str, lobby: Lobby) -> str:
        try:
            await lobby.join(who(player), code, None)
        except SpielwerkError as error:
            return error.reason
        return "joined"

    for n in range(200):
        room = await opened(lobbies[0], f"h{n}", auto_start=True)
        ends = await asyncio.gather(
            join(f"a{n}", room.code, lobbies[0]),
            join(f"b{n}", room.code, lobbies[1]),
            join_and_leave(f"c{n}", room.code, lobbies[n % 2]),
        )
        outcomes.update(ends)
        won = ends.count("joined") + ends.count("already_started")
        assert won <= 1 or "joined and left" in ends, ends
        assert set(ends) <= {
            *("joined", "joined and left", "already_started"),
            *("room_full", "seat_taken", "no_such_room"),
        }
    print(dict(outcomes), f"{len(matches.created)} matches")
    for request in list(matches.created.values()):
        assert len({o.human.player_id for o in request.occupants}) == 2
        assert all(o.human.player_id for o in request.occupants)


async def test_mm_06_each_code_is_one_room(maker: Maker) -> None:
    parts = await maker(**FREE)
    rooms = await asyncio.gather(
        *(opened(parts.use.lobby, f"p{n % 50}", f"r{n}") for n in range(1000))
    )
    assert len({room.code for room in rooms}) == 1000
    assert {len(room.code) for room in rooms} == {CODE_LENGTH}
    joins = await asyncio.gather(
        *(parts.use.lobby.join(who(f"j{n}"), rooms[0].code, None) for n in range(100)),
        return_exceptions=True,
    )
    seated = [join for join in joins if isinstance(join, Room)]
    reasons = {join.reason for join in joins if isinstance(join, SpielwerkError)}
    assert len(seated) == 1
    assert reasons == {"room_full"}


async def test_mm_06_guessing_is_slowed_down_for_a_player_and_for_an_address(
    maker: Maker,
) -> None:
    never = 3_600_000  # nothing is forgiven while the test runs, however slow the machine
    parts = await maker(
        guess_rate={"burst": 10, "interval_ms": never},
        address_rate={"burst": 40, "interval_ms": never},
    )
    lobby = parts.use.lobby
    room = await opened(lobby)
    dice = random.Random(6)

    async def guess(player: str, address: str) -> str:
        code = new_code(dice.randbytes(8))
        return (await refusal(lobby.join(who(player, address), code, None))).reason

    one = Counter([await guess("eve", "ipv4:10.9.9.1") for _ in range(300)])
    many = Counter([await guess(f"eve{n % 50}", "ipv4:10.9.9.2") for n in range(300)])
    print(dict(one), dict(many))
    assert one["no_such_room"] <= 12
    assert many["no_such_room"] <= 42
    limited = await refusal(lobby.join(who("eve", "ipv4:10.9.9.3"), room.code, None))
    assert isinstance(limited, ResourceExhausted)
    assert (limited.retry_after or 0) > 0
    assert (await lobby.join(who("bob", "ipv4:10.9.9.4"), room.code, None)).seat_of("bob") == 1


async def test_mm_06_a_wrong_code_is_answered_like_a_closed_room(maker: Maker) -> None:
    lobby = (await maker(**FREE)).use.lobby
    closed = await opened(lobby)
    await lobby.leave(who("ann"), closed.code)
    started = await opened(lobby, "ann", "r2", bots={1: "normal"})
    await lobby.start(who("ann"), started.code)
    codes = {
        "wrong": new_code(bytes(range(8))),
        "closed": closed.code,
        "started": started.code,
        "malformed": "no code",
        "empty": "",
        "long": "A" * 10_000,
    }
    answers = set()
    took: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(200):
        for name, code in codes.items():
            began = time.perf_counter()
            error = await refusal(lobby.join(who("bob"), code, None))
            took[name].append(time.perf_counter() - began)
            answers.add((type(error), error.reason, error.message, str(error.metadata)))
    times = {name: statistics.median(measured) for name, measured in took.items()}
    print({name: f"{1e6 * t:.0f} us" for name, t in times.items()})
    assert answers == {(PermissionDenied, "no_such_room", "no such room", "{}")}
    assert max(times.values()) < 3 * min(times.values())


async def test_mm_07_a_stranger_learns_nothing_of_a_room(maker: Maker) -> None:
    parts = await maker(**FREE)
    lobby = parts.use.lobby
    room = await opened(lobby)
    stranger = who("eve")
    for call in (
        lobby.get(stranger, room.code),
        lobby.move(stranger, room.code, "", 1),
        lobby.set_bot(stranger, room.code, 1, "normal"),
        lobby.start(stranger, room.code),
        anext(lobby.watch(stranger, room.code)),
    ):
        assert (await refusal(call)).reason == "no_such_room"
    await lobby.leave(stranger, room.code)
    assert (await parts.use.overview.of("eve")).rooms == ()
    assert (await lobby.get(who("ann"), room.code)).members == ("ann",)


async def test_mm_08_exactly_the_free_seats_are_filled(maker: Maker) -> None:
    """One free seat, six join in parallel, some of them are cancelled half-way."""
    limits = FREE | {"absent_ms": 60_000}
    lobbies = [(await maker(**limits)).use.lobby, (await maker(**limits)).use.lobby]
    dice, outcomes = random.Random(8), Counter[str]()

    async def join(player: str, code: str) -> str:
        try:
            async with asyncio.timeout(dice.choice((0.001, 0.003, 10))):
                await dice.choice(lobbies).join(who(player), code, None)
        except TimeoutError:
            return "cancelled"
        except FailedPrecondition as error:
            return error.reason
        return "seated"

    for n in range(250):
        room = await opened(lobbies[0], f"h{n % 20}", f"r{n}")
        players = [f"p{n}-{k}" for k in range(6)]
        ends = await asyncio.gather(*(join(player, room.code) for player in players))
        outcomes.update(ends)
        known = await lobbies[1].get(who(f"h{n % 20}"), room.code)
        seated = [p for p in players if known.seat_of(p) is not None]
        assert all(seated == [p] for p, end in zip(players, ends, strict=True) if end == "seated")
        assert set(ends) <= {"seated", "cancelled", "room_full"}
        assert "seated" in ends or "cancelled" in ends
        again = [await join_definitely(lobbies[0], p, room.code) for p in players]
        assert again.count(True) == 1
        assert not seated or seated == [players[again.index(True)]]
    print(dict(outcomes))
    assert outcomes["cancelled"] > 50


async def join_definitely(lobby: Lobby, player: str, code: str) -> bool:
    end = await answer(lobby.join(who(player), code, None))
    assert isinstance(end, Room) or end.reason == "room_full"
    return isinstance(end, Room)


async def test_mm_08_the_seat_of_a_member_that_is_gone_becomes_free(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby)
    await lobby.join(who("bob"), room.code, None)
    assert (await refusal(lobby.join(who("cleo"), room.code, None))).reason == "room_full"
    maker.clock.advance(120_001)
    assert (await lobby.join(who("cleo"), room.code, None)).seat_of("cleo") == 1
    back = await lobby.get(who("ann"), room.code)
    assert (back.host, back.members) == ("ann", ("ann", "cleo"))


async def test_a_watch_keeps_the_seat_of_a_member(maker: Maker) -> None:
    parts = await maker(refresh_ms=50)
    room = await opened(parts.use.lobby)
    await parts.use.lobby.join(who("bob"), room.code, None)
    watch = asyncio.create_task(_drain(parts.use.lobby.watch(who("bob"), room.code)))
    for _ in range(3):
        maker.clock.advance(60_000)
        await until(lambda: _seen(parts, room.code, "bob", maker.clock.now_ms() - 30_000))
    assert (await parts.use.lobby.get(who("ann"), room.code)).members == ("ann", "bob")
    watch.cancel()


async def test_an_absent_player_is_not_started_with(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    room = await opened(lobby, auto_start=True)
    maker.clock.advance(120_001)
    joined = await lobby.join(who("bob"), room.code, None)
    assert joined.state == "open"
    assert (await lobby.get(who("ann"), room.code)).state == "starting"


async def test_mm_09_who_joins_again_keeps_the_seat(maker: Maker) -> None:
    lobbies = [(await maker()).use.lobby, (await maker()).use.lobby]
    room = await opened(lobbies[0])
    await lobbies[1].join(who("bob"), room.code, None)
    for n in range(10):
        again = await asyncio.gather(
            lobbies[n % 2].join(who("ann", f"ipv4:10.0.0.{n}"), room.code, 1),
            lobbies[0].join(who("bob"), room.code, 0),
        )
        assert {(r.seat_of("ann"), r.seat_of("bob")) for r in again} == {(0, 1)}
    match_id = await lobbies[0].start(who("ann"), room.code)
    for n in range(10):
        after = await lobbies[n % 2].join(who("bob"), room.code, None)
        assert (after.match_id, after.seat_of("bob"), after.members) == (
            match_id,
            1,
            ("ann", "bob"),
        )


async def test_mm_10_a_player_has_few_rooms_and_cannot_make_them_quickly(maker: Maker) -> None:
    lobby = (await maker()).use.lobby
    ends: Counter[str] = Counter()
    for n in range(200):
        try:
            await opened(lobby, "ann", f"r{n}")
            ends["opened"] += 1
        except ResourceExhausted as error:
            ends[error.reason] += 1
    print(dict(ends))
    assert ends["opened"] <= 6
    assert (await opened(lobby, "bob")).host == "bob"


async def test_mm_10_a_player_cannot_sit_in_many_rooms(maker: Maker) -> None:
    lobby = (await maker(rooms_per_player=3, room_rate=FAST)).use.lobby
    codes = [(await opened(lobby, f"h{n}")).code for n in range(4)]
    for code in codes[:3]:
        await lobby.join(who("bob"), code, None)
    assert (await refusal(lobby.join(who("bob"), codes[3], None))).reason == "too_many_rooms"
    assert (await refusal(opened(lobby, "bob"))).reason == "too_many_rooms"
    await lobby.leave(who("bob"), codes[0])
    assert (await lobby.join(who("bob"), codes[3], None)).seat_of("bob") == 1


async def test_mm_10_abandoned_rooms_end_by_themselves(maker: Maker) -> None:
    parts = await maker(room_idle_ms=3000, request_ms=3000, **{**FREE, "rooms_per_player": 3000})
    empty = await parts.store.redis.dbsize()
    codes = [(await opened(parts.use.lobby, f"p{n % 10}", f"r{n}")).code for n in range(300)]
    await until(lambda: _gone(parts, codes[-1]))
    for n in range(10):
        assert (await parts.use.overview.of(f"p{n}")).rooms == ()
    await until(lambda: _back_to(parts, empty))


async def test_codes_are_read_as_people_type_them() -> None:
    code = new_code(random.Random(1).randbytes(8))
    assert read_code(shown_code(code)) == code
    assert read_code("o1lI-0000-aaaa") == "0111" + "0000" + "AAAA"
    assert [read_code(bad) for bad in ("", "U" * 12, "A" * 11, "A" * 13, "ß" * 12)] == [""] * 5


async def _drain(watch: AsyncIterator[Room]) -> None:
    async for _ in watch:
        pass


async def _seen(parts: Parts, code: str, player: str, since_ms: int) -> bool:
    return float(await parts.store.redis.zscore(keys.seen(code), player)) >= since_ms


async def _state(lobby: Lobby, code: str, state: str) -> bool:
    return (await lobby.get(who("ann"), code)).state == state


async def _gone(parts: Parts, code: str) -> bool:
    with pytest.raises(SpielwerkError):
        await parts.use.lobby.get(who("nobody"), code)
    return not await parts.store.redis.exists(keys.room(code))


async def _back_to(parts: Parts, size: int) -> bool:
    return int(await parts.store.redis.dbsize()) <= size + 2


async def test_wrong_codes_of_others_at_their_address_do_not_keep_members_out(
    maker: Maker,
) -> None:
    tight = Rate(burst=3, interval_ms=60_000)
    lobby = (await maker(address_rate=tight)).use.lobby
    room = await opened(lobby)
    for n in range(3):
        await refusal(lobby.join(who(f"guesser{n}"), "0000-0000-0000", None))
    assert (await refusal(lobby.join(who("bob"), room.code, None))).reason == "too_many_guesses"
    assert (await lobby.get(who("ann"), room.code)).code == room.code
    await lobby.set_bot(who("ann"), room.code, 1, "normal")
    assert await lobby.start(who("ann"), room.code)
