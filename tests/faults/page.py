"""A run on one page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from statistics import median
from typing import Final

from faults.happening import Happened
from faults.history import History, Invocation, Outcome
from faults.run import Report
from faults.ways import kind_of
from spielwerk.match.model import CauseKind, Opened

_SHOWN: Final = 12
_LATE_MS: Final = 5_000
_PATHS: Final = {
    "rules": {"submit", "join", "resign"},
    "nats": {"submit", "join", "resign"},
    "matchmaking": {"enqueue", "cancel", "room_create", "room_join"},
    "redis": {"enqueue", "cancel", "room_create", "room_join", "rankings"},
    "scoring": {"rankings"},
    "accounts": {"create_guest"},
}
"""Which calls show that a process works again; timers and bots show it in the log alone."""


def page(report: Report) -> str:
    """Everything that a reader wants to know first."""
    parts = [_commands(report.history), _found(report), _faults(report), _recovery(report)]
    parts += [_timers(report), _matches(report), _memory(report)]
    return "\n".join(line for part in parts for line in part)


def _commands(history: History) -> Iterator[str]:
    every = history.invocations
    outcomes = Counter(one.outcome for one in every)
    unresolved = sum(o is Outcome.OPEN for o in (one.outcome for one in every))
    yield (
        f"calls      {len(every)} asked, {outcomes[Outcome.OK]} ok, "
        f"{outcomes[Outcome.REFUSED]} refused, {outcomes[Outcome.UNKNOWN]} unknown, "
        f"{unresolved} unresolved"
    )
    yield f"           {_counted(one.operation for one in every)}"
    refused = [one for one in every if one.outcome is Outcome.REFUSED]
    yield f"refused    {_counted(f'{one.status} {one.reason}' for one in refused)}"
    unknown = [one for one in every if one.outcome is Outcome.UNKNOWN]
    yield f"unknown    {_counted(f'{one.operation} {one.reason}' for one in unknown)}"
    versions = sum(len(log.versions) for log in history.watches)
    yield f"watched    {versions} versions on {len(history.watches)} streams"


def _found(report: Report) -> Iterator[str]:
    counts = ", ".join(f"{name} {len(found)}" for name, found in report.faults.items())
    yield f"found      {counts}"
    for name, found in report.faults.items():
        yield from (f"  {name}: {line}" for line in found[:_SHOWN])
        if len(found) > _SHOWN:
            yield f"  {name}: ... {len(found) - _SHOWN} more"


def _faults(report: Report) -> Iterator[str]:
    by_kind: dict[str, list[Happened]] = defaultdict(list)
    for one in report.happened:
        by_kind[one.fault.kind].append(one)
    yield "faults     times, commands under way when they came"
    for kind, those in sorted(by_kind.items()):
        yield f"  {kind:14} {len(those):3}   {[one.under_way for one in those]}"


def _recovery(report: Report) -> Iterator[str]:
    """From a fault's end to the first acknowledged command on its path."""
    yield (
        f"recovery   after everything: {report.recovered_s:.1f} s for whole new matches; "
        f"{report.gave_up} starts given up without a broker, and made again"
    )
    spans = sorted(_spans(report), reverse=True)
    if spans:
        longest = ", ".join(f"{span_s:.2f} s ({which})" for span_s, which in spans[:3])
        median_s = median(span_s for span_s, _ in spans)
        yield f"           {len(spans)} times, median {median_s:.2f} s, longest {longest}"


def _spans(report: Report) -> Iterator[tuple[float, str]]:
    answered = [one for one in report.history.invocations if one.outcome is Outcome.OK]
    for one in report.happened:
        path = _PATHS.get(_missed(one.fault.target), set())
        span = _first_after([a for a in answered if a.operation in path], one.ended_at)
        if span is not None:
            yield span, f"{one.fault.kind} {one.fault.target}"


def _missed(target: str) -> str:
    """The process that clients miss: of a way, its own end of it."""
    source, _, end = target.partition(">")
    return kind_of(end) if source == "client" else kind_of(source)


def _first_after(answered: list[Invocation], at: float) -> float | None:
    """Seconds to the first answer; from its question, if that was asked later: before, nobody
    could have found out."""
    first = min(
        (one for one in answered if one.answered_at is not None and one.answered_at >= at),
        key=lambda one: one.answered_at or 0.0,
        default=None,
    )
    if first is None or first.answered_at is None:
        return None
    return first.answered_at - max(at, first.asked_at)


def _timers(report: Report) -> Iterator[str]:
    late, fired, twice = [], 0, 0
    for match_id in report.witness.stored:
        records = report.witness.records(match_id)
        expired = []
        for before, record in pairwise(records):
            if record.cause.kind is not CauseKind.TIMER:
                continue
            fired += 1
            turn = next((t for t in before.turns if t.seat == record.cause.seat), None)
            if turn is not None and turn.deadline_ms is not None:
                late.append(record.recorded_at_ms - turn.deadline_ms)
                expired.append((turn.seat, turn.key))
        twice += len(expired) - len(set(expired))
    over = sum(ms > _LATE_MS for ms in late)
    yield (
        f"timers     {fired} fired, {over} more than {_LATE_MS / 1000:.0f} s late "
        f"(latest {max(late, default=0) / 1000:.1f} s), {twice} twice"
    )


def _matches(report: Report) -> Iterator[str]:
    games: Counter[str] = Counter()
    ended = results = 0
    for match_id in report.witness.stored:
        opened = report.witness.records(match_id)[0].events[0]
        if isinstance(opened, Opened):
            games[opened.game] += 1
        end = report.witness.ended(match_id)
        ended += end is not None
        results += end is not None and end.result is not None
    records = sum(map(len, report.witness.stored.values()))
    yield (
        f"matches    {sum(games.values())}, {ended} ended, {results} with a result, "
        f"{len(report.aborted)} ended by an operator; {records} records, all recomputed"
    )
    yield f"           {_counted(games.elements())}"
    rows = sum(len(board.rows) for board in report.boards)
    yield f"boards     {len(report.boards)} compared, {rows} rows"


def _memory(report: Report) -> Iterator[str]:
    peaks = ", ".join(f"{name} {kb // 1024}" for name, kb in report.peaks_kb.items())
    yield f"memory     at most, in MiB: {peaks}"


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common()) or "none"
