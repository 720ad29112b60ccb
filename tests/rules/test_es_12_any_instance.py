"""ES-12: what was acknowledged anywhere is known everywhere, also to an instance just started."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Final

import pytest

from rules.conftest import ALICE, BOB, Rules, play_on
from spielwerk.api.v1 import match_pb2 as pb

ROUNDS: Final = 4
MOVES: Final = 8


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
                for players, others in ((ours, theirs), (theirs, ours)):
                    # The first legal command of the player in turn: refused nowhere.
                    assert await play_on(players, match_id, 1) == 1
                    version += 1
                    for stub in (*others.values(), *players.values()):
                        view = await stub.GetView(pb.GetViewRequest(match_id=match_id))
                        assert view.view.version == version
