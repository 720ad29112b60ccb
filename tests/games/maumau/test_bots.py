"""What the bots of Mau-Mau choose, and that the choice can be computed again."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from games.maumau.scripted import Match, card, table
from spielwerk.cards import Suit
from spielwerk.chance import Chance
from spielwerk.games.game import BotInformation, Resign
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.bots import BOTS
from spielwerk.games.maumau.messages import Announce, Command, Draw, Play
from spielwerk.games.maumau.options import FirstUpcard, Options
from spielwerk.testing.chance import FixedChance
from spielwerk.testing.pairings import play_match


def choice(strength: str, match: Match, chance: Chance | None = None) -> Command:
    seat = match.table.turn
    assert seat is not None
    legal = GAME.legal(match.state, seat)
    return BOTS[strength].choose(GAME.view(match.state, seat), legal, chance or FixedChance())


def played(name: str, wish: Suit | None = None) -> Play:
    return Play(card(name), wish)


def test_there_are_a_beginner_and_a_normal_bot_that_see_their_own_view() -> None:
    assert list(BOTS) == ["beginner", "normal"]
    assert {bot.information for bot in BOTS.values()} == {BotInformation.OWN_VIEW}


def test_normal_announces_whenever_it_may() -> None:
    assert choice("normal", table("2H KH", "9H 4S 3D 8C")) == Announce()


def test_normal_draws_rather_than_try_a_last_card_that_it_has_not_announced() -> None:
    assert choice("normal", table("KH", "9H 4S 3D")) == Draw()


def test_normal_lays_an_unannounced_last_card_where_nobody_announces() -> None:
    assert choice("normal", table("KH", "9H 4S 3D", announce=False)) == played("KH")


def test_normal_lays_its_announced_last_card() -> None:
    match = table("KH", "9H 4S 3D", more={"announced": (True, False)})

    assert choice("normal", match) == played("KH")


def test_normal_draws_when_nothing_fits() -> None:
    assert choice("normal", table("KS QS 9C", "9H 4S 3D")) == Draw()


@pytest.mark.parametrize("saved", ["JC", "X1"])
def test_normal_saves_its_jacks_and_jokers(saved: str) -> None:
    match = table(f"{saved} 2H 3C", "9H 4S")

    assert choice("normal", match) == played("2H")


def test_normal_lays_a_jack_when_nothing_else_fits_and_wishes_its_longest_suit() -> None:
    match = table("JC 2S KS 9C", "9H 4S 3D 4C", up="5H")

    assert choice("normal", match) == played("JC", Suit.SPADES)


def test_of_equally_long_suits_normal_wishes_the_dearest() -> None:
    match = table("JC 2S KD", "9H 4S 3D 4C", up="5H")

    assert choice("normal", match) == played("JC", Suit.DIAMONDS)


def test_normal_punishes_a_short_hand_with_a_seven_and_keeps_it_otherwise() -> None:
    hand = "7H 9H 2C 3C"

    assert choice("normal", table(hand, "9S 4S")) == played("7H")
    assert choice("normal", table(hand, "9S 4S 3D 4C 8C")) == played("9H")


def test_normal_makes_a_short_hand_sit_out() -> None:
    hands = ("2C 4D 6D 8D", "3C 3D 3S 6S")
    short = table("AH TH 9C 3H", "9S 4S", *hands)

    assert choice("normal", short) == played("AH")


def test_normal_turns_the_direction_away_from_a_short_hand() -> None:
    match = table("TH QH 9C 2S", "9S", "2C 4D 6D 8D", "3C 3D 3S 4S")

    assert choice("normal", match) == played("TH")


def test_normal_answers_a_seven_with_a_seven() -> None:
    match = table("7C 9H 2C 3C", "9S 4S 8C", up="7H", more={"pending": 2})

    assert choice("normal", match) == played("7C")


def test_normal_lays_an_eight_when_another_card_follows() -> None:
    assert choice("normal", table("8H 9H KH 2C", "9S 4S 3D 4C")) == played("8H")
    assert choice("normal", table("8H 5C 2S KD", "9S 4S 3D 4C")) == played("5C")


def test_normal_wins_with_an_eight_before_its_announced_last_card() -> None:
    match = table("8H KH", "9S 4S 3D 4C")
    assert match.give(0, choice("normal", match))
    assert choice("normal", match) == played("8H")


def test_normal_counts_no_seat_that_has_left() -> None:
    match = table("7H 9H 2C 3C", "9S 4S", "2D 4D 6D 8D")
    match.give(1, Resign())

    assert choice("normal", match) == played("9H")


@pytest.mark.parametrize("remembers", [True, False])
def test_a_beginner_forgets_the_announcement_now_and_then(remembers: bool) -> None:
    drawn = FixedChance({"remember": remembers, "card": card("2H"), "wish": played("2H")})
    expected = Announce() if remembers else played("2H")

    assert choice("beginner", table("2H KH", "9H 4S 3D"), drawn) == expected


def test_a_beginner_lays_what_comes_to_hand() -> None:
    wished = played("JC", Suit.HEARTS)
    drawn = FixedChance({"card": card("JC"), "wish": wished})

    assert choice("beginner", table("JC 2H 9H", "9S 4S 3D"), drawn) == wished


def test_a_beginner_draws_when_nothing_fits() -> None:
    assert choice("beginner", table("KS QS 9C", "9H 4S 3D")) == Draw()


@pytest.mark.parametrize("strength", BOTS)
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"announce": False, "voluntary_draw": False, "jokers": 4},
        {"voluntary_draw": False, "hand_size": 1, "games": 3},
        {"hand_size": 12, "jokers": 0, "first_upcard": FirstUpcard.EFFECT},
    ],
    ids=str,
)
def test_a_bot_gives_only_legal_commands(
    strength: str, seats: int, options: dict[str, Any]
) -> None:
    """A refused command would end the match with Illegal."""
    bots = [BOTS[strength], BOTS["beginner"], BOTS["normal"], BOTS["beginner"]][:seats]
    for seed in range(3):
        done = play_match(GAME, Options(**options), bots, bytes([seed]) * 32, "m1")
        assert done.result.reason in ("maumau", "blocked", "turn_limit")


PRINTS_A_MATCH = """
from spielwerk.games.maumau import GAME
from spielwerk.testing.pairings import play_match
bots = [GAME.bots["normal"], GAME.bots["beginner"]]
played = play_match(GAME, GAME.options(games=3), bots, bytes(32), "m1")
print([(decision.seat, decision.command) for decision in played.decisions])
"""


def test_the_same_seed_gives_the_same_choices_under_any_hash_seed() -> None:
    runs = {_output_of(PRINTS_A_MATCH, hash_seed) for hash_seed in ("0", "1", "4242")}
    assert len(runs) == 1
    assert "Announce" in runs.pop()


def test_another_seed_gives_other_choices() -> None:
    bots = [BOTS["normal"], BOTS["beginner"]]
    one, other = (play_match(GAME, Options(), bots, bytes([seed]) * 32, "m1") for seed in (0, 1))
    assert [d.command for d in one.decisions] != [d.command for d in other.decisions]


def _output_of(program: str, hash_seed: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout
