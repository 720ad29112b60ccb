"""States of matchmaking as their players see them."""

from __future__ import annotations

from typing import Final

from spielwerk.api.v1 import matchmaking_pb2 as pb
from spielwerk_matchmaking.choices import unpack_options
from spielwerk_matchmaking.messages import ORIGINS, WATCH, occupant
from spielwerk_matchmaking.overview import Running
from spielwerk_matchmaking.rematch import Offer, OfferState
from spielwerk_matchmaking.rooms import Room, RoomState, shown_code
from spielwerk_matchmaking.tickets import Ticket, TicketState

_TICKET_STATES: Final = {
    TicketState.WAITING: pb.TICKET_STATE_WAITING,
    # Promised and not yet made: nothing that its player could act on.
    TicketState.PAIRING: pb.TICKET_STATE_WAITING,
    TicketState.MATCHED: pb.TICKET_STATE_MATCHED,
    TicketState.CANCELLED: pb.TICKET_STATE_CANCELLED,
    TicketState.EXPIRED: pb.TICKET_STATE_EXPIRED,
}
_ROOM_STATES: Final = {
    RoomState.OPEN: pb.ROOM_STATE_OPEN,
    RoomState.STARTING: pb.ROOM_STATE_STARTING,
    RoomState.STARTED: pb.ROOM_STATE_STARTED,
    RoomState.CLOSED: pb.ROOM_STATE_CLOSED,
}
_OFFER_STATES: Final = {
    OfferState.NONE: pb.REMATCH_STATE_NONE,
    OfferState.OFFERED: pb.REMATCH_STATE_OFFERED,
    OfferState.AGREED: pb.REMATCH_STATE_AGREED,
}


def ticket_message(ticket: Ticket) -> pb.Ticket:
    """A ticket for its player."""
    return pb.Ticket(
        ticket_id=ticket.ticket_id,
        state=_TICKET_STATES[ticket.state],
        game=ticket.game,
        options=unpack_options(ticket.options) if ticket.options else None,
        players=ticket.players,
        enqueued_at_ms=ticket.enqueued_at_ms,
        match_id=ticket.match_id,
        seat=ticket.seat,
        reason=ticket.reason,
    )


def room_message(room: Room) -> pb.Room:
    """A room for its members."""
    return pb.Room(
        code=shown_code(room.code),
        state=_ROOM_STATES[room.state],
        host=room.host,
        game=room.game,
        options=unpack_options(room.options),
        seats=[occupant(sitting) for sitting in room.seats],
        watch=WATCH[room.watch],
        auto_start=room.auto_start,
        match_id=room.existing_match,
        problem=room.problem,
    )


def offer_message(offer: Offer) -> pb.RematchOffer:
    """A rematch for the people of its match."""
    return pb.RematchOffer(
        state=_OFFER_STATES[offer.state],
        player_ids=offer.players,
        expires_at_ms=offer.expires_at_ms,
        match_id=offer.match_id,
    )


def running_message(running: Running) -> pb.RunningMatch:
    """A running match for one of its players."""
    return pb.RunningMatch(
        match_id=running.match_id,
        game=running.game,
        seat=running.seat,
        origin=ORIGINS[running.origin],
    )
