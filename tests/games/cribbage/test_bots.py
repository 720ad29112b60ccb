"""What the bots of Cribbage choose, and that the choice can be computed again."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spielwerk.cards import Card
from spielwerk.chance import HmacChance
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.bots import BOTS
from spielwerk.games.cribbage.bots.discards import best_mean, best_with_crib, hand_sum
from spielwerk.games.cribbage.bots.foresight import greedy, outlook, wary
from spielwerk.games.cribbage.bots.guessing import guesses, possible_cards
from spielwerk.games.cribbage.messages import Command, Discard, Go, Play
from spielwerk.games.cribbage.model import COUNT_VALUE, Cards, GoSaid, Laid, Phase
from spielwerk.games.cribbage.options import Options
from spielwerk.games.cribbage.views import View
from spielwerk.testing.chance import FixedChance
from spielwerk.testing.pairings import play_match

VECTORS = Path(__file__).parents[1] / "vectors" / "cribbage" / "discard.jsonl"
ROWS = [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]
STARTER = Card.parse("KS")


def cards(text: str) -> Cards:
    return tuple(map(Card.parse, text.split()))


def chance(number: int = 0) -> HmacChance:
    return HmacChance(hashlib.sha256(f"test {number}".encode()).digest(), "match")


def discarding(six: Cards, *, dealer: bool) -> tuple[View, list[Command]]:
    view = View(
        seat=0,
        options=Options(),
        phase=Phase.DISCARD,
        dealer=0 if dealer else 1,
        dealt=six,
        hand=six,
        hand_counts=(6, 6),
    )
    pairs = [(one, other) for place, one in enumerate(six) for other in six[place + 1 :]]
    return view, [Discard(pair) for pair in pairs]


def playing(
    hand: str, *, seq: str = "", away: str = "QD QH", goes: tuple[GoSaid, ...] = (), theirs: int = 4
) -> tuple[View, list[Command]]:
    """Seat 0 holds the hand; seat 1 has laid the sequence."""
    laid: list[Laid] = []
    for card in cards(seq):
        count = COUNT_VALUE[card.rank] + (laid[-1].count if laid else 0)
        laid.append(Laid(1, card, count))
    count = laid[-1].count if laid else 0
    view = View(
        seat=0,
        options=Options(),
        phase=Phase.PLAY,
        dealer=0,
        dealt=cards(f"{hand} {away}"),
        discards=cards(away),
        hand=cards(hand),
        hand_counts=(len(cards(hand)), theirs),
        starter=STARTER,
        played=tuple(laid),
        seq=tuple(laid),
        count=count,
        turn=0,
        goes=goes,
    )
    return view, [Play(card) for card in cards(hand) if count + COUNT_VALUE[card.rank] <= 31]


def worth(row: dict[str, Any], away: Cards, key: str) -> Any:
    """What the row says of a discard; equal discards are equally good."""
    names = {str(card) for card in away}
    return next(way[key] for way in row["discards"] if set(way["discard"]) == names)


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_mean_of_each_discard_is_exact(row: dict[str, Any]) -> None:
    six = cards(" ".join(row["six"]))
    sums = {
        tuple(way["discard"]): hand_sum([c for c in six if str(c) not in way["discard"]], six)
        for way in row["discards"]
    }
    assert sums == {tuple(way["discard"]): way["sum46"] for way in row["discards"]}


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_normal_keeps_the_best_mean_hand(row: dict[str, Any]) -> None:
    view, legal = discarding(cards(" ".join(row["six"])), dealer=True)
    choice = BOTS["normal"].choose(view, legal, FixedChance())
    assert isinstance(choice, Discard)
    assert {str(card) for card in choice.cards} in [set(pair) for pair in row["best_discards"]]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
@pytest.mark.parametrize(
    ("dealer", "named", "key"),
    [
        (True, "expert_dealer", "expert_own_crib"),
        (False, "expert_pone", "expert_opponent_crib"),
    ],
)
def test_expert_weighs_the_crib(row: dict[str, Any], dealer: bool, named: str, key: str) -> None:
    view, legal = discarding(cards(" ".join(row["six"])), dealer=dealer)
    choice = BOTS["expert"].choose(view, legal, FixedChance())
    assert isinstance(choice, Discard)
    assert worth(row, choice.cards, key) == worth(row, cards(" ".join(row[named])), key)


@pytest.mark.parametrize("strength", ["normal", "expert"])
def test_nobody_with_sense_gives_a_five_to_the_other_crib(strength: str) -> None:
    view, legal = discarding(cards("5C 5D 6H JS QH KD"), dealer=False)
    assert BOTS[strength].choose(view, legal, chance()) == Discard(cards("6H KD"))


def test_expert_lays_five_and_six_into_its_own_crib_where_normal_does_not() -> None:
    six = cards("5C 5D 6H JS QH KD")
    assert best_with_crib(six, own_crib=True) == cards("5C 6H")
    assert best_mean(six) == cards("6H KD")


def test_equal_discards_fall_by_canonical_order_however_the_hand_is_held() -> None:
    six = cards("KC KD KS 9H 9S 9D")  # three nines and a king are worth a nine and three kings
    assert best_mean(six) == best_mean(tuple(reversed(six))) == cards("9D 9H")


@pytest.mark.parametrize("strength", ["normal", "expert"])
@pytest.mark.parametrize("number", range(5))
def test_fifteen_for_two_is_taken(strength: str, number: int) -> None:
    view, legal = playing("7C 2D TH 4S", seq="8C")
    assert BOTS[strength].choose(view, legal, chance(number)) == Play(Card.parse("7C"))


def test_normal_plays_the_highest_of_cards_that_score_alike() -> None:
    view, legal = playing("2D 4S TS TC", seq="8C")
    assert BOTS["normal"].choose(view, legal, FixedChance()) == Play(Card.parse("TC"))


def test_expert_does_not_lead_a_five_where_normal_does() -> None:
    view, legal = playing("3C 3D 5H 5D")
    assert BOTS["normal"].choose(view, legal, chance()) == Play(Card.parse("5D"))
    choice = BOTS["expert"].choose(view, legal, chance())
    assert choice == Play(Card.parse("3C"))


def test_a_careless_beginner_plays_what_comes_to_hand() -> None:
    view, legal = playing("7C 2D TH 4S", seq="8C")
    drawn = FixedChance({"careless": True, "card": Card.parse("2D")})
    assert BOTS["beginner"].choose(view, legal, drawn) == Play(Card.parse("2D"))


def test_a_careful_beginner_takes_the_points() -> None:
    view, legal = playing("2D 4S 7C TH", seq="8C")
    drawn = FixedChance({"careless": False})
    assert BOTS["beginner"].choose(view, legal, drawn) == Play(Card.parse("7C"))


def test_a_careless_beginner_lays_any_two_away() -> None:
    view, legal = discarding(cards("5C 5D 6H JS QH KD"), dealer=False)
    drawn = FixedChance({"careless": True, "away": cards("KD 5C")})
    assert BOTS["beginner"].choose(view, legal, drawn) == Discard(cards("5C KD"))


def test_a_careful_beginner_keeps_what_counts_as_it_lies() -> None:
    view, legal = discarding(cards("5C 5D 6H JS QH KD"), dealer=False)
    drawn = FixedChance({"careless": False})
    choice = BOTS["beginner"].choose(view, legal, drawn)
    assert choice == Discard(cards("6H JS"))  # 5 5 Q K counts as much as 5 5 J K and 5 5 J Q


@pytest.mark.parametrize("strength", BOTS)
def test_a_bot_that_cannot_play_says_go(strength: str) -> None:
    view, _ = playing("KC", seq="TC TD 9C")
    assert BOTS[strength].choose(view, [Go()], FixedChance()) == Go()


@pytest.mark.parametrize("strength", BOTS)
def test_the_only_card_needs_no_draw(strength: str) -> None:
    view, legal = playing("KC 2D", seq="TC TD 9C")
    assert BOTS[strength].choose(view, legal, FixedChance()) == Play(Card.parse("2D"))


def test_a_seat_knows_its_six_the_starter_and_what_was_played() -> None:
    view, _ = playing("7C 2D TH 4S", seq="8C")
    hidden = possible_cards(view)
    assert len(hidden) == 52 - 6 - 1 - 1
    assert not {*view.dealt, STARTER, Card.parse("8C")} & set(hidden)


def test_every_go_of_the_opponent_excludes_the_cards_that_would_have_fitted() -> None:
    goes = (GoSaid(1, 24, 3), GoSaid(1, 28, 4), GoSaid(0, 22, 4))
    view, _ = playing("7C 2D", goes=goes, theirs=2)
    assert {COUNT_VALUE[card.rank] for card in possible_cards(view)} == {8, 9, 10}


def test_a_guess_is_a_hand_of_the_right_size_and_all_guesses_are_counted() -> None:
    view, _ = playing("7C 2D TH 4S", theirs=3)
    drawn = guesses(view, chance(), 60)
    assert drawn.total() == 60
    assert {len(hand) for hand in drawn} == {3}


@pytest.mark.parametrize(
    ("mine", "theirs", "played", "pip", "difference"),
    [
        pytest.param((10,), (), (), 10, 1, id="the last card is one point"),
        pytest.param((1,), (), (13, 12, 11), 1, 2, id="31 is two and no more"),
        pytest.param((10,), (5,), (), 10, -3, id="they make 15 with the last card"),
        pytest.param((4, 10), (10,), (13, 12), 10, 1 + 1, id="a go and the last card are mine"),
        pytest.param((1, 2), (10,), (13, 12), 1, -2 + 1, id="they make 31, I lead and am last"),
        pytest.param((2, 3), (10,), (13, 12, 4), 3, 3 + 1 - 1, id="I play on after their go"),
        pytest.param((3, 3), (), (9, 9), 3, 2 + 1, id="I pair myself when they are out"),
        pytest.param((1, 5), (10,), (13, 12, 11), 1, 2 + 2 + 1, id="nothing reaches over a reset"),
        pytest.param((5, 10), (10,), (), 10, -2 + 1, id="they pair my ten"),
        pytest.param((5, 10), (10,), (), 5, -2 + 2 + 1, id="I pair their ten"),
    ],
)
def test_the_rest_of_a_deal_is_counted_as_the_rules_do(
    mine: tuple[int, ...],
    theirs: tuple[int, ...],
    played: tuple[int, ...],
    pip: int,
    difference: int,
) -> None:
    assert outlook(mine, theirs, played, pip) == difference


def test_the_imagined_opponent_avoids_traps_that_normal_falls_into() -> None:
    assert (greedy((2, 5), ()), wary((2, 5), ())) == (5, 2)
    assert (greedy((3, 6), (13, 5)), wary((3, 6), (13, 5))) == (6, 3)


@pytest.mark.parametrize("strength", BOTS)
@pytest.mark.parametrize("options", [Options(target=61), Options(target=61, auto_go=False)])
def test_a_bot_gives_only_legal_commands(strength: str, options: Options) -> None:
    """A refused command would end the match with Illegal."""
    played = play_match(GAME, options, [BOTS[strength], BOTS["beginner"]], bytes(32), "m1")
    assert played.result.reason == "target_reached"


PRINTS_A_MATCH = """
from spielwerk.games.cribbage import GAME
from spielwerk.testing.pairings import play_match
bots = [GAME.bots["expert"], GAME.bots["beginner"]]
played = play_match(GAME, GAME.options(target=61), bots, bytes(32), "m1")
print([(decision.seat, decision.command) for decision in played.decisions])
"""


def test_the_same_seed_gives_the_same_choices_under_any_hash_seed() -> None:
    runs = {_output_of(PRINTS_A_MATCH, hash_seed) for hash_seed in ("0", "1", "4242")}
    assert len(runs) == 1
    assert "Discard" in runs.pop()


def test_another_seed_gives_other_choices() -> None:
    bots = [BOTS["expert"], BOTS["beginner"]]
    one, other = (
        play_match(GAME, Options(target=61), bots, bytes([seed]) * 32, "m1") for seed in (0, 1)
    )
    assert [d.command for d in one.decisions] != [d.command for d in other.decisions]


def _output_of(program: str, hash_seed: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout
