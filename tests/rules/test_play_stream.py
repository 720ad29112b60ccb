"""One Play stream: who does not read is not listened to for long, and nothing gets lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from rules.conftest import until
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import PermissionDenied
from spielwerk.rpc.auth import Caller
from spielwerk_rules.playing import PlayStream

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


def stream(game: Refusing, in_flight: int) -> PlayStream:
    return PlayStream(
        Caller("alice", "player"), game.submit, NOT_WATCHING, in_flight=in_flight, watches=1
    )


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
