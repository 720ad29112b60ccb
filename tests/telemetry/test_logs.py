"""Logs are JSON lines with the context of the call and without secrets."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from pathlib import Path

import pytest

from spielwerk.api.v1 import match_pb2
from spielwerk.errors import Illegal
from spielwerk.rpc.settings import Misconfigured
from spielwerk.telemetry import logs
from spielwerk.telemetry.settings import TelemetrySettings
from telemetry.conftest import Lines

JWT = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"


def test_a_line_says_when_where_and_what(lines: Lines) -> None:
    logs.get_logger("spielwerk.test").info("opened", match_id="m1", version=3)
    (line,) = lines()
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "opened",
        "level": "info",
        "logger": "spielwerk.test",
        "service": "rules",
        "match_id": "m1",
        "version": 3,
    }


def test_one_event_is_one_line_whatever_a_name_holds(lines: Lines) -> None:
    logs.get_logger("t").info("named", name="a\nb\r\u2028c\x1b[31m")
    (line,) = lines()
    assert line["name"] == "a\nb\r\u2028c\x1b[31m"


@pytest.mark.parametrize(
    "key",
    [
        "token",
        "service_token",
        "seed",
        "match_seed",
        "bot_seed",
        "decision_seed",
        "device_secret",
        "secret",
        "entropy",
        "authorization",
        "Authorization",
        "password",
        "hand",
        "hands",
        "deck",
        "cards",
        "room_code",
        "private_key",
    ],
)
def test_what_is_secret_by_its_key_is_not_printed_at_any_depth(lines: Lines, key: str) -> None:
    log = logs.get_logger("t")
    log.info("x", **{key: "s3cret"})
    log.info("x", **{key: ["s3cret"]})
    log.info("x", inner={"list": [{key: b"s3cret"}]})
    with logs.bound(**{key: "s3cret"}):  # type: ignore[arg-type]
        log.info("x")
    assert len(lines()) == 4
    assert "s3cret" not in json.dumps(lines())
    assert json.dumps(lines()).count(logs.REDACTED) == 4


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("turn_key", "3/1"),
        ("code", "OK"),
        ("reason", "not_your_turn"),
        ("seat", 0),
        ("ratio", 0.5),
        ("ready", False),
        ("nothing", None),
        ("handler", "h"),
        ("tokens_issued", 3),
    ],
)
def test_what_is_not_secret_is_printed(lines: Lines, key: str, value: object) -> None:
    logs.get_logger("t").info("x", **{key: value})
    assert lines()[0][key] == value


def test_a_token_or_a_password_inside_a_text_is_not_printed(lines: Lines) -> None:
    log = logs.get_logger("t")
    log.info(f"call with Bearer {JWT}", header=f"Bearer {JWT}", path=Path("/data"))
    log.info("connected", url="nats://spielwerk:s3cret@127.0.0.1:4222")
    logging.getLogger("other").warning("refused %s", JWT)
    text = json.dumps(lines())
    assert JWT.split(".")[1] not in text
    assert "s3cret" not in text
    assert lines()[0]["path"] == "/data"
    assert lines()[1]["url"] == f"nats://{logs.REDACTED}@127.0.0.1:4222"


def test_a_message_or_a_state_shows_its_type_alone(lines: Lines) -> None:
    view = match_pb2.Joined(entropy=b"s3cret")
    logs.get_logger("t").info("x", thing=view, more=[view], raw=b"s3cret")
    (line,) = lines()
    assert (line["thing"], line["more"], line["raw"]) == ("<Joined>", ["<Joined>"], "<6 bytes>")


def failing(error: Exception) -> Exception:
    try:
        hand = ["s3cret"]
        raise error
    except Exception as caught:
        assert hand
        return caught


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KeyError("s3cret"), ""),
        (ValueError("hand s3cret"), ""),
        (Illegal("not_your_turn", "s3cret"), "not_your_turn"),
        (ConnectionRefusedError(111, "refused"), "[Errno 111] refused"),
        (NameError("name 'x' is not defined"), "name 'x' is not defined"),
        (Misconfigured("no key"), "no key"),
    ],
)
def test_an_exception_shows_where_and_only_a_safe_text(
    lines: Lines, error: Exception, text: str
) -> None:
    caught = failing(error)
    logs.get_logger("t").error("failed", exc_info=caught)
    logging.getLogger("other").error("failed", exc_info=caught)
    for line in lines():
        (shown,) = line["exception"]
        assert shown["type"].endswith(type(error).__name__)
        assert shown["text"] == text
        assert "failing" in shown["frames"][0]
        assert "test_logs.py" in shown["frames"][0]
    assert "s3cret" not in json.dumps(lines())


def test_causes_and_members_of_groups_are_shown(lines: Lines) -> None:
    inner = failing(KeyError("a"))
    try:
        raise ExceptionGroup("many", [inner, ValueError("b")]) from OSError("disk")
    except ExceptionGroup as group:
        logs.get_logger("t").error("failed", exc_info=group)
    types = [shown["type"] for shown in lines()[0]["exception"]]
    assert types == ["ExceptionGroup", "KeyError", "ValueError", "OSError"]


async def test_context_stays_with_its_task(lines: Lines) -> None:
    log, order = logs.get_logger("t"), random.Random(1)

    async def act(number: int) -> None:
        with logs.bound(match_id=f"m{number}", seat=number % 4, command_id=f"c{number}"):
            for _ in range(3):
                for _ in range(order.randrange(5)):
                    await asyncio.sleep(0)
                log.info("decided", expected=number)

    await asyncio.gather(*(act(number) for number in range(1000)))
    shown = lines()
    assert len(shown) == 3000
    for line in shown:
        number = line["expected"]
        assert (line["match_id"], line["seat"], line["command_id"]) == (
            f"m{number}",
            number % 4,
            f"c{number}",
        )


def test_before_it_is_configured_no_local_variables_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.get_logger("t").error("failed", exc_info=failing(KeyError("s3cret")))
    shown = capsys.readouterr()
    assert "s3cret" not in shown.out + shown.err


@pytest.mark.usefixtures("lines")
def test_levels_below_the_chosen_one_are_silent(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(TelemetrySettings(level="warning"))
    logs.get_logger("t").info("quiet")
    logs.get_logger("t").warning("loud")
    shown = [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]
    assert shown == ["loud"]
