"""Clause 9: what the seven strengths choose, and that the choice can be computed again."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from games.quartett.scripted import SAMPLE, Match, mini, table
from spielwerk.chance import HmacChance
from spielwerk.games.game import BotInformation
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.bots import BOTS, CHOICE_SETS
from spielwerk.games.quartett.bots.memory import suspects
from spielwerk.games.quartett.bots.ranking import ranking
from spielwerk.games.quartett.messages import Choose
from spielwerk.games.quartett.options import Options
from spielwerk.testing.chance import FixedChance
from spielwerk.testing.pairings import Pairing, compare, play_match

STRENGTHS = ("random", "rank4", "rank2", "rank1", "memory4", "memory2", "oracle")


def suspected(match: Match) -> set[str]:
    """Whom the remembering bot at the chooser's seat suspects."""
    assert match.state.turn is not None
    return {card.id for card in suspects(GAME.view(match.state, match.state.turn))}


def choice_set(strength: str, match: Match) -> tuple[str, ...]:
    assert match.state.turn is not None
    view = GAME.view(match.state, match.state.turn)
    return CHOICE_SETS[strength](match.state if strength == "oracle" else view)


def test_9_1_there_are_the_seven_strengths_of_the_source_page_in_its_order() -> None:
    assert tuple(BOTS) == STRENGTHS
    assert [bot.name for bot in BOTS.values()] == [
        "Backfischmädel",
        "Furzknoten",
        "Gerontenheintje",
        "Trotz Auto solo",
        "Speckbulette",
        "5 Eier Deluxe",
        "Königsübung",
    ]
    assert GAME.usual_bot == "rank1"


def test_9_2_the_ranking_counts_better_then_equal_suspects_then_the_deck_then_the_order() -> None:
    deck = mini("a 5/5 b 6/6 c 5/4 d 5/9 e 1/9 f 1/9")
    card, by_id = deck.card("a"), deck.card

    def order(*ids: str) -> tuple[str, ...]:
        return ranking(deck, card, ("hi", "lo"), [by_id(item) for item in ids])

    assert order("b") == ("lo", "hi")  # b is better in hi only
    assert order("e", "d") == ("lo", "hi")  # d is equal in hi
    assert order("e") == ("lo", "hi")  # neither; of all cards one beats each, two equal hi
    equal = mini("a 5/5 b 6/4 c 4/6 d 4/6")
    assert ranking(equal, equal.card("a"), ("hi", "lo"), [equal.card("c")]) == ("hi", "lo")


@pytest.mark.parametrize("strength", ["rank4", "memory4"])
def test_9_2_with_fewer_categories_than_four_all_are_drawn_from(strength: str) -> None:
    assert set(choice_set(strength, table("abc def"))) == {"hi", "lo"}


@pytest.mark.parametrize("strength", STRENGTHS)
def test_9_2_a_forbidden_category_is_in_nobodys_set(strength: str) -> None:
    rest = sorted(set(SAMPLE.card_ids) - {"H4"})
    match = Match(Options()).at((["H4", *rest[:15]], rest[15:]))

    chosen = choice_set(strength, match)
    assert chosen
    assert not {"clip_length", "performer_presence"} & set(chosen)


def test_9_3_before_the_first_duel_all_other_cards_are_suspects() -> None:
    assert suspected(table("abc def")) == set("bcdef")


def test_9_3_a_card_is_known_by_its_place_after_a_pass_through_the_stack() -> None:
    """a and d went under the stack of seat 0 in round 1; in round 4 seat 1 knows that a is on
    top."""
    deck = mini("a 9/5 b 3/5 c 3/6 d 4/7 e 9/4 f 8/1")
    match = table("abc def", deck=deck)
    match.choose("hi")  # a d under seat 0: b c a d | e f
    match.choose("hi")  # e wins: c a d | f e b
    match.choose("hi")  # f wins: a d | e b f c
    assert match.state.turn == 1
    assert match.state.round == 4

    assert suspected(match) == {"a"}
    assert choice_set("memory2", match)[0] == "lo"  # 9 = 9, and 4 beats 5


def test_9_3_cards_won_from_the_pot_are_known_too() -> None:
    match = table("abc edf")
    match.choose("hi", "hi")  # c b d a e | f
    match.at(("cbdae", "f"), first=1)
    assert suspected(match) == {"c"}
    match.choose("lo")  # 4 loses to 3
    assert match.state.counts == (6, 0)


