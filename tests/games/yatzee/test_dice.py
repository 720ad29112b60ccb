"""Clause 8: every die is drawn for its place."""

from __future__ import annotations

import random

from games.yatzee.scripted import Match, drawn
from spielwerk.chance import HmacChance
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import DiceRolled
from spielwerk.games.yatzee.model import Row
from spielwerk.games.yatzee.options import Sync


def test_8_1_labels_name_round_seat_throw_and_position() -> None:
    match = Match()
    match.roll(1)
    match.hold(1, 0, 2, 4)
    match.turn(0, Row.CHANCE)
    match.roll(1)
    match.enter(1, Row.CHANCE)
    match.roll(0)

    assert drawn(match) == [
        *[f"die/1/1/1/{position}" for position in range(5)],
        *[f"die/1/0/1/{position}" for position in range(5)],
        "die/1/1/2/1",
        "die/1/1/2/3",
        *[f"die/2/0/1/{position}" for position in range(5)],
    ]


def test_8_1_no_die_is_drawn_twice() -> None:
    match = Match(5, sync=Sync.ROUND)
    rng = random.Random(8)
    while match.state.reason is None:
        seat = rng.choice(sorted(GAME.turns(match.state)))
        match.give(seat, rng.choice(GAME.legal(match.state, seat)))

    assert len(drawn(match)) == len(set(drawn(match)))


def test_8_2_neither_holds_nor_others_change_what_a_place_shows() -> None:
    chance = HmacChance(b"d" * 32, "match")
    one = Match(chance=chance, sync=Sync.ROUND)
    other = Match(3, chance=chance, sync=Sync.ROUND)
    other.turn(2, Row.CHANCE)
    other.turn(1, Row.CHANCE)
    for match, hold in ((one, ()), (other, (0, 1))):
        match.roll(0)
        match.hold(0, *hold)
        match.roll(0)

    rolls = [match.of(DiceRolled)[-1].dice for match in (one, other)]
    assert rolls[0][2:] == rolls[1][2:]
    first = [m.of(DiceRolled)[0 if m is one else 2].dice for m in (one, other)]
    assert first[0] == first[1]


def test_8_2_dice_are_drawn_only_when_they_are_thrown() -> None:
    match = Match()
    match.roll(0)
    match.hold(0)

    assert len(drawn(match)) == 5
