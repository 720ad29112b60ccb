"""GR-01: a call that was cut off had its effect once or not at all, and a repeat tells which."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import grpc

from rules.conftest import ALICE, BOB, Rules
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import Unclear
from spielwerk.rpc.errors import error_of


async def cut_off(dice: random.Random, call: Any, request: Any, ends: Counter[str]) -> Any:
    """One attempt with a deadline of 1 to 50 ms or a cancel in that time; None if it was cut."""
    longest = dice.choice((0.003, 0.01, 0.05))
    if dice.random() < 0.5:
        running = call(request, timeout=dice.uniform(0.001, longest))
    else:
        running = call(request)
        asyncio.get_running_loop().call_later(dice.uniform(0.0, longest), running.cancel)
    try:
        return await running
    except asyncio.CancelledError:
        ends["cancelled"] += 1
    except grpc.aio.AioRpcError as error:
        known = error_of(error)
        assert isinstance(known, Unclear), known
        ends[known.reason] += 1
    return None


async def definite(dice: random.Random, call: Any, request: Any, ends: Counter[str]) -> Any:
    """The answer after up to five attempts that are cut off, then patiently."""
    for _ in range(5):
        answer = await cut_off(dice, call, request, ends)
        if answer is not None:
            return answer
    return await call(request, timeout=10)


async def test_gr_01_moves_that_are_cut_off_are_made_once_and_told_truly(rules: Rules) -> None:
    dice, ends = random.Random(1), Counter[str]()
    stubs = {player: await rules.stub(player) for player in (ALICE, BOB)}

    async def play(match_id: str) -> None:
        """Twenty moves of one match; the version of each answer is where the history has it."""
        told: dict[str, int] = {}
        for n in range(20):
            for player, stub in stubs.items():
                legal = await stub.ListLegal(pb.ListLegalRequest(match_id=match_id))
                if not legal.turn_key:
                    continue
                request = pb.SubmitRequest(
                    match_id=match_id,
                    command_id=f"{player}-{n}",
                    command=legal.commands[0],
                    turn_key=legal.turn_key,
                )
                answer = await definite(dice, stub.Submit, request, ends)
                told[f"{player}-{n}"] = answer.update.version
                again = await stub.Submit(request)
                assert again.repeated
                assert again.update == answer.update
        view = await stubs[ALICE].GetView(pb.GetViewRequest(match_id=match_id))
        begun = 3  # opened, and two have joined
        assert sorted(told.values()) == list(range(begun + 1, view.view.version + 1))

    matches = [await rules.started_match() for _ in range(8)]
    await asyncio.gather(*(play(match_id) for match_id in matches))
    print(dict(ends))
    assert min(ends["cancelled"], ends["deadline_exceeded"]) > 3


async def test_gr_01_a_seat_that_is_taken_by_a_call_cut_off_is_taken_once(rules: Rules) -> None:
    dice, ends = random.Random(2), Counter[str]()
    stubs = {player: await rules.stub(player) for player in (ALICE, BOB)}
    for _ in range(20):
        match_id = await rules.create(ALICE, BOB)
        request = pb.JoinRequest(match_id=match_id)
        seats = [await definite(dice, stub.Join, request, ends) for stub in stubs.values()]
        assert [seat.seat for seat in seats] == [0, 1]
        view = await stubs[ALICE].GetView(pb.GetViewRequest(match_id=match_id))
        assert (view.view.version, list(view.view.joined)) == (3, [0, 1])
        assert view.view.HasField("table")
    print(dict(ends))
    assert ends.total() > 3
