"""Command scripts of the vectors: accepted or refused, events, the status of every seat."""

from __future__ import annotations

from typing import Any

import pytest

from games.yatzee.scripted import Match, labels, rows
from spielwerk.games.yatzee.messages import Command, Enter, NextThrow, Roll
from spielwerk.games.yatzee.model import DICE, Row
from spielwerk.games.yatzee.options import Sync


def command_of(step: dict[str, Any]) -> Command:
    if step["cmd"] == "roll":
        return Roll()
    if step["cmd"] == "next_throw":
        return NextThrow(tuple(step["arg"]))
    assert step["cmd"] == "enter"
    known = step["arg"] in set(map(str, Row))
    return Enter(Row(step["arg"]) if known else step["arg"])


@pytest.mark.parametrize("script", rows("flow.jsonl"), ids=lambda script: script["id"])
def test_flow_vector(script: dict[str, Any]) -> None:
    match = Match(script["players"], sync=Sync(script["sync"]))
    for step in script["steps"]:
        seat = step["seat"]
        if step["expect"] == "ok":
            load(match, step)
            events = match.give(seat, command_of(step))
            assert [type(event).__name__ for event in events] == step["events"]
        else:
            assert match.refusal(seat, command_of(step)) == step["code"]
        assert match.statuses == step["status"]
        assert match.state.round == step["round"]
        if "dice_after" in step:
            assert list(match.state.places[seat].dice) == step["dice_after"]


def load(match: Match, step: dict[str, Any]) -> None:
    """Put the loose dice of the vector, in position order, where the draws will look for them."""
    throws = match.state.places[step["seat"]].own.throws
    held = throws[-1].hold if throws else ()
    loose = (position for position in range(DICE) if position not in held)
    dice = [0] * DICE
    for position, pips in zip(loose, step.get("rolled", ()), strict="rolled" in step):
        dice[position] = pips
    match.load(step["seat"], *[()] * len(throws), dice)


def test_the_loose_dice_are_drawn_by_their_position() -> None:
    match = Match().load(0, (1, 2, 3, 4, 5), (6, 6, 6, 6, 6))
    match.roll(0)
    match.hold(0, 1, 3)
    match.turn(1, Row.CHANCE)
    match.roll(0)

    assert match.state.places[0].dice == (6, 2, 6, 4, 6)
    assert labels(1, 0, 2, (6, 6))["die/1/0/2/1"] == 6
