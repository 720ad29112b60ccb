"""What each viewer may know of Mau-Mau: of the table (`view`) and of an event (`redact`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielwerk.cards import Suit
from spielwerk.games.game import Seat
from spielwerk.games.maumau.cards import Cards, in_order
from spielwerk.games.maumau.messages import (
    AnnouncementMissed,
    CardsDrawn,
    Event,
    GameStarted,
    HandDealt,
    TalonReshuffled,
)
from spielwerk.games.maumau.model import Ending, State, Table
from spielwerk.games.maumau.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The table as one viewer may see it (clause 11); tuples are by seat, None is a spectator."""

    seat: Seat | None
    options: Options
    game: int = 0
    """Counts from 1; 0 before the first deal."""
    starter: Seat | None = None
    hand: Cards = ()
    """The viewer's cards, in canonical order."""
    fitting: Cards = ()
    """Which of them may be laid now, if the viewer is on turn."""
    hand_counts: tuple[int, ...] = ()
    pile: Cards = ()
    """Cards laid since the last reshuffle; the last one lies open."""
    talon_count: int = 0
    reshuffles: int = 0
    direction: int = 1
    turn: Seat | None = None
    turn_no: int = 0
    again: bool = False
    pending: int = 0
    wish: Suit | None = None
    announced: tuple[bool, ...] = ()
    idle: tuple[Seat, ...] = ()
    """Seats whose latest turns in a row moved no card, in order."""
    timeouts: tuple[int, ...] = ()
    """In a row."""
    left: tuple[Seat, ...] = ()
    """Seats that are out, the first one first."""
    totals: tuple[int, ...] = ()
    wins: tuple[int, ...] = ()
    last: Ending | None = None
    """The latest game that ended, with all hands."""
    places: tuple[int, ...] = ()
    """Of the match; empty while it runs."""


def view(state: State, seat: Seat | None) -> View:
    """The table as the seat, or a spectator (None), may see it."""
    table = state.table
    if table is None:
        return View(seat=seat, options=state.options)
    return View(
        seat=seat,
        options=state.options,
        game=table.game,
        starter=table.starter,
        hand=() if seat is None else in_order(table.hands[seat]),
        fitting=_fitting(table, seat),
        hand_counts=tuple([len(cards) for cards in table.hands]),
        pile=table.pile,
        talon_count=len(table.talon),
        reshuffles=table.reshuffles,
        direction=table.direction,
        turn=table.turn,
        turn_no=table.turn_no,
        again=table.again,
        pending=table.pending,
        wish=table.wish,
        announced=table.announced,
        idle=table.idle,
        timeouts=state.timeouts,
        left=state.left,
        totals=state.totals,
        wins=state.wins,
        last=state.last,
        places=state.places,
    )


def redact(options: Options, event: Event, seat: Seat | None) -> Event:  # noqa: ARG001
    """The event as the viewer may see it: cards not for it are left out, their number stays."""
    match event:
        case GameStarted():
            return replace(event, deck=())
        case TalonReshuffled():
            return replace(event, order=())
        case HandDealt(owner) | CardsDrawn(owner) if owner != seat:
            return replace(event, cards=())
        case AnnouncementMissed(owner) if owner != seat:
            return replace(event, card=None)
        case _:
            return event


def _fitting(table: Table, seat: Seat | None) -> Cards:
    return in_order(table.fitting(seat)) if seat is not None and table.turn == seat else ()
