"""Refusals that were not true: the log has the command, or shows that the reason did not hold.

Claimed is only what the order of answers proves (see `told`): a turn was open during the whole
call if somebody knew its version before the call, and what closed it (or something before that)
was asked for only after the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from faults.checks_commands import name_of
from faults.history import History, Invocation, Outcome
from faults.told import COMMANDS, READS, Told, told_of
from faults.witness import Witness
from spielwerk.match.fold import is_end
from spielwerk.match.model import JOIN, Human, Opened, Record

_OF_A_TURN = frozenset({"stale_turn", "not_your_turn"})
_OF_A_MATCH = COMMANDS | READS | {"join"}


def check_false_refusals(witness: Witness, history: History) -> list[str]:
    """Refused and in the log, or refused for a reason that provably did not hold."""
    faults, places, told = [], witness.places(), told_of(witness, history)
    for one in history.invocations:
        if one.outcome is not Outcome.REFUSED:
            continue
        at = [place.version for place in places.get((one.match_id, one.command_id), ())]
        if one.operation in COMMANDS and at and one.reason != "command_id_reused":
            faults.append(f"{name_of(one)} was refused ({one.reason}), the log has it as {at}")
        if one.operation in _OF_A_MATCH and one.match_id in told:
            faults += [
                f"{name_of(one)} was refused ({one.status} {one.reason}) although {why}"
                for why in _untrue(witness.records(one.match_id), one, told[one.match_id])
            ]
    return faults


def _untrue(records: list[Record], one: Invocation, told: Told) -> Iterator[str]:
    """Why the refusal cannot be true."""
    known = told.before(one.asked_at)
    if known and one.status == "NOT_FOUND":
        yield f"version {known} of the match was known"
    if known and one.status == "PERMISSION_DENIED" and _sits(records, one.player_id):
        yield "the player has a seat in the match"
    if one.reason == "match_over" and not _may_be_closed(one, told, _end(records)):
        yield "the match had not ended"
    if one.reason == "not_started" and known >= _start(records):
        yield f"version {known} was known, and the match had started with {_start(records)}"
    if one.reason in _OF_A_TURN and one.turn_key:
        span = _span(records, one)
        if span and known >= span.opened and not _may_be_closed(one, told, span.closed):
            yield f"the turn {one.turn_key} was open from {span.opened} to {span.closed}"


@dataclass(frozen=True, slots=True)
class _Span:
    """A turn was open from this version until before that one; None: to the end of the log."""

    opened: int
    closed: int | None


def _span(records: list[Record], one: Invocation) -> _Span | None:
    opened = None
    for record in records:
        there = any(t.seat == one.seat and t.key == one.turn_key for t in record.turns)
        if there and opened is None:
            opened = record.version
        if opened is not None and not there:
            return _Span(opened, record.version)
    return None if opened is None else _Span(opened, None)


def _may_be_closed(one: Invocation, told: Told, closed: int | None) -> bool:
    """Whether that version may have been there when the answer was given."""
    if closed is None:
        return False
    later = told.after(one.answered_at) if one.answered_at is not None else None
    return later is None or later > closed


def _end(records: list[Record]) -> int | None:
    return records[-1].version if records and is_end(records[-1]) else None


def _start(records: list[Record]) -> int:
    """The first version in which a turn of the game is open; beyond the log if there is none."""
    started = (r.version for r in records if any(t.key != JOIN for t in r.turns))
    return next(started, len(records) + 1)


def _sits(records: list[Record], player_id: str) -> bool:
    opened = records[0].events[0] if records else None
    return isinstance(opened, Opened) and Human(player_id) in opened.occupants
