"""Whole games of the vectors: throws, holds, rows, running sums, times, places."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from games.notation import from_plain
from games.yatzee.scripted import Match, labels, rows
from games.yatzee.test_row_vectors import by_place
from spielwerk.games.yatzee.messages import RoundEnded, RoundStarted, RowEntered
from spielwerk.games.yatzee.model import Row
from spielwerk.games.yatzee.options import Options, Sync


def given_dice(case: dict[str, Any]) -> dict[str, int]:
    return {
        label: pips
        for played in case["rounds"]
        for seat in played["seats"]
        for number, dice in enumerate(seat["throws"], start=1)
        for label, pips in labels(played["round"], seat["seat"], number, dice).items()
    }


CASES = rows("games.jsonl")


@pytest.mark.parametrize("sync", Sync)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_game_vector(case: dict[str, Any], sync: Sync) -> None:
    assert case["kind"] in ("full", "budget_exhausted")
    rules = replace(from_plain(Options, json.dumps(case["options"])), sync=sync)
    match = Match(case["players"], rules, dice=given_dice(case))
    for played in case["rounds"]:
        play(match, played, case.get("exhausted", {}))
        compare_round(match, played)

    finals = match.state.finals
    assert [final.total for final in finals] == case["score"]
    for name in ("used_ms", "time_bonus_milli", "final_milli"):
        assert [getattr(final, name) for final in finals] == case[name]
    assert by_place(tuple(final.place for final in finals)) == case["places"]
    for seat, sheet in enumerate(case["sheets"]):
        sums = match.sheet(seat).sums(match.options)
        assert {row.value: match.sheet(seat).of(row) for row in Row} == sheet
        assert (sums.upper, sums.bonus, sums.lower) == tuple(
            case[name][seat] for name in ("upper", "bonus", "lower")
        )


def play(match: Match, played: dict[str, Any], exhausted: dict[str, Any]) -> None:
    """One round, throw by throw; a seat's whole time is spent with its first throw."""
    assert match.state.round == played["round"]
    for number in range(3):
        for turn in played["seats"]:
            seat = turn["seat"]
            out_of_time = exhausted == {"seat": seat, "round": played["round"]}
            if match.state.places[seat].absent or number >= len(turn["throws"]):
                continue
            match.elapsed[seat] = 0 if number or out_of_time else turn["spent_ms"]
            match.roll(seat)
            assert list(match.state.places[seat].dice) == turn["throws"][number]
            match.elapsed[seat] = 0
            if out_of_time:
                match.expire(seat)
            elif number + 1 < len(turn["throws"]):
                match.hold(seat, *turn["holds"][number])
            else:
                match.enter(seat, Row(turn["row"]))


def compare_round(match: Match, played: dict[str, Any]) -> None:
    ended = match.of(RoundEnded)[-1]
    entered = entries(match, played["round"])
    assert ended.round == played["round"]
    for turn, shown, sums in zip(played["seats"], ended.seats, ended.sums, strict=True):
        assert (shown.row, shown.points, shown.struck) == (
            turn["row"],
            turn["points"],
            turn["struck"],
        )
        assert [list(throw.dice) for throw in shown.throws] == turn["throws"]
        holds = [list(throw.hold) for throw in shown.throws[:-1]]
        assert holds == turn["holds"]
        assert (sums.upper, sums.bonus, sums.total) == tuple(
            turn[name] for name in ("upper", "bonus", "total")
        )
        assert entered[turn["seat"]].auto == turn.get("auto", False)


def entries(match: Match, number: int) -> dict[int, RowEntered]:
    """The rows filled in a round, by seat."""
    found, at = {}, 0
    for event in match.of(RoundStarted, RowEntered):
        if isinstance(event, RoundStarted):
            at = event.round
        elif at == number:
            found[event.seat] = event
    return found
