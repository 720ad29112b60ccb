"""Matchmaking over gRPC with real rules: what clients see from the queue to the rematch."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from redis.asyncio import Redis

from matchmaking.installation import Installation, refused
from matchmaking.instances import until
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1 import matchmaking_pb2 as pb
from spielwerk.api.v1.matchmaking_pb2_grpc import MatchmakingServiceStub
from spielwerk.errors import Unclear
from spielwerk.rpc.errors import error_of

NO_SUCH_MATCH = (grpc.StatusCode.PERMISSION_DENIED, "no_such_match")


def practice(**more: Any) -> pb.StartPracticeRequest:
    return pb.StartPracticeRequest(game="cribbage", **{"request_id": "p1"} | more)


def room(**more: Any) -> pb.CreateRoomRequest:
    return pb.CreateRoomRequest(game="cribbage", **{"request_id": "r1"} | more)


async def rest_of(stream: Any) -> list[Any]:
    """What a stream still gives until it ends."""
    found: list[Any] = []
    while (response := await stream.read()) is not grpc.aio.EOF:
        found.append(response)
    return found


async def status(call: Any) -> tuple[grpc.StatusCode, str]:
    code, error = await refused(call)
    return code, error.reason


async def test_two_players_meet_in_a_queue_and_play(installation: Installation) -> None:
    match_id = await installation.matched("ann", "bob")
    for player in ("ann", "bob"):
        joined = await installation.play(player).Join(match_pb2.JoinRequest(match_id=match_id))
    view = await installation.play("ann").GetView(match_pb2.GetViewRequest(match_id=match_id))
    assert joined.version == 3
    assert view.view.phase == match_pb2.PHASE_PLAYING
    assert view.view.opened.origin == match_pb2.ORIGIN_QUEUE
    assert view.view.opened.rated
    assert view.view.opened.options.cribbage.action_timeout_s == 60


async def test_a_watch_of_a_ticket_tells_each_state_once(installation: Installation) -> None:
    ticket_id = await installation.enqueue("ann")
    watch = installation.meet("ann").WatchTicket(pb.WatchTicketRequest(ticket_id=ticket_id))
    first = await watch.read()
    assert first.ticket.state == pb.TICKET_STATE_WAITING
    assert first.ticket.options.cribbage.target == 121
    assert first.ticket.players == 2
    await installation.meet("ann").CancelTicket(pb.CancelTicketRequest(ticket_id=ticket_id))
    rest = [response.ticket.state for response in await rest_of(watch)]
    assert rest == [pb.TICKET_STATE_CANCELLED]


async def test_a_room_with_a_friend_ends_in_a_match(installation: Installation) -> None:
    ann, bob = installation.meet("ann"), installation.meet("bob")
    created = (await ann.CreateRoom(room(watch=match_pb2.WATCH_POLICY_ANYONE))).room
    joined = await bob.JoinRoom(pb.JoinRoomRequest(code=created.code))
    assert joined.seat == 1
    match_id = (await ann.StartRoom(pb.StartRoomRequest(code=created.code))).match_id
    view = await installation.play("bob").GetView(match_pb2.GetViewRequest(match_id=match_id))
    assert view.view.seat == 1
    assert view.view.opened.watch == match_pb2.WATCH_POLICY_ANYONE
    assert view.view.opened.origin == match_pb2.ORIGIN_ROOM


async def test_practice_starts_at_once_and_is_not_rated(installation: Installation) -> None:
    ann = installation.meet("ann")
    request = practice(seat=1, bots={0: "expert"})
    answers = [await ann.StartPractice(request) for _ in range(3)]
    assert len({answer.match_id for answer in answers}) == 1
    assert answers[0].seat == 1
    match_id = answers[0].match_id
    view = await installation.play("ann").GetView(match_pb2.GetViewRequest(match_id=match_id))
    opened = view.view.opened
    assert not opened.rated
    assert opened.origin == match_pb2.ORIGIN_PRACTICE
    assert opened.options.cribbage.action_timeout_s == 0
    assert opened.occupants[0].bot.strength == "expert"
    reused = await status(ann.StartPractice(practice(seat=0)))
    assert reused == (grpc.StatusCode.ALREADY_EXISTS, "request_id_reused")


async def test_practice_is_limited(installation: Installation) -> None:
    ann, ends = installation.meet("ann"), Counter[str]()
    for n in range(30):
        try:
            await ann.StartPractice(practice(request_id=f"p{n}"))
            ends["started"] += 1
        except grpc.aio.AioRpcError as error:
            ends[error_of(error).reason] += 1
    assert ends["started"] < 15
    assert ends["too_fast"] > 10


async def test_bad_requests_are_refused_by_name(installation: Installation) -> None:
    ann = installation.meet("ann")
    bad = grpc.StatusCode.INVALID_ARGUMENT
    assert await status(ann.StartPractice(practice(seat=9))) == (bad, "bad_seat")
    assert await status(ann.StartPractice(practice(strength="genius"))) == (bad, "bad_bot")
    assert await status(ann.StartPractice(practice(players=7))) == (bad, "bad_players")
    assert await status(ann.CreateRoom(room(request_id=""))) == (bad, "bad_request_id")
    unknown = pb.EnqueueRequest(game="halma", request_id="r")
    assert await status(ann.Enqueue(unknown)) == (grpc.StatusCode.NOT_FOUND, "game_unknown")
    for id_ in ("", "x", "0" * 26):
        request = pb.RematchRequest(match_id=id_)
        assert await status(ann.Rematch(request)) == NO_SUCH_MATCH


async def test_only_players_may_call(installation: Installation) -> None:
    for role in ("operator", "auditor", "service:bots"):
        meet = installation.meet("x", role=role)
        code, reason = await status(meet.ListOpen(pb.ListOpenRequest()))
        assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "role_not_allowed")


async def test_a_rematch_is_made_once_all_have_said_yes(installation: Installation) -> None:
    await installation.start_matchmaking()
    match_id = await installation.finished_match("ann", "bob")
    request = pb.RematchRequest(match_id=match_id)
    offer = (await installation.meet("ann").Rematch(request)).offer
    assert (offer.state, offer.player_ids) == (pb.REMATCH_STATE_OFFERED, ["ann"])
    watch = installation.meet("ann").WatchRematch(pb.WatchRematchRequest(match_id=match_id))
    assert (await watch.read()).offer.state == pb.REMATCH_STATE_OFFERED
    calls = [installation.meet("bob", n % 2).Rematch(request) for n in range(10)]
    offers = [answer.offer for answer in await asyncio.gather(*calls)]
    assert {offer.state for offer in offers} == {pb.REMATCH_STATE_AGREED}
    assert len({offer.match_id for offer in offers}) == 1
    last = (await rest_of(watch))[-1].offer
    assert last.match_id == offers[0].match_id
    await until(lambda: _exists(installation, "ann", last.match_id))
    old = await installation.play("ann").GetView(match_pb2.GetViewRequest(match_id=match_id))
    new = await installation.play("ann").GetView(match_pb2.GetViewRequest(match_id=last.match_id))
    assert new.view.seat == 1 - old.view.seat
    assert new.view.opened.origin == match_pb2.ORIGIN_REMATCH
    assert new.view.opened.options == old.view.opened.options


async def test_a_rematch_against_bots_needs_one_yes(installation: Installation) -> None:
    ann = installation.meet("ann")
    match_id = (await ann.StartPractice(practice())).match_id
    await installation.play("ann").Join(match_pb2.JoinRequest(match_id=match_id))
    resign = match_pb2.ResignRequest(match_id=match_id, command_id="r")
    await installation.play("ann").Resign(resign)
    offer = (await ann.Rematch(pb.RematchRequest(match_id=match_id))).offer
    assert offer.state == pb.REMATCH_STATE_AGREED
    await until(lambda: _exists(installation, "ann", offer.match_id))


async def test_a_running_match_has_no_rematch_yet(installation: Installation) -> None:
    await installation.start_matchmaking(fold_patience_ms=50)
    match_id = (await installation.meet("ann").StartPractice(practice())).match_id
    await until(lambda: _running(installation, "ann", [match_id]))
    request = pb.RematchRequest(match_id=match_id)
    running = (grpc.StatusCode.FAILED_PRECONDITION, "match_running")
    assert await status(installation.meet("ann", 1).Rematch(request)) == running


async def test_an_offer_expires_and_can_be_made_again(installation: Installation) -> None:
    await installation.start_matchmaking(offer_ms=200)
    match_id = await installation.finished_match("ann", "bob")
    request, look = pb.RematchRequest(match_id=match_id), pb.GetRematchRequest(match_id=match_id)
    await installation.meet("ann", 1).Rematch(request)

    async def expired() -> bool:
        offer = (await installation.meet("bob", 1).GetRematch(look)).offer
        return bool(offer.state == pb.REMATCH_STATE_NONE)

    await until(expired)
    offer = (await installation.meet("bob", 1).Rematch(request)).offer
    assert (offer.state, offer.player_ids) == (pb.REMATCH_STATE_OFFERED, ["bob"])


async def test_mm_07_a_stranger_gets_nowhere_by_match_or_room(installation: Installation) -> None:
    match_id = await installation.finished_match("ann", "bob")
    eve = installation.meet("eve")
    running = (await installation.meet("ann").StartPractice(practice())).match_id
    await until(lambda: _running(installation, "ann", [running]))
    for id_ in (match_id, running):
        assert await status(eve.Rematch(pb.RematchRequest(match_id=id_))) == NO_SUCH_MATCH
        assert await status(eve.GetRematch(pb.GetRematchRequest(match_id=id_))) == NO_SUCH_MATCH
        watch = eve.WatchRematch(pb.WatchRematchRequest(match_id=id_))
        assert await status(watch.read()) == NO_SUCH_MATCH
    code = (await installation.meet("ann").CreateRoom(room())).room.code
    for call in (
        eve.GetRoom(pb.GetRoomRequest(code=code)),
        eve.StartRoom(pb.StartRoomRequest(code=code)),
        eve.WatchRoom(pb.WatchRoomRequest(code=code)).read(),
    ):
        assert await status(call) == (grpc.StatusCode.PERMISSION_DENIED, "no_such_room")
    assert await eve.ListOpen(pb.ListOpenRequest()) == pb.ListOpenResponse()


async def test_a_match_without_result_has_no_rematch(installation: Installation) -> None:
    match_id = await installation.matched("ann", "bob")
    operator = installation.play("op", role="operator")
    await operator.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id, reason="test"))
    request = pb.RematchRequest(match_id=match_id)
    assert await status(installation.meet("ann").Rematch(request)) == NO_SUCH_MATCH
    assert await installation.matched("ann", "bob") != match_id


async def test_a_client_that_comes_back_finds_what_it_has_open(
    installation: Installation,
) -> None:
    ann = installation.meet("ann")
    code = (await ann.CreateRoom(room())).room.code
    match_id = await installation.matched("ann", "bob")
    await until(lambda: _running(installation, "ann", [match_id]))
    there = await ann.ListOpen(pb.ListOpenRequest())
    assert [r.code for r in there.rooms] == [code]
    assert there.matches[0].origin == match_pb2.ORIGIN_QUEUE
    ticket_id = await installation.enqueue("cleo")
    cleo = await installation.meet("cleo").ListOpen(pb.ListOpenRequest())
    assert [ticket.ticket_id for ticket in cleo.tickets] == [ticket_id]


async def test_after_a_real_no_show_the_one_who_joined_waits_again(
    installation: Installation,
) -> None:
    tickets = {player: await installation.enqueue(player) for player in ("ann", "bob")}
    ann = installation.meet("ann")
    watch = ann.WatchTicket(pb.WatchTicketRequest(ticket_id=tickets["ann"]))
    match_id = [response.ticket async for response in watch][-1].match_id
    operator = installation.play("op", role="operator")
    view = (await operator.GetView(match_pb2.GetViewRequest(match_id=match_id))).view
    await installation.play("ann").Join(match_pb2.JoinRequest(match_id=match_id))
    await _expire_seating(installation, match_id, view)

    async def waiting() -> bool:
        ticket = (await ann.GetTicket(pb.GetTicketRequest(ticket_id=tickets["ann"]))).ticket
        return bool(ticket.state == pb.TICKET_STATE_WAITING)

    await until(waiting)
    bob = pb.GetTicketRequest(ticket_id=tickets["bob"])
    ended = (await installation.meet("bob").GetTicket(bob)).ticket
    assert (ended.state, ended.reason) == (pb.TICKET_STATE_EXPIRED, "no_show")
    await installation.enqueue("cleo")
    watch = ann.WatchTicket(pb.WatchTicketRequest(ticket_id=tickets["ann"]))
    assert [r.ticket async for r in watch][-1].state == pb.TICKET_STATE_MATCHED


async def test_mm_03_clients_that_are_cut_off_vanish_and_are_never_matched(
    installation: Installation,
) -> None:
    """100 players watch their tickets in queues of their own; 50 connections are cut."""
    await installation.start_matchmaking(ghost_ms=1_000, beat_ms=200)
    address = installation.addresses[1]
    players = [f"p{n}" for n in range(100)]
    async with AsyncExitStack() as stack:
        channels = {p: installation.channel(p, address) for p in players}
        for channel in channels.values():
            stack.push_async_callback(channel.close)
        watches, tickets = {}, {}
        for n, player in enumerate(players):
            stub = MatchmakingServiceStub(channels[player])
            request = pb.EnqueueRequest(game="cribbage", request_id="r")
            request.options.cribbage.max_timeouts_in_row = n + 1
            tickets[player] = (await stub.Enqueue(request)).ticket.ticket_id
            watches[player] = stub.WatchTicket(pb.WatchTicketRequest(ticket_id=tickets[player]))
            await watches[player].read()
        for player in players[:50]:
            await channels[player].close()
        cut = time.monotonic()
        states = {}

        async def ghosts_gone() -> bool:
            states.update(await _states(installation, tickets))
            return all(states[player] == pb.TICKET_STATE_EXPIRED for player in players[:50])

        await until(ghosts_gone)
        took = time.monotonic() - cut
        print(f"50 ghosts gone after {took:.1f} s, documented for these settings: 1.0 s + a round")
        assert all(states[player] == pb.TICKET_STATE_WAITING for player in players[50:])
        for n in (0, 99):
            request = pb.EnqueueRequest(game="cribbage", request_id="r")
            request.options.cribbage.max_timeouts_in_row = n + 1
            await installation.meet(f"late{n}", 1).Enqueue(request)
        last = (await rest_of(watches["p99"]))[-1].ticket
        assert last.state == pb.TICKET_STATE_MATCHED
        assert (await _states(installation, tickets))["p0"] == pb.TICKET_STATE_EXPIRED


async def test_mm_04_pairings_of_a_killed_process_are_finished_by_the_next(
    installation: Installation,
) -> None:
    """The only instance is killed (SIGKILL) while it creates its matches; then another starts."""
    await installation.stop_matchmaking()
    with socket.create_server(("127.0.0.1", 0)) as mute:  # rules that never answer
        environment = installation.environment(
            api_target=f"127.0.0.1:{mute.getsockname()[1]}",
            matchmaking={"create_ms": 60_000, "lease_ms": 1_000, "settle_ms": 200},
        )
        command = [sys.executable, "-m", "spielwerk_matchmaking"]
        victim = subprocess.Popen(command, env=os.environ | environment, stderr=subprocess.DEVNULL)
        installation.addresses[0] = environment["SPIELWERK_RPC__LISTEN"]
        await until(installation.takes_tickets, seconds=30)
        tickets = {f"p{n}": await installation.enqueue(f"p{n}") for n in range(10)}
        async with Redis.from_url(installation.redis_url) as redis:
            await until(lambda: _has_leases(redis, 5))
        victim.kill()
        victim.wait()
    await installation.start_matchmaking()
    began, matched = time.monotonic(), Counter[str]()
    for player, ticket in tickets.items():
        watch = installation.meet(player, -1).WatchTicket(pb.WatchTicketRequest(ticket_id=ticket))
        matched[(await rest_of(watch))[-1].ticket.match_id] += 1
    print(f"5 pairings of a killed process finished after {time.monotonic() - began:.1f} s")
    assert sorted(matched.values()) == [2] * 5


async def test_gr_01_calls_that_are_cut_off_have_no_half_effect(
    installation: Installation,
) -> None:
    """Deadlines of 1 to 50 ms and cancels in that time; the definite answer at last is true."""
    dice, outcomes = random.Random(1), Counter[str]()

    async def definite(call: Any, request: Any) -> Any:
        for attempt in range(200):
            cut_s = dice.uniform(0.001, dice.choice((0.003, 0.01, 0.05))) if attempt < 5 else 5
            cancelled = attempt < 5 and dice.random() < 0.5
            running = call(request, timeout=None if cancelled else cut_s)
            if cancelled:
                asyncio.get_running_loop().call_later(cut_s, running.cancel)
            try:
                return await running
            except asyncio.CancelledError:
                outcomes["cancelled"] += 1
            except grpc.aio.AioRpcError as error:
                known = error_of(error)
                if not isinstance(known, Unclear):
                    raise known from error
                outcomes[known.reason] += 1
        raise AssertionError("no definite answer")

    async def round_(n: int) -> None:
        ann, bob = installation.meet(f"a{n}"), installation.meet(f"b{n}")
        ticket = (
            await definite(ann.Enqueue, pb.EnqueueRequest(game="cribbage", request_id="e"))
        ).ticket
        created = (await definite(ann.CreateRoom, room())).room
        await definite(bob.JoinRoom, pb.JoinRoomRequest(code=created.code))
        match_id = (await definite(ann.StartRoom, pb.StartRoomRequest(code=created.code))).match_id
        practised = (await definite(bob.StartPractice, practice())).match_id
        await until(lambda: _has_running(installation, f"b{n}", {match_id, practised}))
        there = await ann.ListOpen(pb.ListOpenRequest())
        assert len(there.rooms) == 0
        assert {t.ticket_id for t in there.tickets} <= {ticket.ticket_id}
        bobs = await bob.ListOpen(pb.ListOpenRequest())
        assert {m.match_id for m in bobs.matches} == {match_id, practised}

    for start in range(0, 40, 10):
        await asyncio.gather(*(round_(n) for n in range(start, start + 10)))
    print(dict(outcomes))
    assert min(outcomes["cancelled"], outcomes["deadline_exceeded"]) > 3


async def test_waits_and_pairings_are_counted(installation: Installation) -> None:
    await installation.matched("ann", "bob")
    metrics = installation.hosts[0].metrics
    assert metrics.value("spielwerk_pairings_total", game="cribbage", outcome="created") == 1
    assert metrics.value("spielwerk_ticket_seconds_count", game="cribbage") == 2


async def test_the_service_is_ready_when_the_log_is_read(installation: Installation) -> None:
    channel = installation.channel("x", installation.addresses[0])
    installation.stack.push_async_callback(channel.close)
    health = health_pb2_grpc.HealthStub(channel)
    request = health_pb2.HealthCheckRequest(service="spielwerk.api.v1.MatchmakingService")

    async def serving() -> bool:
        answer = await health.Check(request)
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    await until(serving)


async def test_streams_of_a_player_are_limited(installation: Installation) -> None:
    installation.port = {"streams_per_caller": 2}
    await installation.start_matchmaking()
    ann = installation.meet("ann", 1)
    ticket = pb.WatchTicketRequest(ticket_id=await installation.enqueue("ann"))
    watches = [ann.WatchTicket(ticket) for _ in range(2)]
    for watch in watches:
        await watch.read()
    third = ann.WatchTicket(ticket)
    assert await status(third.read()) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too_many_streams",
    )
    watches[0].cancel()

    async def one_more() -> bool:
        try:
            return bool(await ann.WatchTicket(ticket).read())
        except grpc.aio.AioRpcError:
            return False

    await until(one_more)


async def _expire_seating(installation: Installation, match_id: str, view: Any) -> None:
    """As the timer does it, once the seating time is over."""
    timer = installation.play("timer", role="service:timer")
    late = next(
        turn for turn in view.turns if view.opened.occupants[turn.seat].human.player_id == "bob"
    )
    request = match_pb2.ExpireDeadlineRequest(match_id=match_id, seat=late.seat, turn_key=late.key)

    async def expired() -> bool:
        try:
            await timer.ExpireDeadline(request)
        except grpc.aio.AioRpcError:
            return False
        return True

    await until(expired, seconds=20)


async def _states(installation: Installation, tickets: dict[str, str]) -> dict[str, Any]:
    """Read beside the API: a look through it would count as a sign of life."""
    async with Redis.from_url(installation.redis_url, decode_responses=True) as redis:
        raws = await redis.hmget("sw:{mm}:tickets", list(tickets.values()))
    names = {"waiting": pb.TICKET_STATE_WAITING, "expired": pb.TICKET_STATE_EXPIRED}
    found = [json.loads(raw)["state"] if raw else "" for raw in raws]
    return {p: names.get(s, s) for p, s in zip(tickets, found, strict=True)}


async def _has_leases(redis: Redis, count: int) -> bool:
    return int(await redis.zcard("sw:{mm}:leases")) == count


async def _exists(installation: Installation, player: str, match_id: str) -> bool:
    try:
        await installation.play(player).GetView(match_pb2.GetViewRequest(match_id=match_id))
    except grpc.aio.AioRpcError:
        return False
    return True


async def _running(installation: Installation, player: str, matches: list[str]) -> bool:
    there = await installation.meet(player).ListOpen(pb.ListOpenRequest())
    return [match.match_id for match in there.matches] == matches


async def _has_running(installation: Installation, player: str, matches: set[str]) -> bool:
    there = await installation.meet(player).ListOpen(pb.ListOpenRequest())
    return matches <= {match.match_id for match in there.matches}
