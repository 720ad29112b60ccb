"""Headers carry what services route by, over the real broker as well."""

from __future__ import annotations

import pytest

from log.tails import following
from spielwerk.log.headers import MARK, OpenTurn, RecordHeaders, read_headers
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Kind
from spielwerk.log.subjects import new_match_id

HEADERS = RecordHeaders(
    game="guandan",
    version=17,
    recorded_at_ms=1_790_000_000_123,
    turns=(OpenTurn(0, "play/3/7", 1_790_000_030_123, False), OpenTurn(2, "tribute/4", None, True)),
)


def test_headers_are_read_as_they_were_written() -> None:
    assert read_headers(HEADERS.write()) == HEADERS


async def test_headers_survive_the_broker(log: JetStreamLog) -> None:
    match_id = new_match_id(1_790_000_000_000, b"0123456789")
    await log.append(match_id, Kind.MOVE, b"hands and seeds", HEADERS.write(), expected=0)

    async with following(log, [Kind.MOVE], after=0, headers_only=True) as tail:
        (stored,) = (await anext(tail)).messages

    assert read_headers(stored.headers) == HEADERS
    assert read_headers((await log.read(match_id))[0].headers) == HEADERS


@pytest.mark.parametrize("damage", ["Sw-Game", "Sw-Version", "Sw-Time", "Sw-Turns", MARK])
def test_a_message_without_one_of_our_headers_is_foreign(damage: str) -> None:
    written = HEADERS.write()
    del written[damage]
    assert read_headers(written) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (MARK, "2"),
        ("Sw-Version", "one"),
        ("Sw-Time", ""),
        ("Sw-Turns", "["),
        ("Sw-Turns", "[[0]]"),
        ("Sw-Turns", "7"),
    ],
)
def test_a_message_with_a_damaged_header_is_foreign(name: str, value: str) -> None:
    assert read_headers(HEADERS.write() | {name: value}) is None


def test_a_message_without_headers_is_foreign() -> None:
    assert read_headers(None) is None
    assert read_headers({}) is None
