"""Limits of a player in matchmaking, over real gRPC: what is refused and when to come back."""

from __future__ import annotations

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from matchmaking.installation import Installation
from spielwerk.api.v1 import games_pb2
from spielwerk.api.v1 import matchmaking_pb2 as pb


async def refusal(call: grpc.aio.UnaryUnaryCall[object, object]) -> tuple[str, float]:
    """The reason of a call that is refused at a limit, and the seconds until it may come back."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    status = await rpc_status.aio.from_call(call)
    assert status is not None
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    assert [detail.Unpack(info) for detail in status.details] == [True, False]
    assert status.details[1].Unpack(retry)
    return info.reason, retry.retry_delay.ToMilliseconds() / 1000


def options(target: int) -> games_pb2.GameOptions:
    """Each target of cribbage has a queue of its own."""
    message = games_pb2.GameOptions()
    message.cribbage.target = target
    return message


async def test_a_player_has_few_tickets_and_is_told_when_a_silent_one_ends(
    installation: Installation,
) -> None:
    await installation.start_matchmaking(tickets_per_player=1, ghost_ms=9_000)
    ann = installation.meet("ann", 1)
    request = pb.EnqueueRequest(game="cribbage", request_id="1", options=options(121))
    ticket = (await ann.Enqueue(request)).ticket
    second = pb.EnqueueRequest(game="cribbage", request_id="2", options=options(61))
    assert await refusal(ann.Enqueue(second)) == ("too_many_tickets", 9)
    assert (
        installation.hosts[1].metrics.value(
            "spielwerk_rpc_limited_total", reason="too_many_tickets"
        )
        == 1
    )
    await ann.CancelTicket(pb.CancelTicketRequest(ticket_id=ticket.ticket_id))
    await ann.Enqueue(second)


async def test_a_player_has_few_rooms_and_is_told_when_a_silent_member_loses_its_seat(
    installation: Installation,
) -> None:
    await installation.start_matchmaking(rooms_per_player=1, absent_ms=50_000)
    ann = installation.meet("ann", 1)
    made = await ann.CreateRoom(pb.CreateRoomRequest(game="cribbage", request_id="1"))
    another = pb.CreateRoomRequest(game="cribbage", request_id="2")
    assert await refusal(ann.CreateRoom(another)) == ("too_many_rooms", 50)
    bobs = await installation.meet("bob", 1).CreateRoom(another)
    joining = pb.JoinRoomRequest(code=bobs.room.code)
    assert await refusal(ann.JoinRoom(joining)) == ("too_many_rooms", 50)
    await ann.LeaveRoom(pb.LeaveRoomRequest(code=made.room.code))
    await ann.JoinRoom(joining)


async def test_calls_of_a_player_are_limited_in_matchmaking_too(
    installation: Installation,
) -> None:
    installation.port = {"calls_per_s": 0.01, "calls_burst": 3}
    await installation.start_matchmaking()
    ann = installation.meet("ann", 1)
    for _ in range(3):
        await ann.ListOpen(pb.ListOpenRequest())
    reason, wait_s = await refusal(ann.ListOpen(pb.ListOpenRequest()))
    assert (reason, 50 < wait_s <= 100) == ("too_many_calls", True)
    await installation.meet("bob", 1).ListOpen(pb.ListOpenRequest())
