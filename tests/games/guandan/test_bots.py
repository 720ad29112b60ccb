"""What the bots of Guandan choose (clause 14), and that the choice can be computed again."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from games.guandan.scripted import Match, after_deal, cards, table, whole
from spielwerk.chance import HmacChance
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.bots import BOTS
from spielwerk.games.guandan.bots.guessing import guesses, known_cards, unseen
from spielwerk.games.guandan.bots.imagining import Laid, Table, play_out, worth
from spielwerk.games.guandan.bots.planning import (
    BOMB,
    PAIR,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    cost,
    plays_left,
    sort_out,
)
from spielwerk.games.guandan.cards import FACE_OF, PACK, Face
from spielwerk.games.guandan.messages import Command, NextDeal, Pass, Play, ReturnCard
from spielwerk.games.guandan.options import Options
from spielwerk.testing.chance import FixedChance
from spielwerk.testing.pairings import play_match

SEVEN = 5
"""The kind of the level in these tests."""


def chance(number: int = 0) -> HmacChance:
    return HmacChance(hashlib.sha256(f"test {number}".encode()).digest(), "match")


def choice(match: Match, strength: str, drawn: Any = None) -> Command:
    """What the bot does in the place of the seat that must act."""
    seat = min(GAME.turns(match.state))
    view, legal = GAME.view(match.state, seat), GAME.legal(match.state, seat)
    command = BOTS[strength].choose(view, legal, drawn or chance())
    assert command in legal
    return command


def laid(match: Match, strength: str, drawn: Any = None) -> str:
    """The cards of the choice, or `pass`."""
    command = choice(match, strength, drawn)
    return " ".join(map(str, command.cards)) if isinstance(command, Play) else "pass"


def faces(text: str) -> list[Face]:
    return [FACE_OF[card] for card in cards(text)]


def following(hand: str, top: str, *, by: int = 3, left: str = "KS " * 12) -> Match:
    """Seat 0 must answer the top combination, which seat `by` laid."""
    hands = [hand, "QS " * 12, "QS " * 12, "QS " * 12]
    hands[by] = f"{top} {left}"
    match = table(*hands, level="7", leader=by)
    match.play(top)
    while match.state.table.turn:
        match.play("")
    return match


def test_14_1_a_careless_beginner_plays_what_comes_to_hand() -> None:
    match = table("3S 3D KS", "4S", "5S", "6S")

    assert laid(match, "beginner", FixedChance({"careless": False})) == "3D"
    assert len({laid(match, "beginner", chance(n)) for n in range(40)}) > 2


def test_14_1_a_careless_beginner_may_pass_though_it_could_beat() -> None:
    match = following("4S 5S 6S", "3S")

    assert {laid(match, "beginner", chance(n)) for n in range(40)} == {"4S", "5S", "6S", "pass"}


@pytest.mark.parametrize(
    ("hand", "led"),
    [
        ("3S 4S 5S 5D 5C 6S 6D", "5C 5D 5S 6D 6S"),
        ("3S 4D 5C 6H 7H KS KS KD", "KD KS KS"),
        ("3S 3D 9S 9D", "3D 3S"),
        ("9S 9D 9C 9H 4S", "4S"),
        ("9S 9D 9C 9H", "9C 9D 9H 9S"),
    ],
)
def test_14_2_normal_leads_its_longest_natural_combination_the_lowest_first(
    hand: str, led: str
) -> None:
    assert laid(table(hand, "QS", "QS", "QS", level="7"), "normal") == led


def test_14_2_normal_follows_with_the_lowest_that_is_no_bomb() -> None:
    assert laid(following("4S 6S KS 9S 9D 9C 9H", "5S"), "normal") == "6S"


def test_14_2_normal_passes_on_its_partners_combination() -> None:
    assert laid(following("4S 6S KS", "5S", by=2), "normal") == "pass"


@pytest.mark.parametrize(("left", "answer"), [(11, "pass"), (10, "9C 9D 9H 9S")])
def test_14_2_normal_keeps_bombs_until_an_opponent_has_ten_cards(left: int, answer: str) -> None:
    match = following("3S 9S 9D 9C 9H", "AS AD", left="KS " * left)

    assert laid(match, "normal") == answer


def test_14_2_of_equal_plays_normal_takes_the_one_that_leaves_the_fewest() -> None:
    hand = "3S 3D 3C 4S 4D 5S 6D 7C 8H KS KD"
    assert laid(table(hand, "QS", "QS", "QS", level="9"), "normal") == "3C 3D 3S KD KS"
    pairs = laid(table("3S 3D 3C 4S 4D 4C 9S 9D", "QS", "QS", "QS", level="2"), "normal")
    assert pairs == "3C 3D 3S 4C 4D 4S"


def test_14_2_normal_returns_its_weakest_card() -> None:
    match = after_deal((0, 1, 2, 3), whole("RJ 3S", "AS", "4S", "AD"), level="9")
    match.give(0, NextDeal())

    assert choice(match, "normal") == GAME.legal(match.state, 0)[0]


def test_14_3_expert_ends_the_deal_when_it_can() -> None:
    match = following("RJ RJ BJ BJ", "AS AD")

    assert laid(match, "expert") == "BJ BJ RJ RJ"


def test_14_3_expert_does_not_lead_what_an_opponent_can_end_on() -> None:
    match = table("3S 4S 4D", "8S", "QS QD QC KS", "TS TD TC JS", level="7")

    assert laid(match, "expert") == "4D 4S"


def test_14_3_expert_returns_a_card_that_it_misses_least() -> None:
    hand = "3S 4S 5S 6S 7S 3D 3C JS"
    match = after_deal((0, 1, 2, 3), whole(hand, "AS", "4S", "AD"), level="9")
    match.give(0, NextDeal())
    command = choice(match, "expert")

    assert isinstance(command, ReturnCard)
    assert str(command.card) not in {"4S", "5S", "6S", "7S"}


@pytest.mark.parametrize("strength", BOTS)
def test_every_bot_starts_the_next_deal(strength: str) -> None:
    assert choice(after_deal((0, 2, 1, 3)), strength) == NextDeal()


def test_a_seat_knows_its_hand_what_was_laid_and_what_changed_hands_openly() -> None:
    match = after_deal((0, 2, 1, 3), whole("3S", "AS RJ", "4S", "AD"), level="9")
    match.give(0, NextDeal())
    match.give_all_back()
    match.expire(1)
    view = GAME.view(match.state, 3)
    hidden = unseen(view)

    assert hidden.total() == 108 - 27 - 1
    assert known_cards(view)[3] == []
    assert FACE_OF[cards("RJ")[0]] in known_cards(view)[0]
    assert known_cards(GAME.view(match.state, 0))[0] == []


def test_a_guess_deals_all_unseen_cards_and_respects_what_is_known() -> None:
    match = after_deal((0, 2, 1, 3), whole("3S", "AS RJ", "4S", "AD"), level="9")
    match.give(0, NextDeal())
    match.give_all_back()
    match.expire(1)
    view = GAME.view(match.state, 3)
    for hands in guesses(view, chance(), 5):
        assert tuple(map(len, hands)) == view.hand_counts
        assert FACE_OF[cards("RJ")[0]] in hands[0]
        everything = Counter(face for hand in hands for face in hand)
        laid_cards = [move.combination.cards for move in view.moves if move.combination]
        everything.update(FACE_OF[card] for some in laid_cards for card in some)
        assert everything == Counter(FACE_OF[card] for card in PACK)


def test_a_hand_is_sorted_into_runs_groups_and_bombs() -> None:
    groups = sort_out(faces("3S 4D 5C 6H 8S 7S KS KD KC QS QD 9S 9D 9C 9H"), SEVEN)

    assert groups[STRAIGHT] == [5]
    assert (groups[TRIPLE], groups[PAIR], groups[SINGLE]) == ([13], [12], [8])
    assert [value >> 10 for value in groups[BOMB]] == [1]
    assert plays_left(groups) == 4


def test_a_wild_card_makes_a_bomb_of_a_triple() -> None:
    without, with_wild = faces("3S 3D 3C"), faces("3S 3D 3C 7H")

    assert len(sort_out(with_wild, SEVEN)[BOMB]) == 1
    assert cost(sort_out(with_wild, SEVEN)) < cost(sort_out(without, SEVEN))


def test_an_imagined_deal_ends_with_four_places() -> None:
    hands = [faces("3S 4S"), faces("KS KD"), faces("5S 6S"), faces("8S 9S")]
    groups = [sort_out(hand, SEVEN) for hand in hands]
    order = play_out(Table(groups, [2, 2, 2, 2], 0, None, 0, 0, []))

    assert sorted(order) == [0, 1, 2, 3]


def test_an_imagined_wind_goes_to_the_partner() -> None:
    hands = [faces(""), faces("4S 5S"), faces("6S 8S"), faces("4D 5D")]
    groups = [sort_out(hand, SEVEN) for hand in hands]
    deal = Table(groups, [0, 2, 2, 2], 1, Laid(SINGLE, 17), 0, 0, [0])

    assert play_out(deal)[:2] == [0, 2]


def test_places_are_worth_more_the_further_the_team_rises() -> None:
    orders = [[0, 2, 1, 3], [0, 1, 2, 3], [0, 1, 3, 2], [1, 0, 2, 3]]

    assert [worth(order, 0) for order in orders] == [5, 4, 3, -3]


def deals() -> str:
    """A digest of a deal between bots of each strength."""
    played = [
        play_match(GAME, Options(max_deals=1), [bot] * 4, b"k" * 32, "m") for bot in BOTS.values()
    ]
    commands = [decision.command for match in played for decision in match.decisions]
    return hashlib.sha256(repr(commands).encode()).hexdigest()


def test_choices_are_the_same_under_every_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", "from games.guandan.test_bots import deals; print(deals())"],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "4242")
    }

    assert outputs == {deals()}


def test_passing_is_the_only_choice_without_a_beating_play() -> None:
    assert choice(following("3S", "RJ"), "expert") == Pass()
