"""Timeouts that nobody deserved: too early, twice, of another seat's turn, or after an outage that
was not made good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from faults.history import History
from faults.witness import Witness
from spielwerk.errors import MatchDamaged
from spielwerk.match.model import (
    GRACE_MS,
    JOIN,
    CauseKind,
    Match,
    OpenTurn,
    Outage,
    Record,
)

TOLERANCE_MS: Final = 1_000
"""So much of an outage may have gone unnoticed: the time between two signs of life."""


@dataclass
class _Turns:
    """Of each turn of a match: when and with which deadline it was opened; which were expired."""

    opened: dict[tuple[int, str], tuple[int, int | None]] = field(default_factory=dict)
    expired: set[tuple[int, str]] = field(default_factory=set)

    def take_up(self, record: Record) -> None:
        """The turns that one more record opens."""
        for turn in record.turns:
            first = record.recorded_at_ms, turn.deadline_ms
            self.opened.setdefault((turn.seat, turn.key), first)


def check_timeouts(
    witness: Witness,
    _: History,
    *,
    outages: Sequence[Outage] = (),
    tolerance_ms: int = TOLERANCE_MS,
) -> list[str]:
    """Records of the timer whose turn was not open, not overdue, or expired before; and those of
    turns that an outage took time from which no `ClockShifted` before gave back. Outages are those
    of the run, in ms of the log's clock, whatever the log says of them."""
    faults = []
    for match_id in witness.stored:
        turns = _Turns()
        try:
            for before, record in witness.walk(match_id):
                if record.cause.kind is CauseKind.TIMER:
                    found = _of(before, record, turns, outages, tolerance_ms)
                    faults += [f"{match_id} version {record.version}: {fault}" for fault in found]
                turns.take_up(record)
        except MatchDamaged as damaged:
            faults.append(f"{match_id}: {damaged}")
    return faults


def _of(
    before: Match | None,
    record: Record,
    turns: _Turns,
    outages: Sequence[Outage],
    tolerance_ms: int,
) -> Iterator[str]:
    seat, command = record.cause.seat, record.cause.command
    key = JOIN if command is None else command.turn_key
    if command is not None and command.seat != seat:
        yield f"the cause is seat {seat}, the command expires seat {command.seat}"
    turn = before.turns.get(seat) if before is not None and seat is not None else None
    if turn is None or turn.key != key:
        yield f"the turn {key} of seat {seat} was not open"
        return
    if turn.deadline_ms is None or record.recorded_at_ms < turn.deadline_ms + GRACE_MS:
        yield f"{record.recorded_at_ms} is before the deadline {turn.deadline_ms} and grace"
    if (turn.seat, key) in turns.expired:
        yield f"the turn {key} of seat {seat} was expired before"
    turns.expired.add((turn.seat, key))
    opened_at_ms, first_deadline_ms = turns.opened[turn.seat, key]
    taken = _taken_ms(turn, opened_at_ms, outages)
    given = (turn.deadline_ms or 0) - (first_deadline_ms or 0)
    if taken > given + tolerance_ms:
        yield f"outages took {taken} ms of the turn {key}, its deadline was moved by {given} ms"


def _taken_ms(turn: OpenTurn, opened_at_ms: int, outages: Sequence[Outage]) -> int:
    """How much of the time between its opening and its deadline lay in outages."""
    if turn.deadline_ms is None:
        return 0
    return sum(
        max(0, min(outage.until_ms, turn.deadline_ms) - max(outage.from_ms, opened_at_ms))
        for outage in outages
    )
