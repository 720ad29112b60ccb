"""What strangers bring as a trace is checked before it is taken over, kept or printed."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from spielwerk.telemetry import logs, tracing
from telemetry.conftest import Lines

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
SECRET = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"


def begun(given: str) -> str:
    """The trace of a call that brings this, outside of the test's own context."""
    return copy_context().run(tracing.begin, given)


@pytest.mark.parametrize(
    "given",
    [
        SECRET,
        "00-" + "0" * 32 + "-00f067aa0ba902b7-01",
        f"00-{TRACE}-0000000000000000-01",
        f"ff-{TRACE}-00f067aa0ba902b7-01",
        f"00-{TRACE.upper()}-00f067aa0ba902b7-01",
        f"{PARENT}-s3cret",
        f"cc-{PARENT[3:]}s3cret",
        f"{PARENT}\n",
        "x" * 4000,
        "",
    ],
    ids=["token", "no id", "no parent", "version", "capitals", "more", "glued", "line", "long", ""],
)
def test_what_is_no_traceparent_is_replaced(given: str) -> None:
    made = begun(given)
    assert made != TRACE
    assert made not in given
    assert begun(f"00-{made}-00f067aa0ba902b7-00") == made


def test_a_traceparent_of_a_later_version_may_say_more() -> None:
    assert begun(f"cc-{PARENT[3:]}-more") == TRACE


def test_what_was_kept_is_continued_only_if_it_is_an_id(lines: Lines) -> None:
    log = logs.get_logger("t")
    with tracing.continued(TRACE):
        log.info("x")
        with tracing.continued(SECRET):
            log.info("x")
        assert tracing.traceparent().startswith(f"00-{TRACE}-")
    log.info("x")
    first, second, third = lines()
    assert first["trace_id"] == TRACE
    assert second["trace_id"] not in (TRACE, SECRET)
    assert "trace_id" not in third
    assert tracing.traceparent() == ""
