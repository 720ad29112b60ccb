"""What clients were shown: never older than what was acknowledged, never with a gap, never what the
log does not have."""

from __future__ import annotations

from collections.abc import Iterator

from faults.checks_commands import name_of
from faults.history import History, Outcome, WatchLog
from faults.told import READS, told_of
from faults.witness import Witness


def check_stale_reads(witness: Witness, history: History) -> list[str]:
    """Reads that show less than somebody had been told before they began (so none of one client
    goes back, either), or more than the log has."""
    faults, told = [], told_of(witness, history)
    for one in history.invocations:
        if one.operation not in READS or one.outcome is not Outcome.OK or one.version is None:
            continue
        known = told[one.match_id].before(one.asked_at)
        if one.version < known:
            faults.append(f"{name_of(one)} shows {one.version} after {known} was told")
        if one.version > (last := len(witness.stored.get(one.match_id, ()))):
            faults.append(f"{name_of(one)} shows {one.version}, the log ends with {last}")
    return faults


def check_watch_gaps(witness: Witness, history: History) -> list[str]:
    """Streams that skip, repeat or invent versions, each and over a viewer's resumptions.

    The streams of one viewer in one match are taken as one after another.
    """
    faults: list[str] = []
    seen: dict[tuple[str, str], int] = {}
    for log in history.watches:
        who = log.viewer, log.match_id
        last = len(witness.stored.get(log.match_id, ()))
        faults += [f"{log.match_id} for {log.viewer}: {f}" for f in _of(log, seen.get(who), last)]
        if log.versions:
            seen[who] = log.versions[-1]
    return faults


def _of(log: WatchLog, seen: int | None, last: int) -> Iterator[str]:
    """Faults of one stream, after the viewer had seen a version; the log ends with `last`."""
    if seen is not None and log.resumed_after not in (None, seen):
        yield f"resumed after {log.resumed_after}, {seen} was seen"
    before = log.resumed_after
    for version in log.versions:
        if before is not None and version != before + 1:
            yield f"{version} follows {before}"
        before = version
    if seen is not None and log.resumed_after is None and log.versions and log.versions[0] < seen:
        yield f"a snapshot of {log.versions[0]} after {seen} was seen"
    if log.versions and max(log.versions) > last:
        yield f"{max(log.versions)} was shown, the log ends with {last}"
    if log.ended == "match_over" and before != last:
        yield f"it ended as complete before {last}"
