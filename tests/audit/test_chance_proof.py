"""Draws over a million labels are fair, and the vectors of VERIFYING.md are what we draw."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Iterable
from math import sqrt
from pathlib import Path

import pytest

from spielwerk.chance import HmacChance, draw_key

_SEED = bytes(range(32))
_MATCH = "01m0000000000000000000000a"
_PAGE = Path(__file__).parents[2] / "VERIFYING.md"
_MILLION = 1_000_000


def chance() -> HmacChance:
    return HmacChance(draw_key(_SEED, [b"", b""]), _MATCH)


def chi_square(seen: Iterable[int], expected: float) -> float:
    return sum((n - expected) ** 2 / expected for n in seen)


def critical(freedom: int) -> float:
    """The 99.9th percentile of the distribution, after Wilson and Hilferty."""
    ninth = 2 / (9 * freedom)
    return float(freedom * (1 - ninth + 3.0902 * sqrt(ninth)) ** 3)


def published() -> dict[str, str]:
    """The rows of the table of example draws."""
    rows = re.findall(r"^\| (.+?) \| `([^`]+)` \|$", _PAGE.read_text(), re.MULTILINE)
    return dict(rows)


def test_the_published_vectors_are_drawn() -> None:
    rows, key = published(), draw_key(_SEED, [b"", b""])
    block = hmac.digest(key, f"spielwerk|1|{_MATCH}|deal/1/1|0".encode(), "sha256")
    assert rows["draw key"] == key.hex()
    assert rows["first word of `deal/1/1`"] == block[:4].hex()
    shuffled = chance().shuffle("deal/1/1", range(10))
    assert rows['`shuffle("deal/1/1", [0 .. 9])`'] == json.dumps(shuffled)
    dice = [chance().die(f"die/1/0/1/{position}") for position in range(5)]
    assert rows['`die("die/1/0/1/0")` to `die("die/1/0/1/4")`'] == " ".join(map(str, dice))
    assert rows['`choose("first", [0, 1])`'] == str(chance().choose("first", (0, 1)))


@pytest.mark.parametrize(
    ("label", "size", "digest"),
    [
        ("deal/1/1", 52, "d902246613852895"),
        ("deal/2", 32, "edcbbde4acd5fa79"),
        ("stock", 106, "99f4c40d689e62a0"),
    ],
)
def test_whole_shuffles_never_change(label: str, size: int, digest: str) -> None:
    shuffled = json.dumps(chance().shuffle(label, range(size)))
    assert hashlib.sha256(shuffled.encode()).hexdigest()[:16] == digest


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_hi_03_a_million_shuffles_put_every_card_everywhere_and_every_pair_first() -> None:
    drawn, pack = chance(), range(52)
    places = [[0] * 52 for _ in pack]
    pairs: Counter[tuple[int, int]] = Counter()
    for n in range(_MILLION):
        order = drawn.shuffle(f"deal/{n}", pack)
        pairs[order[0], order[1]] += 1
        for row, card in zip(places, order, strict=True):
            row[card] += 1
    counts = [n for row in places for n in row]
    assert chi_square(counts, _MILLION / 52) < critical(51 * 51)
    assert len(pairs) == 52 * 51
    assert chi_square(pairs.values(), _MILLION / (52 * 51)) < critical(52 * 51 - 1)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_hi_03_a_million_dice_are_uniform_and_independent_of_their_neighbours() -> None:
    drawn = chance()
    dice = [drawn.die(f"die/1/0/{n}/0") for n in range(_MILLION)]
    assert chi_square(Counter(dice).values(), _MILLION / 6) < critical(5)
    pairs = Counter(zip(dice[::2], dice[1::2], strict=True))
    assert len(pairs) == 36
    assert chi_square(pairs.values(), _MILLION / 72) < critical(35)


def test_the_critical_values_are_those_of_the_tables() -> None:
    assert critical(5) == pytest.approx(20.515, rel=0.02)
    assert critical(144) == pytest.approx(201.0, rel=0.02)
