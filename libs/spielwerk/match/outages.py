"""The outage rule: while the services were away, nobody's time has run.

An outage moves every open turn that it overlapped by its length and five seconds to come back. A
turn that was overdue before it began stays overdue, and one that opened after it has lost nothing.
Which outages are accounted for follows from the match's records alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from spielwerk.match.model import GRACE_MS, ClockShifted, Match, OpenTurn, Outage

OUTAGE: Final = "outage"
RETURN_MS: Final = 5_000
"""What players get on top, to come back. Verified, so no setting."""


def shift_of(outage: Outage) -> ClockShifted:
    """What an outage becomes in each match that it has touched."""
    length_ms = outage.until_ms - outage.from_ms
    return ClockShifted(length_ms + RETURN_MS, OUTAGE, outage.from_ms, outage.until_ms)


def is_due(match: Match, outage: Outage) -> bool:
    """Whether it took time from an open turn and is not accounted for."""
    return outage.until_ms > match.accounted_ms and any(
        turn.deadline_ms is not None and overlaps(turn, outage) for turn in match.turns.values()
    )


def first_due(match: Match, outages: Iterable[Outage]) -> Outage | None:
    """The first of the outages, ordered by their ends, that the match has to account for."""
    return next((outage for outage in outages if is_due(match, outage)), None)


def overlaps(turn: OpenTurn, outage: Outage) -> bool:
    """Whether the turn was open during it, and could not have been expired before."""
    if turn.since_ms >= outage.until_ms:
        return False
    return turn.deadline_ms is None or outage.from_ms < turn.deadline_ms + GRACE_MS


def shifted(turn: OpenTurn, shift: ClockShifted) -> OpenTurn:
    """The turn after an outage."""
    if not overlaps(turn, Outage(shift.from_ms, shift.until_ms)):
        return turn
    deadline = None if turn.deadline_ms is None else turn.deadline_ms + shift.ms
    return replace(turn, since_ms=turn.since_ms + shift.ms, deadline_ms=deadline)
