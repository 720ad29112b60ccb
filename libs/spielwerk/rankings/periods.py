"""Calendar periods of a recorded time in the installation's time zone.

Day `2026-11-29`, ISO week `2026-W48` (the week's own year), month `2026-11`, year `2026`, and all
of time `all`. The zone is an argument and a part of every answer; the zone of the host is never
asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

ALL: Final = "all"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_YEARS: Final = (1970, 9999)


class PeriodKind(StrEnum):
    """How long a board runs."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    ALL_TIME = "all_time"


@dataclass(frozen=True, slots=True)
class Period:
    """One calendar period; its key is unique within the kind."""

    kind: PeriodKind
    key: str


def load_zone(name: str) -> ZoneInfo:
    """The zone of an IANA name; ValueError if there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as unknown:
        raise ValueError(f"no time zone named {name!r}") from unknown


def periods_at(ms: int, zone: ZoneInfo) -> tuple[Period, ...]:
    """The five periods that contain a time (ms since 1970-01-01 UTC), shortest first."""
    day = _local_date(ms, zone)
    return tuple(Period(kind, _key(kind, day)) for kind in PeriodKind)


def period_at(kind: PeriodKind, ms: int, zone: ZoneInfo) -> Period:
    """The period of one kind that contains a time."""
    return Period(kind, _key(kind, _local_date(ms, zone)))


def parse_period(kind: PeriodKind, key: str) -> Period:
    """The period of a key as in the module's first lines; ValueError for any other text."""
    if kind is PeriodKind.ALL_TIME:
        if key != ALL:
            raise ValueError(f"the only key of all_time is {ALL!r}")
    elif not _YEARS[0] <= _first_day(kind, key).year < _YEARS[1]:
        raise ValueError(f"{key!r} is before or after all time")
    return Period(kind, key)


def bounds_ms(period: Period, zone: ZoneInfo) -> tuple[int, int] | None:
    """First millisecond of the period and of the next one; None for all of time.

    A day has 23 or 25 hours when the clocks change.
    """
    if period.kind is PeriodKind.ALL_TIME:
        return None
    first = _first_day(period.kind, period.key)
    return _midnight_ms(first, zone), _midnight_ms(_next_first_day(period.kind, first), zone)


def _local_date(ms: int, zone: ZoneInfo) -> date:
    return (_EPOCH + ms * _MILLISECOND).astimezone(zone).date()


def _key(kind: PeriodKind, day: date) -> str:
    if kind is PeriodKind.DAY:
        return day.isoformat()
    if kind is PeriodKind.WEEK:
        year, week, _ = day.isocalendar()
        return f"{year:04d}-W{week:02d}"
    if kind is PeriodKind.MONTH:
        return f"{day.year:04d}-{day.month:02d}"
    return f"{day.year:04d}" if kind is PeriodKind.YEAR else ALL


_SHAPES: Final = {
    PeriodKind.DAY: re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII),
    PeriodKind.WEEK: re.compile(r"(\d{4})-W(\d{2})", re.ASCII),
    PeriodKind.MONTH: re.compile(r"(\d{4})-(\d{2})", re.ASCII),
    PeriodKind.YEAR: re.compile(r"(\d{4})", re.ASCII),
}


def _first_day(kind: PeriodKind, key: str) -> date:
    found = _SHAPES[kind].fullmatch(key)
    if not found:
        raise ValueError(f"{key!r} is no {kind}")
    numbers = [int(group) for group in found.groups()]
    if kind is PeriodKind.WEEK:
        return date.fromisocalendar(numbers[0], numbers[1], 1)
    year, month, day = [*numbers, 1, 1][:3]
    return date(year, month, day)


def _next_first_day(kind: PeriodKind, first: date) -> date:
    if kind is PeriodKind.DAY:
        return first + timedelta(days=1)
    if kind is PeriodKind.WEEK:
        return first + timedelta(days=7)
    month = 12 if kind is PeriodKind.YEAR else first.month
    return date(first.year + month // 12, month % 12 + 1, 1)


def _midnight_ms(day: date, zone: ZoneInfo) -> int:
    """The first moment of a day, also where the clocks jump over midnight."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    start = (midnight - _EPOCH) // _MILLISECOND
    while _local_date(start - 1, zone) >= day:
        start -= 60_000
    while _local_date(start, zone) < day:
        start += 60_000
    return start
