"""Calls that no token or role lets in are limited, too, and shut out nobody else."""

from __future__ import annotations

from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.errors import ResourceExhausted

from .asking import INFO, JOIN, SELDOM, WATCH, answer, limited
from .conftest import Serve


async def test_calls_with_forged_tokens_count_for_their_address(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=3) as running:
        stub = running.stub()
        tokens = [f"Bearer {running.token()[:-6]}forged", "Bearer x", "", None, "Bearer y"]
        shown = [[] if token is None else [("authorization", token)] for token in tokens]
        answers = [await answer(stub.Join(JOIN, metadata=metadata)) for metadata in shown]
        reasons = [error.reason for error in answers if error]
        refused = ["token_invalid", "token_invalid", "token_missing"]
        assert reasons == [*refused, "too_many_calls", "too_many_calls"]
        assert isinstance(answers[3], ResourceExhausted)
        assert answers[3].retry_after is not None
        assert 50 < answers[3].retry_after <= 100
        assert limited(running, "too_many_calls") == 2


async def test_a_forger_locks_out_nobody_who_has_a_good_token(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=2) as running:
        stub, forged = running.stub(), [("authorization", "Bearer x")]
        for _ in range(4):
            assert await answer(stub.Join(JOIN, metadata=forged)) is not None
        assert await answer(stub.Join(JOIN, metadata=running.metadata())) is None
        auditor = running.metadata("auditor")
        assert [await answer(stub.Watch(WATCH, metadata=auditor)) for _ in range(5)] == [None] * 5


async def test_calls_that_are_not_for_players_count_for_the_player(serve: Serve) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=2) as running:
        stub, metadata = running.stub(), running.metadata()
        abort = pb.AbortMatchRequest()
        answers = [await answer(stub.AbortMatch(abort, metadata=metadata)) for _ in range(3)]
        reasons = [error.reason for error in answers if error]
        assert reasons == ["role_not_allowed", "role_not_allowed", "too_many_calls"]
        assert await answer(stub.Join(JOIN, metadata=running.metadata(subject="bob"))) is None
        assert await answer(stub.GetServerInfo(INFO)) is None


async def test_other_roles_wrong_calls_count_for_the_address_and_their_own_stay_free(
    serve: Serve,
) -> None:
    async with serve(calls_per_s=SELDOM, calls_burst=2) as running:
        stub, metadata = running.stub(), running.metadata("auditor")
        answers = [await answer(stub.Join(JOIN, metadata=metadata)) for _ in range(3)]
        reasons = [error.reason for error in answers if error]
        assert reasons == ["role_not_allowed", "role_not_allowed", "too_many_calls"]
        assert [await answer(stub.Watch(WATCH, metadata=metadata)) for _ in range(5)] == [None] * 5
