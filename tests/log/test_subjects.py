"""Match ids and subjects: sortable, harmless, readable back."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielwerk.errors import PermissionDenied
from spielwerk.log.port import Kind
from spielwerk.log.subjects import (
    SHARDS,
    check_match_id,
    every_kind,
    kind_of,
    match_id_of,
    new_match_id,
    subject,
)

TIMES = st.integers(0, 253402300799999)
RANDOM = st.binary(min_size=10, max_size=10)


@given(TIMES, RANDOM, st.sampled_from(Kind))
def test_a_subject_tells_its_match_and_kind(now_ms: int, random: bytes, kind: Kind) -> None:
    match_id = check_match_id(new_match_id(now_ms, random))
    month = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m")

    text = subject(match_id, kind)

    assert re.fullmatch(rf"match\.{month}\.\d+\.[0-9a-z]{{26}}\.{kind}", text)
    assert int(text.split(".")[2]) < SHARDS
    assert (match_id_of(text), kind_of(text)) == (match_id, kind)
    assert every_kind(match_id) == text.removesuffix(kind) + "*"


@given(TIMES, TIMES, RANDOM, RANDOM)
def test_ids_sort_by_their_time(first: int, second: int, one: bytes, other: bytes) -> None:
    if first != second:
        older, newer = sorted([first, second])
        assert new_match_id(older, one) < new_match_id(newer, other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        ">",
        "01arz3ndektsv4rrffq69g5fa",  # one short
        "01arz3ndektsv4rrffq69g5favx",  # one long
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",  # upper case
        "01arz3ndektsv4rrffq69g5fai",  # no letter of the alphabet
        "81arz3ndektsv4rrffq69g5fav",  # more than 128 bits
        "7zzzzzzzzzzzzzzzzzzzzzzzzz",  # after the year 9999
        "01arz3ndektsv4rrffq69g5f.*",
        "01arz3ndektsv4rrffq69g5f >",
        "01arz3ndektsv4rrffq69g5\r\n1",
        "\u06601arz3ndektsv4rrffq69g5fav",  # a digit of another script
    ],
)
def test_what_cannot_be_an_id_is_answered_like_an_unknown_match(text: str) -> None:
    with pytest.raises(PermissionDenied) as refusal:
        check_match_id(text)
    assert refusal.value.reason == "no_such_match"


def test_matches_are_spread_over_the_shards() -> None:
    ids = [new_match_id(1_790_000_000_000, number.to_bytes(10, "big")) for number in range(2000)]
    assert len({subject(match_id, Kind.MOVE).split(".")[2] for match_id in ids}) == SHARDS
