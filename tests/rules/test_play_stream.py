"""One Play stream: who does not read is not listened to for long, and nothing gets lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from rules.conftest import Rules, until
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import PermissionDenied
from spielwerk.rpc.auth import Caller
from spielwerk_rules.playing import HoldBack, PlayStream

NOT_WATCHING: Any = None


class Refusing:
    """Takes commands down and refuses them all."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    async def submit(self, request: pb.SubmitRequest, _: Caller) -> Any:
        await asyncio.sleep(0)
        self.ids.append(request.command_id)
        raise PermissionDenied("no_such_match")


async def commands(number: int) -> AsyncIterator[pb.PlayRequest]:
    parts = [pb.SubmitRequest(match_id="m", command_id=f"c{n}") for n in range(number)]
    yield pb.PlayRequest(commands=parts)


async def at_any_rate(_caller: Caller, _cost: int) -> None:
    return None


def stream(game: Refusing, in_flight: int, hold_back: HoldBack = at_any_rate) -> PlayStream:
    alice = Caller("alice", "player")
    return PlayStream(alice, game.submit, NOT_WATCHING, hold_back, in_flight=in_flight, watches=1)


async def test_a_client_that_does_not_read_has_only_so_many_commands_under_way() -> None:
    game = Refusing()
    async with aclosing(stream(game, 4).run(commands(50))) as responses:
        first = await anext(responses)
        await until(lambda: len(game.ids) == 4 + len(first.outcomes))
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(game.ids) == 4 + len(first.outcomes)

        rest = [outcome.command_id async for response in responses for outcome in response.outcomes]

    answered = [outcome.command_id for outcome in first.outcomes] + rest
    assert answered == game.ids == [f"c{n}" for n in range(50)]


async def test_many_outcomes_come_in_responses_of_bounded_size() -> None:
    game = Refusing()
    async with aclosing(stream(game, 1_000).run(commands(600))) as responses:
        sizes = [len(response.outcomes) async for response in responses]
    assert sum(sizes) == 600
    assert max(sizes) == 256


async def test_commands_above_the_callers_rate_wait_in_the_stream_and_none_is_refused() -> None:
    game, free = Refusing(), asyncio.Semaphore(3)

    async def as_long_as_free(caller: Caller, cost: int) -> None:
        assert (caller.subject, cost) == ("alice", 1)
        await free.acquire()

    async with aclosing(stream(game, 100, as_long_as_free).run(commands(8))) as responses:
        answered = [outcome.command_id for outcome in (await anext(responses)).outcomes]
        await until(lambda: len(game.ids) == 3)
        for _ in range(20):
            await asyncio.sleep(0)
        assert game.ids == ["c0", "c1", "c2"]
        for _ in range(5):
            free.release()
        async for response in responses:
            answered += [outcome.command_id for outcome in response.outcomes]
    assert answered == game.ids == [f"c{n}" for n in range(8)]


async def test_a_client_that_leaves_while_it_is_held_back_leaves_no_task() -> None:
    async def never(_caller: Caller, _cost: int) -> None:
        await asyncio.Event().wait()

    before = asyncio.all_tasks()
    responses = stream(Refusing(), 4, never).run(commands(1))
    first = asyncio.ensure_future(anext(responses))
    await until(lambda: len(asyncio.all_tasks()) > len(before) + 1)
    first.cancel()
    await asyncio.wait({first})
    await responses.aclose()
    assert asyncio.all_tasks() == before


async def test_over_the_wire_a_stream_above_its_rate_is_slowed_down(rules: Rules) -> None:
    rules.port = {"commands_per_s": 20, "commands_burst": 5}
    await rules.start()
    alice = await rules.stub("alice", instance=1)
    began = asyncio.get_running_loop().time()
    outcomes = [o async for response in alice.Play(commands(15)) for o in response.outcomes]
    assert asyncio.get_running_loop().time() - began > 0.49
    assert [outcome.command_id for outcome in outcomes] == [f"c{n}" for n in range(15)]
    assert not [o for o in outcomes if o.refused.reason.startswith("too_many")]
    metrics = rules.hosts[1].metrics
    assert metrics.value("spielwerk_rpc_limited_total", reason="held_back") > 0
