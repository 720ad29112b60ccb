"""What each viewer may know of Yatzee: of the table (`view`) and of an event (`redact`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielwerk.games.game import Seat
from spielwerk.games.yatzee.messages import DiceHeld, DiceRolled, Event, RowEntered
from spielwerk.games.yatzee.model import (
    ROWS,
    EndReason,
    Entry,
    FinalScore,
    Place,
    Sheet,
    State,
    Status,
    Sums,
    Throw,
)
from spielwerk.games.yatzee.options import Options, Reveal


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """One seat as the viewer may see it (clause 7): itself as it is, others as they lay at the
    latest barrier, but for their status, throw, time and presence."""

    seat: Seat
    status: Status
    throw: int
    """How often the seat has thrown in this round."""
    throws: tuple[Throw, ...]
    """Its throws of this round, as far as they lie open."""
    entry: Entry | None
    """The row filled in this round, if it lies open."""
    sheet: tuple[Entry, ...]
    """The filled rows that lie open, in sheet order; what they brought as extra is in the sums."""
    sums: Sums
    used_ms: int
    exhausted: bool
    left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The table as one viewer may see it; None is a spectator."""

    seat: Seat | None
    options: Options
    round: int
    """1 to 13; 0 before the start."""
    seats: tuple[SeatView, ...]
    reason: EndReason | None = None
    """Set after the end, with the finals."""
    finals: tuple[FinalScore, ...] = ()


def view(state: State, seat: Seat | None) -> View:
    """The table as the seat, or a spectator (None), may see it."""
    return View(
        seat=seat,
        options=state.options,
        round=state.round,
        seats=tuple(
            _seat_view(state.options, number, place, own=number == seat)
            for number, place in enumerate(state.places)
        ),
        reason=state.reason,
        finals=state.finals,
    )


def redact(options: Options, event: Event, seat: Seat | None) -> Event:
    """The event as the viewer may see it: dice, holds and rows of others come with the barrier."""
    if options.reveal is Reveal.LIVE:
        return event
    match event:
        case DiceRolled(owner) if owner != seat:
            return replace(event, thrown=(), dice=())
        case DiceHeld(owner) if owner != seat:
            return replace(event, hold=())
        case RowEntered(owner) if owner != seat:
            return replace(event, row=None, dice=(), points=0, struck=False, extra=0)
        case _:
            return event


def sheet_of(seen: SeatView) -> Sheet:
    """The sheet in a view."""
    points = {entry.row: entry.points for entry in seen.sheet}
    return Sheet(tuple(points.get(row) for row in ROWS), seen.sums.extra)


def _seat_view(options: Options, number: Seat, place: Place, *, own: bool) -> SeatView:
    face = place.own if own or options.reveal is Reveal.LIVE else place.shown
    return SeatView(
        seat=number,
        status=place.status,
        throw=len(place.own.throws),
        throws=face.throws,
        entry=face.entry,
        sheet=_filled(face.sheet),
        sums=face.sheet.sums(options),
        used_ms=place.used_ms,
        exhausted=place.exhausted,
        left=place.left,
    )


def _filled(sheet: Sheet) -> tuple[Entry, ...]:
    rows = zip(ROWS, sheet.points, strict=True)
    return tuple(Entry(row, points) for row, points in rows if points is not None)
