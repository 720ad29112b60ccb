"""ES-04: every twentieth acknowledgement of the broker is lost; nobody gets a wrong answer."""

from __future__ import annotations

import random
from typing import Any

import grpc
import pytest

from faults.proxy import is_append_answer, proxy_before
from rules.conftest import ALICE, BOB, Rules
from spielwerk.api.v1 import match_pb2 as pb


@pytest.mark.parametrize(
    ("lost", "moves"), [("every-20th", 60), ("bursts", 12)], ids=["every-20th", "bursts"]
)
@pytest.mark.timeout(180)
async def test_es_04_a_lost_acknowledgement_makes_no_move_double_and_no_answer_wrong(
    rules: Rules, lost: str, moves: int
) -> None:
    match_id = await rules.started_match()
    async with proxy_before(rules.nats_url) as proxy:
        rules.nats_url = proxy.url
        await rules.start()
        answers = 0

        def is_lost(message: bytes) -> bool:
            nonlocal answers
            answers += is_append_answer(message)
            every, of = (1, 20) if lost == "every-20th" else (4, 8)
            return is_append_answer(message) and answers % of < every

        proxy.answers.drop = is_lost
        players = {name: await rules.stub(name, instance=1) for name in (ALICE, BOB)}
        told: dict[str, int] = {}
        statuses: set[str] = set()
        chance = random.Random(20261130)
        for number in range(moves):
            for stub in players.values():
                legal = await stub.ListLegal(pb.ListLegalRequest(match_id=match_id))
                if legal.turn_key:
                    request = pb.SubmitRequest(
                        match_id=match_id,
                        command_id=f"c{number}",
                        command=chance.choice(list(legal.commands)),
                        turn_key=legal.turn_key,
                    )
                    told[f"c{number}"] = await repeated(stub, request, statuses)
                    break
        assert answers > moves
        view = await players[ALICE].GetHistory(pb.GetHistoryRequest(match_id=match_id))
        versions = [update.version for update in view.updates]
        await rules.stack.aclose()
    assert statuses <= {"UNAVAILABLE", "DEADLINE_EXCEEDED"}
    assert sorted(told.values()) == list(range(4, 4 + moves))  # each its own version, in turn
    assert versions == list(range(1, 4 + moves))


async def repeated(stub: Any, request: pb.SubmitRequest, statuses: set[str]) -> int:
    """The same command until its outcome is clear; the version that is told then."""
    while True:
        try:
            answer = await stub.Submit(request)
        except grpc.aio.AioRpcError as failed:
            statuses.add(failed.code().name)
            if failed.code().name == "FAILED_PRECONDITION":
                raise
        else:
            return int(answer.update.version)
