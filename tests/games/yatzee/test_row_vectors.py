"""Rows, sheets and rankings of the vectors."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest

from games.notation import from_plain
from games.yatzee.scripted import rows, sheet_of
from spielwerk.games.yatzee.model import NUMBER, UPPER, Row, Sheet
from spielwerk.games.yatzee.options import Options
from spielwerk.games.yatzee.scoring import allowed_rows, entry, row_points
from spielwerk.games.yatzee.standings import ranked, time_bonus_milli

ROWS = rows("rows.jsonl")
TOTALS = rows("totals.jsonl")


def of_kind(cases: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [case for case in cases if case["kind"] == kind]


def test_every_line_is_of_a_known_kind() -> None:
    assert {row["kind"] for row in ROWS} == {"all_rows", "row"}
    assert {row["kind"] for row in TOTALS} == {"sheet", "ranking"}


@pytest.mark.parametrize("case", of_kind(ROWS, "all_rows"), ids=lambda case: case["id"])
def test_all_rows_in_every_order_of_the_dice(case: dict[str, Any]) -> None:
    orders = set(permutations(case["dice"]))
    assert len(orders) == case["permutations"]
    for dice in orders:
        assert {row.value: row_points(row, dice) for row in Row} == case["points"]


def options_of(case: dict[str, Any]) -> Options:
    options: Options = from_plain(Options, json.dumps(case["options"]))
    return options


def position(case: dict[str, Any]) -> Sheet:
    """The sheet that a case is about: empty, or with yatzee and the dice's upper row filled."""
    if "position" not in case:
        return Sheet()
    assert case["position"] == "row yatzee filled, upper row of the number filled"
    return sheet_of({"yatzee": 50, UPPER[case["dice"][0] - 1].value: 0})


@pytest.mark.parametrize("case", of_kind(ROWS, "row"), ids=lambda case: case["id"])
def test_single_row(case: dict[str, Any]) -> None:
    dice, row, options = tuple(case["dice"]), Row(case["row"]), options_of(case)
    sheet = position(case)

    assert row in allowed_rows(dice, sheet, options)
    assert entry(row, dice, sheet, options).points == case["points"]


@pytest.mark.parametrize("case", of_kind(TOTALS, "sheet"), ids=lambda case: case["id"])
def test_sums_of_a_sheet(case: dict[str, Any]) -> None:
    sums = sheet_of(case["sheet"]).sums(Options())

    assert (sums.upper, sums.bonus, sums.lower, sums.extra, sums.total) == (
        case["upper"],
        case["bonus"],
        case["lower"],
        0,
        case["total"],
    )
    assert sums.upper == sum(case["sheet"].get(row.value, 0) for row in NUMBER)


@pytest.mark.parametrize("case", of_kind(TOTALS, "ranking"), ids=lambda case: case["id"])
def test_ranking(case: dict[str, Any]) -> None:
    bonuses = [time_bonus_milli(900_000, used) for used in case["used_ms"]]
    milli = [1000 * score + bonus for score, bonus in zip(case["score"], bonuses, strict=True)]
    places = ranked(milli, case["used_ms"])

    assert bonuses == case["time_bonus_milli"]
    assert milli == case["final_milli"]
    assert by_place(places) == case["places"]


def by_place(places: tuple[int, ...]) -> list[list[int]]:
    """Seats in the order of the vectors: best first, those who share a place together."""
    return [
        [seat for seat, place in enumerate(places) if place == shared]
        for shared in sorted(set(places))
    ]
