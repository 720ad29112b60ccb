"""The cache of matches is bounded, and what is in use stays."""

from __future__ import annotations

import asyncio
from typing import Any

from spielwerk.telemetry.metrics import Metrics
from spielwerk_rules.cache import Cache

A_MATCH: Any = object()


def test_the_longest_unused_matches_make_room() -> None:
    cache = Cache(2, Metrics())
    first = cache.enter("a")
    first.match = A_MATCH
    cache.leave(first)
    for name in ("b", "c"):
        entry = cache.enter(name)
        entry.match = A_MATCH
        cache.leave(entry)
    assert cache.enter("a") is not first


def test_a_match_in_use_stays_beyond_the_capacity() -> None:
    cache = Cache(1, Metrics())
    used = cache.enter("a")
    cache.enter("b")
    assert cache.enter("a") is used


def test_an_id_of_which_nothing_was_learnt_takes_no_room() -> None:
    metrics = Metrics()
    cache = Cache(10, metrics)
    cache.leave(cache.enter("a"))
    assert cache.enter("b").users == 1
    assert metrics.value("spielwerk_states_cached") == 1


async def test_users_of_a_match_wait_for_each_other() -> None:
    cache, order = Cache(10, Metrics()), []

    async def use(name: str) -> None:
        async with cache.locked("a"):
            order.append(name)
            await asyncio.sleep(0)
            order.append(name)

    await asyncio.gather(use("first"), use("second"))
    assert order == ["first", "first", "second", "second"]
