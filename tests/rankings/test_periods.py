"""Calendar periods: midnight, daylight saving, ISO weeks, leap days and the host's zone."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielwerk.rankings.periods import (
    Period,
    PeriodKind,
    bounds_ms,
    load_zone,
    parse_period,
    period_at,
    periods_at,
)

BERLIN = load_zone("Europe/Berlin")
HOUR = 3_600_000


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def keys(text: str, zone: str = "Europe/Berlin") -> list[str]:
    return [period.key for period in periods_at(ms(text), load_zone(zone))]


def test_a_time_lies_in_five_periods() -> None:
    assert keys("2026-11-29T12:00:00+01:00") == ["2026-11-29", "2026-W48", "2026-11", "2026", "all"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2026-12-31T22:59:59.999Z", "2026-12-31T23:00:00Z"),  # the year
        ("2026-03-28T22:59:59.999Z", "2026-03-28T23:00:00Z"),  # the short day begins
        ("2026-03-29T21:59:59.999Z", "2026-03-29T22:00:00Z"),  # the short day ends
        ("2026-10-24T21:59:59.999Z", "2026-10-24T22:00:00Z"),  # the long day begins
        ("2026-10-25T22:59:59.999Z", "2026-10-25T23:00:00Z"),  # the long day ends
        ("2027-02-28T22:59:59.999Z", "2027-02-28T23:00:00Z"),  # no leap day
        ("2028-02-28T22:59:59.999Z", "2028-02-28T23:00:00Z"),  # the leap day begins
    ],
)
def test_the_local_midnight_parts_the_days(before: str, after: str) -> None:
    first = period_at(PeriodKind.DAY, ms(before), BERLIN)
    second = period_at(PeriodKind.DAY, ms(after), BERLIN)
    first_bounds, second_bounds = bounds_ms(first, BERLIN), bounds_ms(second, BERLIN)
    assert first_bounds
    assert second_bounds
    assert first_bounds[1] == second_bounds[0] == ms(after)


def test_days_of_23_and_25_hours_are_one_board_each() -> None:
    short = bounds_ms(Period(PeriodKind.DAY, "2026-03-29"), BERLIN)
    long = bounds_ms(Period(PeriodKind.DAY, "2026-10-25"), BERLIN)
    assert short
    assert long
    assert (short[1] - short[0], long[1] - long[0]) == (23 * HOUR, 25 * HOUR)
    assert keys("2026-10-25T02:30:00+02:00") == keys("2026-10-25T02:30:00+01:00")


@pytest.mark.parametrize(
    ("time", "week"),
    [
        ("2027-01-01T12:00:00Z", "2026-W53"),  # a Friday of the old ISO year
        ("2024-12-30T12:00:00Z", "2025-W01"),  # a Monday of the new one
        ("2026-01-04T22:59:59Z", "2026-W01"),
        ("2026-01-04T23:00:00Z", "2026-W02"),
    ],
)
def test_weeks_carry_their_own_year(time: str, week: str) -> None:
    assert keys(time)[1] == week


def test_the_zone_decides() -> None:
    end = "2026-12-31T11:00:00Z"
    assert keys(end, "UTC")[0] == "2026-12-31"
    assert keys(end, "Pacific/Kiritimati")[0] == "2027-01-01"
    assert keys("2026-01-01T03:29:59.999Z", "America/St_Johns")[3] == "2025"
    assert keys("2026-01-01T03:30:00Z", "America/St_Johns")[3] == "2026"


def test_a_day_without_a_midnight_begins_where_the_clocks_jump_to() -> None:
    """In Beirut the clocks go from 24:00 to 01:00 in spring."""
    beirut = load_zone("Asia/Beirut")
    bounds = bounds_ms(Period(PeriodKind.DAY, "2026-03-29"), beirut)
    assert bounds == (ms("2026-03-28T22:00:00Z"), ms("2026-03-29T21:00:00Z"))


@given(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)), st.sampled_from(list(PeriodKind)))
def test_every_time_lies_within_the_bounds_of_its_period(time: datetime, kind: PeriodKind) -> None:
    for zone in map(load_zone, ("Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati")):
        moment = round(time.replace(tzinfo=UTC).timestamp() * 1000)
        period = period_at(kind, moment, zone)
        assert parse_period(kind, period.key) == period
        bounds = bounds_ms(period, zone) or (0, moment + 1)
        assert bounds[0] <= moment < bounds[1]
        if kind is not PeriodKind.ALL_TIME:
            assert period_at(kind, bounds[0], zone) == period
            assert period_at(kind, bounds[0] - 1, zone) != period
            assert period_at(kind, bounds[1], zone) != period


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (PeriodKind.DAY, "2026-02-29"),
        (PeriodKind.DAY, "2026-2-9"),
        (PeriodKind.DAY, "٢٠٢٦-01-01"),
        (PeriodKind.WEEK, "2025-W53"),
        (PeriodKind.MONTH, "2026-13"),
        (PeriodKind.YEAR, "0001"),
        (PeriodKind.YEAR, "9999"),
        (PeriodKind.YEAR, ""),
        (PeriodKind.ALL_TIME, "2026"),
    ],
)
def test_a_key_that_names_no_period_is_refused(kind: PeriodKind, key: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_period(kind, key)


def test_an_unknown_zone_is_refused() -> None:
    for name in ("Mars/Olympus", "", "../etc/passwd"):
        with pytest.raises(ValueError, match="no time zone"):
            load_zone(name)


@pytest.mark.parametrize("host", ["UTC", "Pacific/Kiritimati", "America/St_Johns"])
def test_the_zone_of_the_host_changes_nothing(host: str) -> None:
    script = (
        "from spielwerk.rankings.periods import *;"
        f"print([p.key for p in periods_at({ms('2026-12-31T23:30:00+01:00')}, "
        "load_zone('Europe/Berlin'))])"
    )
    libs = Path(__file__).parents[2] / "libs"
    environment = {"TZ": host, "PYTHONPATH": str(libs)}
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str(["2026-12-31", "2026-W53", "2026-12", "2026", "all"])
