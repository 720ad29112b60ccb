"""ES-12: what was acknowledged anywhere is known everywhere, also to an instance just started."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any, Final

import pytest

from rules.conftest import ALICE, BOB, Rules
from spielwerk.api.v1 import match_pb2 as pb

ROUNDS: Final = 4
MOVES: Final = 5

Players = dict[str, Any]


@pytest.mark.timeout(180)
async def test_es_12_moves_alternate_between_instances_of_which_one_is_restarted_all_the_time(
    rules: Rules,
) -> None:
    match_id = await rules.started_match()
    ours = {name: await rules.stub(name) for name in (ALICE, BOB)}
    version = 3
    for _ in range(ROUNDS):
        async with AsyncExitStack() as stack:
            other = Rules(rules.nats_url, rules.keys, stack)
            await other.start()
            theirs = {name: await other.stub(name) for name in (ALICE, BOB)}
            for _ in range(MOVES):
                # What the other instance knows is old by then: it is refused nothing for that.
                for there in (ours, theirs):
                    version += 1
                    assert await move(match_id, asked=ours, told=there) == version
                # And whoever asks it next sees at least what was acknowledged elsewhere.
                version += 1
                assert await move(match_id, asked=ours, told=ours) == version
                for stub in theirs.values():
                    view = await stub.GetView(pb.GetViewRequest(match_id=match_id))
                    assert view.view.version == version


async def move(match_id: str, *, asked: Players, told: Players) -> int:
    """The first legal move as one instance lists it, sent to another; its version."""
    for name, stub in asked.items():
        legal = await stub.ListLegal(pb.ListLegalRequest(match_id=match_id))
        if legal.turn_key:
            request = pb.SubmitRequest(
                match_id=match_id,
                command_id=f"{name}-{legal.turn_key.replace('.', '-')}",
                command=legal.commands[0],
                turn_key=legal.turn_key,
            )
            return int((await told[name].Submit(request)).update.version)
    raise AssertionError("nobody is in turn")
