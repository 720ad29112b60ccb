"""What a call or a part of a Play stream takes of its caller's reserve."""

from __future__ import annotations

import asyncio

import pytest

from spielwerk.rpc.auth import ACCESS, Caller
from spielwerk.rpc.costs import COSTS, cost_of
from spielwerk.rpc.limits import Limits, Rates
from spielwerk.rpc.settings import RpcSettings
from spielwerk.telemetry.metrics import Metrics

from .asking import JOIN, SELDOM, WATCH, Clock, answer
from .conftest import Serve


def test_what_costs_more_takes_more_and_waits_longer() -> None:
    clock = Clock()
    rates = Rates(2, 10, clock)
    assert [rates.take("ann", 4) for _ in range(3)] == [0, 0, pytest.approx(1)]
    assert [rates.take("ann") for _ in range(3)] == [0, 0, pytest.approx(0.5)]
    clock.now += 2
    assert rates.take("ann", 4) == 0


def test_what_costs_more_than_the_reserve_holds_takes_all_of_it() -> None:
    clock = Clock()
    rates = Rates(2, 3, clock)
    assert [rates.take("ann", 100), rates.take("ann", 1)] == [0, pytest.approx(0.5)]
    assert rates.take("ann", 100) == pytest.approx(1.5)
    clock.now += 1.5
    assert rates.take("ann", 100) == 0


def test_every_cost_is_of_a_method_that_there_is_and_some_fit_into_the_usual_reserve() -> None:
    methods = {f"/{service}/{name}" for service, rows in ACCESS.items() for name in rows}
    assert set(COSTS) <= methods
    assert min(COSTS.values()) > 1
    assert max(COSTS.values()) * 20 <= RpcSettings().calls_burst


async def test_a_method_takes_what_it_costs_of_the_players_reserve(serve: Serve) -> None:
    watch = cost_of("/spielwerk.api.v1.MatchService/Watch")
    async with serve(calls_per_s=SELDOM, calls_burst=watch + 2) as running:
        stub, metadata = running.stub(), running.metadata()
        calls = [(stub.Watch, WATCH), (stub.Join, JOIN)] * 2
        answers = [await answer(call(asked, metadata=metadata)) for call, asked in calls]
        assert [error.reason if error else "" for error in answers] == [
            "",
            "",
            "too_many_calls",
            "",
        ]


async def test_what_costs_more_on_a_play_stream_waits_longer() -> None:
    metrics = Metrics()
    limits = Limits(RpcSettings(commands_per_s=100, commands_burst=20), metrics)
    loop, ann = asyncio.get_running_loop(), Caller("ann", "player")
    began = loop.time()
    for _ in range(4):
        await limits.hold_back(ann, 10)
    assert loop.time() - began > 0.19
    assert metrics.value("spielwerk_rpc_limited_total", reason="held_back") == 2
