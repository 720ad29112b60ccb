"""Decides once more what a stored record says was decided: the heart of verification."""

from __future__ import annotations

from typing import Any

from spielwerk.games.game import AnyGame, Seat
from spielwerk.match.decide import Decided, abort, expire, join, open_match, shift_clock, submit
from spielwerk.match.model import (
    Aborted,
    CauseKind,
    ClockShifted,
    Joined,
    Match,
    Opened,
    Outage,
    Record,
)


def again(match: Match | None, record: Record, game: AnyGame) -> Decided | None:
    """Decide once more what a record says was decided; None if its cause leads to nothing."""
    first = record.events[0] if record.events else None
    if match is None:
        if not isinstance(first, Opened) or record.secrets is None:
            return None
        return open_match(record.match_id, game, first, record.secrets, record.recorded_at_ms)
    if record.cause.seat is None:
        return _platform_again(match, record, first)
    if record.cause.seat >= len(match.opened.occupants):
        return None
    return _seat_again(match, record, record.cause.seat, first)


def _platform_again(match: Match, record: Record, first: Any) -> Decided | None:
    match record.cause.kind, first:
        case CauseKind.SYSTEM, ClockShifted():
            outage = Outage(first.from_ms, first.until_ms)
            return shift_clock(match, outage, record.recorded_at_ms)
        case CauseKind.OPERATOR, Aborted(reason):
            return abort(match, reason, record.recorded_at_ms)
    return None


def _seat_again(match: Match, record: Record, seat: Seat, first: Any) -> Decided | None:
    cause, now = record.cause, record.recorded_at_ms
    if cause.kind is CauseKind.TIMER:
        return expire(match, seat, match.turns[seat].key, now) if seat in match.turns else None
    if match.is_bot(seat) != (cause.kind is CauseKind.BOT):
        return None
    if isinstance(first, Joined):
        return join(match, seat, first.entropy, now)
    return submit(match, cause.kind, seat, cause.command_id, cause.command, "", now)
