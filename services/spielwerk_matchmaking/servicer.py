"""MatchmakingService: translates between messages and use cases, nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final

import grpc

from spielwerk.api.v1 import matchmaking_pb2 as pb
from spielwerk.api.v1 import matchmaking_pb2_grpc
from spielwerk.errors import InvalidArgument
from spielwerk.rpc.auth import current_caller
from spielwerk.rpc.peers import address_of
from spielwerk_matchmaking.choices import choose
from spielwerk_matchmaking.lobby import Table
from spielwerk_matchmaking.messages import WATCH_WORDS
from spielwerk_matchmaking.practice import Wish
from spielwerk_matchmaking.room_store import Visitor
from spielwerk_matchmaking.tickets import OVER, Ticket
from spielwerk_matchmaking.use_cases import UseCases
from spielwerk_matchmaking.views import offer_message, room_message, running_message, ticket_message

Context = grpc.aio.ServicerContext[Any, Any]
_MOST_BOTS: Final = 16


class MatchmakingServicer(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """The public API of matchmaking; see matchmaking.proto for callers and errors."""

    def __init__(self, use: UseCases) -> None:
        self._use = use

    async def Enqueue(self, request: pb.EnqueueRequest, context: Context) -> pb.EnqueueResponse:
        """Stands in line."""
        player = current_caller().subject
        choice = choose(request.game, request.options, request.players, "queue")
        ticket_id = await self._use.queue.enqueue(player, choice, request.request_id)
        return pb.EnqueueResponse(ticket=ticket_message(await self._ticket(player, ticket_id)))

    async def GetTicket(
        self, request: pb.GetTicketRequest, context: Context
    ) -> pb.GetTicketResponse:
        """The ticket now."""
        ticket = await self._ticket(current_caller().subject, request.ticket_id)
        return pb.GetTicketResponse(ticket=ticket_message(ticket))

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: Context
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        """The ticket and its changes."""
        player, ticket_id = current_caller().subject, request.ticket_id
        await self._ticket(player, ticket_id)

        async def look() -> Ticket:
            return await self._use.tickets.get(player, ticket_id)

        def over(ticket: Ticket) -> bool:
            return ticket.state in OVER

        follow = self._use.watching.follow(("ticket", ticket_id), look, over)
        async with aclosing(follow) as states:
            async for state in states:
                yield pb.WatchTicketResponse(ticket=ticket_message(state))

    async def CancelTicket(
        self, request: pb.CancelTicketRequest, context: Context
    ) -> pb.CancelTicketResponse:
        """Leaves the queue."""
        ticket = await self._use.tickets.cancel(current_caller().subject, request.ticket_id)
        return pb.CancelTicketResponse(ticket=ticket_message(ticket))

    async def CreateRoom(
        self, request: pb.CreateRoomRequest, context: Context
    ) -> pb.CreateRoomResponse:
        """Opens a private room."""
        table = Table(
            choice=choose(request.game, request.options, request.players, "room"),
            seat=request.seat if request.HasField("seat") else None,
            bots=_bots(request.bots),
            watch=WATCH_WORDS.get(request.watch, "participants"),
            auto_start=request.auto_start,
        )
        room = await self._use.lobby.create(_visitor(context), table, request.request_id)
        return pb.CreateRoomResponse(room=room_message(room))

    async def JoinRoom(self, request: pb.JoinRoomRequest, context: Context) -> pb.JoinRoomResponse:
        """Takes a seat."""
        visitor = _visitor(context)
        wish = request.seat if request.HasField("seat") else None
        room = await self._use.lobby.join(visitor, request.code, wish)
        seat = room.seat_of(visitor.player)
        return pb.JoinRoomResponse(room=room_message(room), seat=seat or 0)

    async def LeaveRoom(
        self, request: pb.LeaveRoomRequest, context: Context
    ) -> pb.LeaveRoomResponse:
        """Gives the seat up."""
        await self._use.lobby.leave(_visitor(context), request.code)
        return pb.LeaveRoomResponse()

    async def SetSeat(self, request: pb.SetSeatRequest, context: Context) -> pb.SetSeatResponse:
        """Moves to a free seat."""
        visitor = _visitor(context)
        room = await self._use.lobby.move(visitor, request.code, request.player_id, request.seat)
        return pb.SetSeatResponse(room=room_message(room))

    async def SetBot(self, request: pb.SetBotRequest, context: Context) -> pb.SetBotResponse:
        """Puts a bot on a seat, or takes it off."""
        visitor = _visitor(context)
        room = await self._use.lobby.set_bot(visitor, request.code, request.seat, request.strength)
        return pb.SetBotResponse(room=room_message(room))

    async def StartRoom(
        self, request: pb.StartRoomRequest, context: Context
    ) -> pb.StartRoomResponse:
        """Starts the match."""
        match_id = await self._use.lobby.start(_visitor(context), request.code)
        return pb.StartRoomResponse(match_id=match_id)

    async def GetRoom(self, request: pb.GetRoomRequest, context: Context) -> pb.GetRoomResponse:
        """The room as its members see it."""
        room = await self._use.lobby.get(_visitor(context), request.code)
        return pb.GetRoomResponse(room=room_message(room))

    async def WatchRoom(
        self, request: pb.WatchRoomRequest, context: Context
    ) -> AsyncIterator[pb.WatchRoomResponse]:
        """The room and its changes."""
        async with aclosing(self._use.lobby.watch(_visitor(context), request.code)) as rooms:
            async for room in rooms:
                yield pb.WatchRoomResponse(room=room_message(room))

    async def StartPractice(
        self, request: pb.StartPracticeRequest, context: Context
    ) -> pb.StartPracticeResponse:
        """A match against bots."""
        wish = Wish(
            choice=choose(request.game, request.options, request.players, "practice"),
            seat=request.seat,
            bots=_bots(request.bots),
            strength=request.strength,
        )
        player = current_caller().subject
        match_id = await self._use.practice.start(player, wish, request.request_id)
        return pb.StartPracticeResponse(match_id=match_id, seat=wish.seat)

    async def Rematch(self, request: pb.RematchRequest, context: Context) -> pb.RematchResponse:
        """Says yes to playing again."""
        offer = await self._use.rematches.agree(current_caller().subject, request.match_id)
        return pb.RematchResponse(offer=offer_message(offer))

    async def GetRematch(
        self, request: pb.GetRematchRequest, context: Context
    ) -> pb.GetRematchResponse:
        """How the rematch stands."""
        offer = await self._use.rematches.get(current_caller().subject, request.match_id)
        return pb.GetRematchResponse(offer=offer_message(offer))

    async def WatchRematch(
        self, request: pb.WatchRematchRequest, context: Context
    ) -> AsyncIterator[pb.WatchRematchResponse]:
        """The rematch and its changes."""
        watch = self._use.rematches.watch(current_caller().subject, request.match_id)
        async with aclosing(watch) as offers:
            async for offer in offers:
                yield pb.WatchRematchResponse(offer=offer_message(offer))

    async def ListOpen(self, request: pb.ListOpenRequest, context: Context) -> pb.ListOpenResponse:
        """Where a client that comes back goes on."""
        there = await self._use.overview.of(current_caller().subject)
        return pb.ListOpenResponse(
            tickets=[ticket_message(ticket) for ticket in there.tickets],
            rooms=[room_message(room) for room in there.rooms],
            matches=[running_message(match) for match in there.matches],
        )

    async def _ticket(self, player: str, ticket_id: str) -> Ticket:
        """The ticket, kept alive by this look."""
        ticket = await self._use.tickets.get(player, ticket_id)
        if ticket.state not in OVER:
            await self._use.tickets.beat((ticket_id,))
        return ticket


def _visitor(context: Context) -> Visitor:
    return Visitor(current_caller().subject, address_of(context.peer()))


def _bots(bots: Any) -> dict[int, str]:
    if len(bots) > _MOST_BOTS:
        raise InvalidArgument("bad_bot", "more bots than seats")
    return dict(bots)
