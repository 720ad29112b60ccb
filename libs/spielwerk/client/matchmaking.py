"""How players meet: queues, private rooms, practice, rematches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from spielwerk.api.v1 import match_pb2, matchmaking_pb2
from spielwerk.client.connection import AnyCall, Connection
from spielwerk.client.match import new_id
from spielwerk.client.meeting import (
    Open,
    Practice,
    RematchOffer,
    Room,
    Ticket,
    TicketState,
    Wishes,
    fill_wishes,
    read_offer,
    read_open,
    read_room,
    read_ticket,
)
from spielwerk.client.streams import Following, Resumed
from spielwerk.games import registry
from spielwerk.games.game import Seat
from spielwerk.match.model import WatchPolicy

T = TypeVar("T")


class Matchmaking:
    """The caller's ways to a match. All methods raise the exceptions of `spielwerk.errors`.

    Each creation carries a request id of its own, so that a repeat makes nothing twice.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stub = connection.matchmaking

    async def enqueue(self, game: str, options: Wishes = None, *, players: int = 0) -> Ticket:
        """Stand in line; `players` 0: the fewest that the game allows. Then `wait_ticket`."""
        request = matchmaking_pb2.EnqueueRequest(game=game, players=players, request_id=new_id())
        fill_wishes(registry.newest(game), options, request.options)
        answer = await self._connection.call(self._stub.Enqueue, request)
        return read_ticket(answer.ticket)

    async def ticket(self, ticket_id: str) -> Ticket:
        """The ticket now."""
        request = matchmaking_pb2.GetTicketRequest(ticket_id=ticket_id)
        answer = await self._connection.call(self._stub.GetTicket, request)
        return read_ticket(answer.ticket)

    def watch_ticket(self, ticket_id: str) -> Following[Ticket]:
        """The ticket now and at each change, until it is over; keeps it alive."""
        request = matchmaking_pb2.WatchTicketRequest(ticket_id=ticket_id)
        return self._follow(
            lambda: self._stub.WatchTicket(request), lambda m: read_ticket(m.ticket)
        )

    async def wait_ticket(self, ticket_id: str) -> Ticket:
        """Wait in line until the ticket is matched, cancelled or expired."""
        async with self.watch_ticket(ticket_id) as changes:
            async for ticket in changes:
                if ticket.state is not TicketState.WAITING:
                    return ticket
        return await self.ticket(ticket_id)

    async def cancel(self, ticket_id: str) -> Ticket:
        """Leave the queue; FailedPrecondition (already_matched) if a match came first."""
        request = matchmaking_pb2.CancelTicketRequest(ticket_id=ticket_id)
        answer = await self._connection.call(self._stub.CancelTicket, request)
        return read_ticket(answer.ticket)

    async def create_room(
        self,
        game: str,
        options: Wishes = None,
        *,
        players: int = 0,
        seat: Seat | None = None,
        bots: Mapping[Seat, str] | None = None,
        watch: WatchPolicy = WatchPolicy.PARTICIPANTS,
        auto_start: bool = False,
    ) -> Room:
        """Open a private room and take a seat in it; `bots` are strengths by seat."""
        request = matchmaking_pb2.CreateRoomRequest(
            game=game,
            players=players,
            seat=seat,
            bots=bots or {},
            watch=match_pb2.WatchPolicy.Value(f"WATCH_POLICY_{watch.name}"),
            auto_start=auto_start,
            request_id=new_id(),
        )
        fill_wishes(registry.newest(game), options, request.options)
        answer = await self._connection.call(self._stub.CreateRoom, request)
        return read_room(answer.room)

    async def join_room(self, code: str, seat: Seat | None = None) -> tuple[Room, Seat]:
        """Enter a room: the room and the caller's seat."""
        request = matchmaking_pb2.JoinRoomRequest(code=code, seat=seat)
        answer = await self._connection.call(self._stub.JoinRoom, request)
        return read_room(answer.room), answer.seat

    async def leave_room(self, code: str) -> None:
        """Give the seat up."""
        request = matchmaking_pb2.LeaveRoomRequest(code=code)
        await self._connection.call(self._stub.LeaveRoom, request)

    async def set_seat(self, code: str, seat: Seat, player_id: str = "") -> Room:
        """Move to a free seat; the host may move any member."""
        request = matchmaking_pb2.SetSeatRequest(code=code, seat=seat, player_id=player_id)
        answer = await self._connection.call(self._stub.SetSeat, request)
        return read_room(answer.room)

    async def set_bot(self, code: str, seat: Seat, strength: str = "") -> Room:
        """Put a bot on a free seat, or take it off; host only."""
        request = matchmaking_pb2.SetBotRequest(code=code, seat=seat, strength=strength)
        answer = await self._connection.call(self._stub.SetBot, request)
        return read_room(answer.room)

    async def start_room(self, code: str) -> str:
        """Start the match; host only. Returns its id."""
        request = matchmaking_pb2.StartRoomRequest(code=code)
        return (await self._connection.call(self._stub.StartRoom, request)).match_id

    async def room(self, code: str) -> Room:
        """The room now."""
        request = matchmaking_pb2.GetRoomRequest(code=code)
        return read_room((await self._connection.call(self._stub.GetRoom, request)).room)

    def watch_room(self, code: str) -> Following[Room]:
        """The room now and at each change, until it has started or is closed; keeps the seat."""
        request = matchmaking_pb2.WatchRoomRequest(code=code)
        return self._follow(lambda: self._stub.WatchRoom(request), lambda m: read_room(m.room))

    async def practice(
        self,
        game: str,
        options: Wishes = None,
        *,
        players: int = 0,
        seat: Seat | None = None,
        strength: str = "",
        bots: Mapping[Seat, str] | None = None,
    ) -> Practice:
        """A match against bots at once; join it. `strength` is for seats that are not in `bots`."""
        request = matchmaking_pb2.StartPracticeRequest(
            game=game,
            players=players,
            seat=seat,
            strength=strength,
            bots=bots or {},
            request_id=new_id(),
        )
        fill_wishes(registry.newest(game), options, request.options)
        answer = await self._connection.call(self._stub.StartPractice, request)
        return Practice(answer.match_id, answer.seat)

    async def rematch(self, match_id: str) -> RematchOffer:
        """Say yes to playing an ended match again."""
        request = matchmaking_pb2.RematchRequest(match_id=match_id)
        return read_offer((await self._connection.call(self._stub.Rematch, request)).offer)

    async def rematch_offer(self, match_id: str) -> RematchOffer:
        """How the rematch stands."""
        request = matchmaking_pb2.GetRematchRequest(match_id=match_id)
        return read_offer((await self._connection.call(self._stub.GetRematch, request)).offer)

    def watch_rematch(self, match_id: str) -> Following[RematchOffer]:
        """The same now and at each change, until it is agreed or can no longer be."""
        request = matchmaking_pb2.WatchRematchRequest(match_id=match_id)
        return self._follow(lambda: self._stub.WatchRematch(request), lambda m: read_offer(m.offer))

    async def open(self) -> Open:
        """The caller's open tickets, open rooms and running matches."""
        request = matchmaking_pb2.ListOpenRequest()
        return read_open(await self._connection.call(self._stub.ListOpen, request))

    def _follow(self, start: Callable[[], AnyCall], read: Callable[[Any], T]) -> Following[T]:
        async def items() -> AsyncGenerator[T, None]:
            responses = Resumed[Any](self._connection, start).responses()
            async with aclosing(responses):
                async for message in responses:
                    yield read(message)

        return Following(items())
