"""Clause 6: the show."""

from __future__ import annotations

from typing import Any

import pytest

from games.cribbage.scripted import cards, kept, rows
from spielwerk.cards import Card, french_pack
from spielwerk.games.cribbage.counting import show
from spielwerk.games.cribbage.messages import HandCounted, Scored
from spielwerk.games.cribbage.model import Cards, Counted, ScoredFor, ShowPoints


def count(hand: str, starter: str, *, crib: bool = False) -> ShowPoints:
    return show(cards(hand), Card.parse(starter), crib=crib)


@pytest.mark.parametrize("row", rows("hand.jsonl"), ids=lambda row: row["id"])
def test_hand_vector(row: dict[str, Any]) -> None:
    hand, starter = cards(row["hand"]), Card.parse(row["starter"])

    points = show(hand, starter, crib=row["is_crib"])

    expected = {name: row[name] for name in ("fifteens", "pairs", "runs", "flush", "nobs", "total")}
    assert {name: getattr(points, name) for name in expected} == expected
    assert show(hand, starter, crib=row["is_crib"], crib_four=True).total == row["openspiel"]


@pytest.mark.parametrize("row", rows("discard.jsonl"), ids=lambda row: row["id"])
def test_discard_vector_sums_over_all_starters(row: dict[str, Any]) -> None:
    six = cards(row["six"])
    starters = [card for card in french_pack() if card not in six]
    sums: dict[Cards, int] = {}
    for discard in row["discards"]:
        away = cards(discard["discard"])
        hand = tuple(card for card in six if card not in away)
        sums[away] = sum(show(hand, starter).total for starter in starters)
        assert sums[away] == discard["sum46"]

    assert len(sums) == 15
    assert max(sums.values()) == row["best_sum46"]
    best = {away for away, total in sums.items() if total == row["best_sum46"]}
    assert best == {cards(away) for away in row["best_discards"]}


def test_6_1_the_non_dealer_counts_first_then_the_dealer_then_the_crib() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0)
    events = match.play("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")

    counted = [(event.seat, event.what) for event in events if isinstance(event, HandCounted)]

    assert counted == [(1, Counted.HAND), (0, Counted.HAND), (0, Counted.CRIB)]


def test_6_1_the_starter_is_the_fifth_card_of_each_count() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C")
    events = match.play("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")

    assert {str(event.starter) for event in events if isinstance(event, HandCounted)} == {"2C"}


def test_6_1_each_count_is_followed_by_its_scoring_even_if_it_is_worth_nothing() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C")
    events = match.play("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")

    places = [place for place, event in enumerate(events) if isinstance(event, HandCounted)]
    after = [events[place + 1] for place in places]

    assert len(places) == 3
    assert all(isinstance(event, Scored) for event in after)
    assert [e.why for e in after if isinstance(e, Scored)] == [
        ScoredFor.HAND,
        ScoredFor.HAND,
        ScoredFor.CRIB,
    ]


def test_6_2_every_combination_that_makes_fifteen_counts_two() -> None:
    assert count("5C 5D JH QS", "2C") == ShowPoints(fifteens=8, pairs=2)
    assert count("5C 5D JH QS", "KD") == ShowPoints(fifteens=12, pairs=2, runs=3)


def test_6_3_every_pair_counts_two() -> None:
    assert count("2C 2D 2H 9S", "KD").pairs == 6
    assert count("2C 2D 2H 2S", "KD").pairs == 12


def test_6_4_a_run_counts_its_length_once_for_every_way_to_pick_it() -> None:
    assert count("3C 4D 4H 5S", "9D") == ShowPoints(runs=6, pairs=2)
    assert count("3C 4D 4H 5S", "5D").runs == 12
    assert count("3C 3D 3H 4S", "5D").runs == 9
    assert count("AC 2D 3H 4S", "4D").runs == 8
    assert count("3C 4D 5H 6S", "7D").runs == 5


def test_6_4_a_run_does_not_go_around_from_king_to_ace() -> None:
    assert count("JC QD KH AS", "2C") == ShowPoints(runs=3, nobs=1)


def test_6_5_four_hand_cards_of_a_suit_are_a_flush_of_four_five_with_the_starter() -> None:
    assert count("6H 7H 8H 9H", "TC") == ShowPoints(fifteens=4, runs=5, flush=4)
    assert count("6H 7H 8H 9H", "TH").flush == 5


def test_6_5_in_the_crib_only_five_cards_of_a_suit_are_a_flush() -> None:
    assert count("6H 7H 8H 9H", "TC", crib=True).flush == 0
    assert count("6H 7H 8H 9H", "TH", crib=True).flush == 5


def test_6_5_three_hand_cards_and_the_starter_are_no_flush() -> None:
    assert count("2H 4H 6H 8D", "TH").total == 0


def test_6_6_the_jack_of_the_starters_suit_counts_one_in_hand_and_crib() -> None:
    assert count("JC 2D 4H 8S", "KC").nobs == 1
    assert count("JC 2D 4H 8S", "KC", crib=True).nobs == 1
    assert count("JC 2D 4H 8S", "KD").nobs == 0


def test_6_6_a_jack_as_starter_is_no_nobs() -> None:
    assert count("2H 2C 4D 6S", "JH") == ShowPoints(pairs=2)


def test_6_7_the_best_hand_is_worth_twenty_nine() -> None:
    assert count("5C 5D 5H JS", "5S") == ShowPoints(fifteens=16, pairs=12, nobs=1)
    assert count("5C 5D 5H JS", "5S").total == 29
