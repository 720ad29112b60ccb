"""Which failures of a call leave open what happened."""

from __future__ import annotations

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from spielwerk.client.retrying import is_open


@pytest.mark.parametrize(
    ("code", "details", "expected"),
    [
        (grpc.StatusCode.UNAVAILABLE, "", True),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "", True),
        (grpc.StatusCode.INTERNAL, "Stream removed (Deadline Exceeded)", True),
        (grpc.StatusCode.INTERNAL, "internal error", False),
        (grpc.StatusCode.FAILED_PRECONDITION, "Stream removed", False),
    ],
    ids=["unavailable", "deadline", "stream removed", "a bug", "a refusal"],
)
def test_a_call_that_was_cut_off_is_repeated_and_an_answered_one_is_not(
    code: grpc.StatusCode, details: str, expected: bool
) -> None:
    assert is_open(AioRpcError(code, Metadata(), Metadata(), details=details)) is expected
