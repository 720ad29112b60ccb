"""What became of every command that a client gave: stored once, where it was said, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from faults.history import History, Invocation, Outcome
from faults.told import COMMANDS, given, told_of
from faults.witness import Witness
from spielwerk.games.game import Seat
from spielwerk.match.model import CauseKind, Joined

_OF_A_SEAT = frozenset({CauseKind.PLAYER, CauseKind.BOT})


def check_lost(witness: Witness, history: History) -> list[str]:
    """Acknowledged and not in the log, or there for another seat."""
    faults, places = [], witness.places()
    for one in acknowledged(history):
        seats = {place.seat for place in places.get((one.match_id, one.command_id), ())}
        if not one.command_id:  # the caller left it to the SDK
            seats = _at(witness, one)
        if not seats:
            faults.append(f"{name_of(one)} was acknowledged and is not in the log")
        elif one.seat is not None and seats != {one.seat}:
            faults.append(f"{name_of(one)} stands in the log for {sorted(map(str, seats))}")
    for one in history.invocations:
        if one.operation != "join" or one.outcome is not Outcome.OK or one.seat is None:
            continue
        if not _joined(witness, one):
            faults.append(f"{name_of(one)} joined and the log does not have it")
    return faults


def check_doubled(witness: Witness, _: History) -> list[str]:
    """Command ids of one seat that stand twice, whatever their callers were told; joins, too."""
    faults = []
    for match_id in witness.stored:
        counts: Counter[tuple[object, str]] = Counter()
        for record in witness.records(match_id):
            if record.cause.command_id:
                counts[record.cause.seat, record.cause.command_id] += 1
            for event in record.events:
                if isinstance(event, Joined):
                    counts[event.seat, "(join)"] += 1
        faults += [
            f"{match_id}: {command_id} of seat {seat} stands {count} times"
            for (seat, command_id), count in counts.items()
            if count > 1
        ]
    return faults


def check_reordered(witness: Witness, history: History) -> list[str]:
    """Acknowledged at a version where the log has something else, or placed before a version that
    somebody knew before the command was given."""
    faults, places, told = [], witness.places(), told_of(witness, history)
    for one in acknowledged(history):
        at = [place.version for place in places.get((one.match_id, one.command_id), ())]
        if at and at != [one.version]:
            faults.append(f"{name_of(one)} was acknowledged as {one.version}, the log has {at}")
    for one in given(history):
        if one.match_id not in told:
            continue
        known = told[one.match_id].before(one.asked_at)
        for place in places.get((one.match_id, one.command_id), ()):
            if place.version <= known:
                faults.append(f"{name_of(one)} is version {place.version}, given after {known}")
    return faults


def acknowledged(history: History) -> Iterator[Invocation]:
    """Commands whose callers were told OK."""
    for one in history.invocations:
        if one.operation in COMMANDS and one.outcome is Outcome.OK:
            yield one


def name_of(one: Invocation) -> str:
    """An invocation as a person looks for it."""
    seat = "" if one.seat is None else f" seat {one.seat}"
    return f"{one.match_id}{seat}: {one.operation} {one.command_id or one.number} ({one.client})"


def _at(witness: Witness, one: Invocation) -> set[Seat | None]:
    """Whose command the log has at the acknowledged version."""
    records = witness.records(one.match_id)
    return {
        r.cause.seat for r in records if r.version == one.version and r.cause.kind in _OF_A_SEAT
    }


def _joined(witness: Witness, one: Invocation) -> bool:
    """Whether the log has the seat's join no later than what the answer says."""
    return any(
        isinstance(event, Joined) and event.seat == one.seat
        for record in witness.records(one.match_id)
        if one.version is None or record.version <= one.version
        for event in record.events
    )
