"""A Play stream that is sent more than anybody plays: it costs its caller, and nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from rules.conftest import ALICE, Rules, until
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import InvalidArgument, PermissionDenied
from spielwerk.log.subjects import new_match_id
from spielwerk.rpc.auth import Caller
from spielwerk.rpc.costs import cost_of
from spielwerk_rules.playing import PlayStream

A_WATCH = cost_of("/spielwerk.api.v1.MatchService/Watch")
WAITING = 1_024
"""Messages of watches that wait for their reader at the most."""
NOT_WATCHING: Any = None


class Reserve:
    """Lets everything pass and takes down what it cost."""

    def __init__(self) -> None:
        self.costs: list[int] = []

    async def hold_back(self, _caller: Caller, cost: int) -> None:
        self.costs.append(cost)


async def refuse(_request: pb.SubmitRequest, _caller: Caller) -> Any:
    raise PermissionDenied("no_such_match")


def stream(reserve: Reserve, watches: int = 0) -> PlayStream:
    alice = Caller(ALICE, "player")
    return PlayStream(alice, refuse, NOT_WATCHING, reserve.hold_back, in_flight=64, watches=watches)


def unknown(number: int) -> str:
    return new_match_id(1_790_000_000_000, number.to_bytes(10, "big"))


async def sent(*requests: pb.PlayRequest) -> AsyncIterator[pb.PlayRequest]:
    for request in requests:
        yield request


@pytest.mark.parametrize("match_id", [unknown(1), "x", ""])
async def test_a_client_that_does_not_read_fills_no_memory_with_refused_watches(
    match_id: str,
) -> None:
    reserve = Reserve()
    flood = pb.PlayRequest(watches=[pb.WatchRequest(match_id=match_id)] * 2_000)
    taken: list[pb.WatchResponse] = []
    async with aclosing(stream(reserve).run(sent(flood, flood))) as responses:
        for _ in range(4):
            taken += (await anext(responses)).updates
            for _ in range(20):
                await asyncio.sleep(0)
            assert len(reserve.costs) <= WAITING + len(taken) + 1
        async for response in responses:
            taken += response.updates
    assert len(taken) == len(reserve.costs) == 4_000
    reasons = {update.ended.error.reason for update in taken}
    assert reasons == {"too_many_watches" if len(match_id) > 1 else "no_such_match"}


async def test_each_part_of_a_request_costs_and_an_empty_request_too() -> None:
    reserve = Reserve()
    parts = pb.PlayRequest(
        watches=[pb.WatchRequest(match_id=unknown(n)) for n in range(2)],
        commands=[pb.SubmitRequest(match_id="m", command_id=f"c{n}") for n in range(3)],
    )
    async with aclosing(stream(reserve).run(sent(parts, pb.PlayRequest()))) as responses:
        async for _ in responses:
            pass
    assert reserve.costs == [A_WATCH, A_WATCH, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "request_",
    [
        pb.PlayRequest(commands=[pb.SubmitRequest(match_id="m" * 257, command_id="c")]),
        pb.PlayRequest(commands=[pb.SubmitRequest(match_id="m", command_id="c" * 257)]),
        pb.PlayRequest(watches=[pb.WatchRequest(match_id="m" * 257)]),
    ],
    ids=["a command's match", "a command's id", "a watched match"],
)
async def test_an_id_too_long_to_be_told_back_ends_the_stream_after_what_came_before(
    request_: pb.PlayRequest,
) -> None:
    before = pb.PlayRequest(
        commands=[pb.SubmitRequest(match_id="m" * 256, command_id="c" * 256)],
        watches=[pb.WatchRequest(match_id="w" * 256)],
    )
    answers: list[str] = []

    async def read() -> None:
        async with aclosing(stream(Reserve()).run(sent(before, request_))) as responses:
            async for response in responses:
                answers.extend(outcome.command_id for outcome in response.outcomes)
                answers.extend(update.ended.match_id for update in response.updates)

    with pytest.raises(InvalidArgument) as ended:
        await read()
    assert ended.value.reason == "bad_request"
    assert sorted(answers) == ["c" * 256, "w" * 256]


async def test_over_the_wire_watches_are_slowed_down_and_those_beyond_the_number_refused(
    rules: Rules,
) -> None:
    rules.port = {"commands_per_s": 1_000, "commands_burst": 3 * A_WATCH}
    await rules.start(watches_per_stream=2)
    matches = [await rules.started_match() for _ in range(2)]
    alice = await rules.stub(ALICE, instance=1)
    asked = [*matches, *(unknown(n) for n in range(10))]
    call = alice.Play()
    await call.write(pb.PlayRequest(watches=[pb.WatchRequest(match_id=m) for m in asked]))
    seen: set[str] = set()
    refused: dict[str, str] = {}
    while len(seen) < 2 or len(refused) < 10:
        for update in (await asyncio.wait_for(call.read(), 10)).updates:
            if update.HasField("snapshot"):
                seen.add(update.snapshot.match_id)
            else:
                refused[update.ended.match_id] = update.ended.error.reason
    assert seen == set(matches)
    assert refused == dict.fromkeys(asked[2:], "too_many_watches")
    held_back = rules.hosts[1].metrics.value("spielwerk_rpc_limited_total", reason="held_back")
    assert held_back > 0
    call.cancel()


async def test_a_watch_that_was_refused_can_be_asked_for_again_once_another_ended(
    rules: Rules,
) -> None:
    await rules.start(watches_per_stream=1)
    first, second = [await rules.started_match() for _ in range(2)]
    alice = await rules.stub(ALICE, instance=1)
    call = alice.Play()

    async def ended(*asked: str) -> list[tuple[str, str]]:
        """Ask for these, and wait for the end of one watch."""
        await call.write(pb.PlayRequest(watches=[pb.WatchRequest(match_id=m) for m in asked]))
        ends: list[tuple[str, str]] = []
        while not ends:
            updates = (await asyncio.wait_for(call.read(), 10)).updates
            ends = [
                (u.ended.match_id, u.ended.error.reason) for u in updates if u.HasField("ended")
            ]
        return ends

    assert await ended(first, second) == [(second, "too_many_watches")]
    await alice.Resign(pb.ResignRequest(match_id=first, command_id="r"))
    assert await ended() == [(first, "")]
    await alice.Resign(pb.ResignRequest(match_id=second, command_id="r"))
    assert await ended(second) == [(second, "")]
    call.cancel()
    watchers = rules.hosts[1].metrics
    await until(lambda: watchers.value("spielwerk_watchers") == 0)
