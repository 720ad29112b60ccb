"""Judges commands and expiries only after every outage that took time from the match is in it.

What is not known yet is waited for. A command is judged if the newest sign of life that was read is
no older than an outage is long: none that has ended can be unknown then. An expiry needs a sign
from after its turn was due: none that overlapped the turn can be unknown then, and one that comes
later finds it overdue.
"""

from __future__ import annotations

from typing import TypeVar

from spielwerk.errors import Unavailable
from spielwerk.games.game import Seat
from spielwerk.match import decide
from spielwerk.match.model import GRACE_MS, Match
from spielwerk.match.outages import first_due
from spielwerk_rules.appending import Appended
from spielwerk_rules.heartbeat import Heartbeat
from spielwerk_rules.matches import First, Matches, Step

T = TypeVar("T")

_TRIES = 8
"""A sign may come too early if our reading of the broker's clock is ahead of it."""


class Unheard(Exception):
    """No sign of life from late enough is known; wait for one and judge again."""


class Judging:
    """Changes of matches by the outage rule. `outage_ms` is the length of a gap that is one."""

    def __init__(self, matches: Matches, heartbeat: Heartbeat, outage_ms: int) -> None:
        self._matches = matches
        self._heartbeat = heartbeat
        self._outages = heartbeat.outages
        self._outage_ms = outage_ms

    async def change(self, match_id: str, step: Step[T]) -> Appended | T:
        """Matches.change for a step that asks `before_command` or `before_expiry`; besides its
        errors Unavailable (outages_unknown)."""
        for _ in range(_TRIES):
            try:
                return await self._matches.change(match_id, step)
            except Unheard:
                await self._heartbeat.hear()
        raise Unavailable("outages_unknown", "the clock runs ahead of the signs of life")

    def before_command(self, match: Match, now_ms: int) -> First | None:
        """What has to be recorded before a command is judged; raises Unheard."""
        return self._first(match, now_ms, now_ms - self._outage_ms)

    def before_expiry(self, match: Match, seat: Seat, now_ms: int) -> First | None:
        """What has to be recorded before the seat's turn is ended, if it is overdue; raises
        Unheard."""
        turn = match.turns.get(seat)
        if turn is None or turn.deadline_ms is None or now_ms < turn.deadline_ms + GRACE_MS:
            return None
        return self._first(match, now_ms, turn.deadline_ms + GRACE_MS)

    def _first(self, match: Match, now_ms: int, heard_ms: int) -> First | None:
        """Nearly always two comparisons of integers."""
        outages = self._outages
        if outages.newest_ms < heard_ms and _timed(match):
            raise Unheard
        if outages.last_until_ms <= match.accounted_ms:
            return None
        outage = first_due(match, outages.since(match.accounted_ms))
        return First(decide.shift_clock(match, outage, now_ms)) if outage else None


def _timed(match: Match) -> bool:
    return any(turn.deadline_ms is not None for turn in match.turns.values())
