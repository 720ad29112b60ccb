"""What the bots of Yatzee choose, and that the choice can be computed again (clause 9)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from games.yatzee.scripted import Match
from spielwerk.chance import HmacChance
from spielwerk.games.game import BotInformation
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.bots import BOTS
from spielwerk.games.yatzee.bots.policies import positions
from spielwerk.games.yatzee.messages import Command, Enter, NextThrow, Roll
from spielwerk.games.yatzee.model import Row
from spielwerk.games.yatzee.options import Options, Reveal, Sync, YatzeeBonus
from spielwerk.testing.chance import FixedChance
from spielwerk.testing.pairings import play_match

CHANCE = HmacChance(b"b" * 32, "bots")


def chosen(
    strength: str, match: Match, seat: int = 0, chance: FixedChance | HmacChance = CHANCE
) -> Command:
    offered = GAME.legal(match.state, seat)
    command = BOTS[strength].choose(GAME.view(match.state, seat), offered, chance)
    assert command in offered
    return command


def after(*dice: int, throws: int = 1, filled: tuple[Row, ...] = ()) -> Match:
    """Seat 0 has these dice after its first, second or third throw."""
    match = Match(sync=Sync.ROUND)
    for row in filled:
        match.play_round(row, (1, 1, 2, 4, 6))
    for _ in range(throws - 1):
        match.roll(0)
        match.hold(0)
    match.roll(0, *dice)
    return match


@pytest.mark.parametrize("strength", BOTS)
def test_whoever_has_the_cup_rolls(strength: str) -> None:
    assert chosen(strength, Match()) == Roll()


def test_9_1_a_careful_beginner_keeps_the_number_that_lies_most_often() -> None:
    careful = FixedChance({"careless": False})

    assert chosen("beginner", after(3, 5, 3, 5, 1), chance=careful) == NextThrow((1, 3))
    assert chosen("beginner", after(1, 2, 3, 4, 6), chance=careful) == NextThrow((4,))


def test_9_1_a_careless_beginner_keeps_anything() -> None:
    careless = FixedChance({"careless": True, "hold": NextThrow((0, 4))})

    assert chosen("beginner", after(6, 6, 6, 6, 1), chance=careless) == NextThrow((0, 4))


def test_9_1_a_beginner_enters_what_brings_most() -> None:
    assert chosen("beginner", after(2, 3, 4, 5, 6, throws=3)) == Enter(Row.LARGE_STRAIGHT)
    assert chosen("beginner", after(2, 2, 2, 2, 2)) == Enter(Row.YATZEE)


def test_9_2_normal_knows_that_chance_brings_much_on_average() -> None:
    """13 points are little for chance and much for fours."""
    assert chosen("normal", after(4, 4, 4, 1, 2, throws=3)) == Enter(Row.FOURS)


def test_9_2_normal_plays_for_what_is_open() -> None:
    others = tuple(row for row in Row if row is not Row.LARGE_STRAIGHT)

    assert chosen("normal", after(2, 3, 4, 5, 5, filled=others)) == NextThrow((0, 1, 2, 3))


@pytest.mark.parametrize("strength", ["normal", "expert"])
def test_9_2_a_made_hand_is_entered_at_once(strength: str) -> None:
    assert chosen(strength, after(2, 3, 4, 5, 6)) == Enter(Row.LARGE_STRAIGHT)
    assert chosen(strength, after(6, 6, 6, 6, 6)) == Enter(Row.YATZEE)


@pytest.mark.parametrize(
    ("dice", "throws", "best"),
    [
        pytest.param((1, 1, 2, 4, 6), 3, Enter(Row.ONES), id="ones are the row to waste"),
        pytest.param((6, 6, 6, 2, 2), 1, NextThrow((0, 1, 2)), id="no full house at once"),
        pytest.param((1, 2, 3, 4, 6), 1, NextThrow((0, 1, 2, 3)), id="towards the straight"),
        pytest.param((5, 5, 1, 2, 3), 2, NextThrow((0, 1)), id="a pair of fives"),
    ],
)
def test_9_3_the_expert_makes_the_known_best_moves(
    dice: tuple[int, ...], throws: int, best: Command
) -> None:
    assert chosen("expert", after(*dice, throws=throws)) == best


def test_9_3_the_expert_reaches_for_the_bonus() -> None:
    """Three fives for the bonus are worth more than their sum in three of a kind."""
    filled = (Row.ONES, Row.TWOS, Row.CHANCE)

    assert chosen("expert", after(5, 5, 5, 5, 1, throws=3, filled=filled)) == Enter(Row.FIVES)


def test_9_3_a_joker_is_played_by_its_points() -> None:
    match = Match(yatzee_bonus=YatzeeBonus.HASBRO)
    match.play_round(Row.YATZEE, (6, 6, 6, 6, 6))
    for row in Row:
        if row not in (Row.YATZEE, Row.FULL_HOUSE, Row.LARGE_STRAIGHT):
            match.play_round(row, (1, 1, 2, 4, 6))
    match.roll(0, 6, 6, 6, 6, 6)

    assert chosen("expert", match) == Enter(Row.LARGE_STRAIGHT)  # 40, and 100 extra


def test_9_4_of_equal_dice_the_first_ones_are_kept() -> None:
    assert positions((4, 6, 4, 6, 6), (4, 6, 6)) == (0, 1, 3)
    assert positions((1, 2, 3, 4, 5), ()) == ()


def test_9_4_bots_see_nothing_but_their_own_view() -> None:
    assert {bot.information for bot in BOTS.values()} == {BotInformation.OWN_VIEW}


@pytest.mark.parametrize("strength", BOTS)
@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(sync=Sync.ROUND, reveal=Reveal.LIVE, yatzee_bonus=YatzeeBonus.HASBRO),
        Options(full_house_five=True),
    ],
)
def test_a_bot_gives_only_legal_commands(strength: str, options: Options) -> None:
    """A refused command would end the match with Illegal."""
    bots = [BOTS[strength], BOTS["beginner"]]
    assert play_match(GAME, options, bots, bytes(32), "m1").result.reason == "all_rounds_played"


PRINTS_A_MATCH = """
from spielwerk.games.yatzee import GAME
from spielwerk.testing.pairings import play_match
bots = [GAME.bots[name] for name in ("expert", "normal", "beginner")]
played = play_match(GAME, GAME.options(), bots, bytes(32), "m1")
print([(decision.seat, decision.command) for decision in played.decisions])
"""


def test_9_4_the_same_seed_gives_the_same_choices_under_any_hash_seed() -> None:
    runs = {output_of(PRINTS_A_MATCH, hash_seed) for hash_seed in ("0", "4242")}

    assert len(runs) == 1
    assert "NextThrow" in runs.pop()


def output_of(program: str, hash_seed: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_9_3_the_table_is_read_at_first_use_and_needs_no_numpy() -> None:
    program = (
        "import sys\n"
        "from spielwerk.games.yatzee.bots.table import solitaire_table\n"
        "import spielwerk.games.registry\n"
        "assert solitaire_table.cache_info().currsize == 0\n"
        "solitaire_table()\n"
        "print('numpy' in sys.modules)"
    )

    assert output_of(program, "0").strip() == "False"
