"""Bugs that other programs of this game had, each with its concrete case."""

from __future__ import annotations

import pytest

from games.yatzee.scripted import Match, sheet_of
from spielwerk.chance import HmacChance
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.bots import BOTS
from spielwerk.games.yatzee.messages import DiceRolled, Enter, NextThrow, Roll
from spielwerk.games.yatzee.model import Dice, Row
from spielwerk.games.yatzee.scoring import row_points

CHANCE = HmacChance(b"p" * 32, "pitfalls")
PLANNING = ["normal", "expert"]


def choice(strength: str, match: Match) -> object:
    view = GAME.view(match.state, 0)
    return BOTS[strength].choose(view, GAME.legal(match.state, 0), CHANCE)


def only_open(*rows: Row) -> Match:
    """A match in which seat 0 has these rows left."""
    match = Match()
    for row in [row for row in Row if row not in rows]:
        match.play_round(row)
    return match


@pytest.mark.parametrize(
    ("row", "dice", "points"),
    [
        (Row.THREE_OF_A_KIND, (3, 3, 3, 5, 6), 20),
        (Row.FOUR_OF_A_KIND, (5, 5, 5, 5, 2), 22),
        (Row.THREE_OF_A_KIND, (5, 5, 5, 5, 5), 25),
    ],
)
def test_kinds_summed_only_their_equal_dice(row: Row, dice: Dice, points: int) -> None:
    assert row_points(row, dice) == points


@pytest.mark.parametrize(
    ("dice", "large"), [((1, 2, 3, 4, 6), 0), ((1, 3, 4, 5, 6), 0), ((2, 3, 4, 5, 6), 40)]
)
def test_the_small_straight_was_missed_when_the_odd_die_is_at_an_end(
    dice: Dice, large: int
) -> None:
    assert row_points(Row.SMALL_STRAIGHT, dice) == 30
    assert row_points(Row.LARGE_STRAIGHT, dice) == large


def test_a_duplicate_inside_hid_the_small_straight() -> None:
    assert row_points(Row.SMALL_STRAIGHT, (1, 2, 3, 3, 4)) == 30


@pytest.mark.parametrize("strength", PLANNING)
def test_bots_confused_all_free_with_all_held_and_never_threw_again(strength: str) -> None:
    match = Match()
    match.roll(0, 1, 2, 4, 6, 6)
    chosen = choice(strength, match)

    assert isinstance(chosen, NextThrow)
    match.give(0, chosen)
    match.turn(1, Row.CHANCE)
    before = match.state.places[0].dice
    match.roll(0)
    after = match.state.places[0].dice
    assert all(after[position] == before[position] for position in chosen.hold)
    assert len(match.of(DiceRolled)[-1].thrown) == 5 - len(chosen.hold) > 0


@pytest.mark.parametrize("strength", BOTS)
def test_a_bot_crashed_when_no_kept_set_fits_an_open_row(strength: str) -> None:
    match = only_open(Row.YATZEE)
    match.roll(0, 6, 1, 3, 1, 4)

    assert choice(strength, match) in GAME.legal(match.state, 0)
    if strength in PLANNING:
        assert choice(strength, match) == NextThrow((1, 3))  # the ones


def test_the_same_player_on_two_clients_threw_twice() -> None:
    match = Match()
    match.roll(0)

    assert match.refusal(0, Roll()) == "choose_first"
    assert len(match.of(DiceRolled)) == 1


def test_the_same_player_on_two_clients_entered_twice() -> None:
    match = Match()
    match.turn(0, Row.CHANCE)

    assert match.refusal(0, Enter(Row.ONES)) == "round_done"
    assert match.sheet(0) == sheet_of({"chance": match.sheet(0).of(Row.CHANCE) or 0})


def test_four_of_a_kind_was_the_four_dice_only() -> None:
    assert row_points(Row.FOUR_OF_A_KIND, (5, 5, 5, 5, 5)) == 25


def test_small_straights_of_four_were_unknown() -> None:
    assert row_points(Row.SMALL_STRAIGHT, (2, 3, 4, 5, 5)) == 30