def test_9_3_an_unseen_card_is_none_of_the_revealed_and_not_the_own_top() -> None:
    match = table("abc def")
    match.choose("hi")

    assert suspected(match) == set("cef")  # a and d were shown, b is the own card


def test_9_3_nothing_is_remembered_of_the_game_before() -> None:
    match = table("a d", pot="bcef", games=2)
    match.choose("hi")

    assert len(suspected(match)) == 5


def test_9_4_only_the_oracle_is_declared_to_know_everything() -> None:
    knowing = [s for s, b in BOTS.items() if b.information is BotInformation.EVERYTHING]

    assert knowing == ["oracle"]


def test_9_4_the_oracle_names_the_category_that_beats_the_hidden_card() -> None:
    match = table("bac edf")  # 5/5 against 9/7
    assert choice_set("oracle", match) == ("lo",)
    match.at(("fac", "bed"))  # 8/4 against 5/5
    assert choice_set("oracle", match) == ("hi",)
    match.at(("bac", "def"))  # both beat 4/7; no other card equals 5 in lo, one does in hi
    assert choice_set("oracle", match) == ("lo",)


@pytest.mark.parametrize("strength", [name for name in STRENGTHS if name != "oracle"])
def test_9_4_no_other_strength_changes_with_the_hidden_cards(strength: str) -> None:
    one, other = table("bac edf"), table("bca fed")

    assert choice_set(strength, one) == choice_set(strength, other)


def test_9_5_a_draw_belongs_to_its_round_and_a_single_choice_needs_none() -> None:
    match = table("abc def")
    view, legal = GAME.view(match.state, 0), GAME.legal(match.state, 0)
    chance = FixedChance({"bot/1": Choose("lo")})

    assert BOTS["random"].choose(view, legal, chance) == Choose("lo")
    assert chance.drawn == ["bot/1"]
    assert BOTS["rank1"].choose(view, legal, FixedChance()) == Choose("hi")


@pytest.mark.parametrize("strength", ["random", "rank4", "rank2", "memory4", "memory2"])
def test_9_5_every_member_of_the_set_is_drawn_and_nothing_else(strength: str) -> None:
    match = Match(Options())
    view, legal = GAME.view(match.state, 0), GAME.legal(match.state, 0)
    drawn = {
        BOTS[strength].choose(view, legal, HmacChance(bytes([number] * 32), "m"))
        for number in range(100)
    }

    assert drawn == {Choose(category) for category in choice_set(strength, match)}


PRINTS_A_MATCH = """
from spielwerk.games.quartett import GAME
from spielwerk.testing.pairings import play_match
bots = [GAME.bots["memory4"], GAME.bots["rank2"]]
played = play_match(GAME, GAME.options(), bots, bytes(32), "m1")
print([(decision.seat, decision.command) for decision in played.decisions])
"""


def test_9_5_the_same_seed_gives_the_same_choices_under_any_hash_seed() -> None:
    runs = {_output_of(PRINTS_A_MATCH, hash_seed) for hash_seed in ("0", "1", "4242")}

    assert len(runs) == 1
    assert "Choose" in runs.pop()


def _output_of(program: str, hash_seed: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("deck_id", ["channel-nil", "nirgendbruecken"])
@pytest.mark.parametrize("strength", STRENGTHS)
def test_9_a_bot_plays_any_deck_to_the_end(strength: str, deck_id: str) -> None:
    """A refused command would end the match with Illegal."""
    options: Any = Options(deck_id=deck_id, max_rounds=200)
    played = play_match(GAME, options, [BOTS[strength], BOTS["rank1"]], bytes(32), "m1")

    assert played.result.reason in ("no_cards", "round_limit")


@pytest.mark.parametrize(
    ("strength", "least", "most"),
    [
        ("random", 0.0, 0.1),
        ("rank4", 0.0, 0.15),
        ("memory2", 0.7, 1.0),
        ("oracle", 0.9, 1.0),
    ],
)
def test_9_6_a_small_tournament_against_rank1(strength: str, least: float, most: float) -> None:
    comparison = compare(Pairing("quartett", strength, "rank1"), 40, 7)

    assert least <= comparison.share <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strength", "share"),
    [
        ("random", 0.0),
        ("rank4", 0.02),
        ("rank2", 0.22),
        ("memory4", 0.17),
        ("memory2", 0.88),
        ("oracle", 0.985),
    ],
)
def test_9_6_the_shares_of_wins_against_rank1(strength: str, share: float) -> None:
    comparison = compare(Pairing("quartett", strength, "rank1"), 600, 11)

    assert abs(comparison.share - share) < 0.06
