"""All hands there are, and all short sequences of the play, against published counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod
from typing import Any

import pytest

from games.cribbage.scripted import VECTORS
from spielwerk.cards import Card, Rank, Suit, french_pack
from spielwerk.games.cribbage.counting import show
from spielwerk.games.cribbage.model import Cards
from spielwerk.games.cribbage.pegging import play_points

FACTS: dict[str, Any] = json.loads((VECTORS / "whole_space_facts.json").read_text())["cribbage"]
CLUBS = Suit.CLUBS


JACK = Card(Rank.JACK, CLUBS)

Kind = tuple[str, bool]
"""Flush ("none", "hand" or "all five") and whether the jack of clubs is in the hand."""


def kind_of(hand: Cards) -> Kind:
    suits = {card.suit for card in hand}
    flush = "none" if len(suits) > 1 else "all five" if suits == {CLUBS} else "hand"
    return flush, JACK in hand


def sizes(held: Counter[Rank], starter: Rank) -> dict[Kind, int]:
    """How many hands of these ranks are of each kind when the starter is of clubs."""
    everything = prod(comb(4 - (rank is starter), number) for rank, number in held.items())
    with_jack = 0
    if held[Rank.JACK] and starter is not Rank.JACK:
        others = [comb(4 - (r is starter), n) for r, n in held.items() if r is not Rank.JACK]
        with_jack = comb(3, held[Rank.JACK] - 1) * prod(others)
    distinct = len(held) == 4
    all_five = int(distinct and not held[starter])
    jack_flush = int(all_five and held[Rank.JACK] > 0)
    found: dict[Kind, int] = {
        ("hand", False): 3 * distinct,
        ("all five", bool(jack_flush)): all_five,
        ("none", True): with_jack - jack_flush,
    }
    found["none", False] = everything - sum(found.values())
    return {kind: number for kind, number in found.items() if number}


def examples(held: Counter[Rank], starter: Rank, wanted: set[Kind]) -> Iterator[tuple[Kind, Cards]]:
    """One hand of each wanted kind."""
    missing = set(wanted)
    free = {rank: [s for s in Suit if (rank, s) != (starter, CLUBS)] for rank in held}
    choices = [
        [tuple(Card(rank, suit) for suit in suits) for suits in combinations(free[rank], number)]
        for rank, number in held.items()
    ]
    for parts in product(*choices):
        hand = tuple(card for part in parts for card in part)
        if (kind := kind_of(hand)) in missing:
            missing.remove(kind)
            yield kind, hand
            if not missing:
                return
    assert not missing


def histogram(*, crib: bool) -> list[int]:
    """How many of all hands with a starter are worth 0 to 29 points."""
    found = [0] * 30
    for starter, ranks in product(Rank, combinations_with_replacement(Rank, 4)):
        held = Counter(ranks)
        if held[starter] == 4:
            continue
        numbers = sizes(held, starter)
        for kind, hand in examples(held, starter, set(numbers)):
            points = show(hand, Card(starter, CLUBS), crib=crib).total
            found[points] += 4 * numbers[kind]  # as many with a starter of each other suit
    return found


def test_all_hands_are_worth_what_is_published() -> None:
    found = histogram(crib=False)

    assert found == FACTS["hand_score_counts_0_to_29"]
    assert sum(found) == FACTS["hands_4_plus_starter"] == 12_994_800
    assert sum(p * n for p, n in enumerate(found)) == FACTS["hand_points_sum"]
    assert round(FACTS["hand_points_sum"] / sum(found), 4) == round(FACTS["hand_mean"], 4)
    assert [points for points, n in enumerate(found) if not n] == FACTS["impossible_scores"]


def test_all_cribs_are_worth_what_is_published() -> None:
    found = histogram(crib=True)

    assert found == FACTS["crib_rule_score_counts_0_to_29"]
    assert sum(p * n for p, n in enumerate(found)) == FACTS["crib_rule_points_sum"]
    assert round(FACTS["crib_rule_points_sum"] / sum(found), 4) == round(FACTS["crib_rule_mean"], 4)


@pytest.mark.slow
def test_every_single_hand_counted_one_by_one() -> None:
    found = [0] * 30
    for starter in (Card(rank, CLUBS) for rank in Rank):
        rest = [card for card in french_pack() if card != starter]
        for hand in combinations(rest, 4):
            found[show(hand, starter).total] += 4

    assert found == FACTS["hand_score_counts_0_to_29"]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_all_short_sequences_of_the_play_score_what_is_published(length: int) -> None:
    found: Counter[int] = Counter()
    for pips in product(range(1, 14), repeat=length):
        count = sum(min(pip, 10) for pip in pips)
        if count <= 31 and all(pips.count(pip) <= 4 for pip in set(pips)):
            points = play_points(pips, count)
            found[points.total] += 1

    facts = FACTS["pegging_rank_sequences"][str(length)]
    assert sum(found.values()) == facts["sequences"]
    assert {str(p): n for p, n in found.items()} == facts["points_of_last_card"]
