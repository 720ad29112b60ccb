"""One seed decides the whole schedule."""

from __future__ import annotations

from collections import Counter

import pytest

from faults.schedule import Kind, schedule
from faults.ways import LINKS, NAMES, kind_of

SEEDS = range(20)
ENDS = frozenset(NAMES + LINKS + ["nats", "redis"])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_seed_makes_the_same_schedule(seed: int) -> None:
    assert schedule(seed, 10) == schedule(seed, 10)


def test_another_seed_makes_another_schedule() -> None:
    assert len({schedule(seed, 10) for seed in SEEDS}) == len(SEEDS)


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    shorter = schedule(1, 5)
    assert schedule(1, 10)[: len(shorter)] == shorter


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_happens_at_least_five_times_in_ten_minutes(seed: int) -> None:
    counts = Counter(fault.kind for fault in schedule(seed, 10))
    assert {kind: count for kind in Kind if (count := counts[kind]) < 5} == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_each_service_is_killed_at_least_five_times_in_ten_minutes(seed: int) -> None:
    kills = [fault for fault in schedule(seed, 10) if fault.kind is Kind.KILL]
    counts = Counter(kind_of(kill.target) for kill in kills)
    assert {kind for kind in map(kind_of, NAMES) if counts[kind] < 5} == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_faults_are_of_known_ends_in_order_and_over_soon_after_the_run(seed: int) -> None:
    faults = schedule(seed, 10)
    assert {fault.target for fault in faults} <= ENDS
    assert [fault.at_s for fault in faults] == sorted(fault.at_s for fault in faults)
    assert all(0 < fault.at_s <= 600 and 0 < fault.lasts_s <= 12 for fault in faults)
