"""Clause 9: tribute and return."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from games.guandan.scripted import DEFAULTS, Match, after_deal, card, cards, return_of, whole
from spielwerk.cards import Rank
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.messages import (
    CardReturned,
    LeadAssigned,
    NextDeal,
    TributeCancelled,
    TributePaid,
)
from spielwerk.games.guandan.model import Phase, RedJokers
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.tribute import plan, returnable, strongest


def before_play(order: tuple[int, ...], *starts: str, level: str = "9", **options: Any) -> Match:
    """The next deal after one with these places, with whole hands that begin with these cards."""
    match = after_deal(order, whole(*starts), level=level, **options)
    match.give(0, NextDeal())
    return match


def paid(match: Match) -> list[str]:
    return [f"{e.from_seat}>{e.to_seat} {e.card}" for e in match.told(TributePaid)]


SPLIT = ("AS RJ", "KS KD", "QS QD", "AD RJ")
"""Red jokers at 0 and 3."""


def test_9_1_the_last_place_pays_the_first() -> None:
    assert paid(before_play((0, 1, 2, 3), *SPLIT)) == ["3>0 RJ"]


def test_9_1_partners_first_and_second_are_paid_by_both_others() -> None:
    match = before_play((0, 2, 1, 3), "RJ", "AS", "RJ", "AD BJ")

    assert paid(match) == ["1>2 AS", "3>0 BJ"]
    assert match.state.phase is Phase.RETURN


def test_9_1_the_last_place_pays_its_own_partner() -> None:
    match = before_play((0, 3, 1, 2), "3S", "AS", "RJ KD", "RJ")

    assert paid(match) == ["2>0 RJ"]
    match.give(0, return_of("3S"))
    assert match.told(LeadAssigned) == [LeadAssigned(2)]


def test_9_2_both_red_jokers_of_the_payer_cancel_the_tribute() -> None:
    match = before_play((0, 1, 2, 3), "AS", "KS", "QS", "RJ RJ")

    assert match.told(TributeCancelled) == [TributeCancelled((3,), (RedJokers(3, 2),), 0)]
    assert not match.told(TributePaid)
    assert (match.state.phase, match.state.table.turn) == (Phase.PLAY, 0)
    assert [len(hand) for hand in match.hands] == [27] * 4


@pytest.mark.parametrize("starts", [("AS", "RJ", "KS", "RJ"), ("AS", "RJ RJ", "KS", "QS")])
def test_9_2_two_payers_count_their_red_jokers_together(starts: tuple[str, ...]) -> None:
    match = before_play((0, 2, 3, 1), *starts)

    assert match.told(TributeCancelled)[0].payers == (1, 3)
    assert match.state.table.turn == 0


def test_9_2_red_jokers_of_seats_that_do_not_pay_change_nothing() -> None:
    match = before_play((0, 1, 2, 3), "AS", "RJ", "KS", "RJ")

    assert paid(match) == ["3>0 RJ"]


def test_9_3_the_strongest_card_is_paid_wild_cards_left_out() -> None:
    assert strongest(cards("9H 9H AS KS"), Rank.NINE) == cards("AS")
    assert strongest(cards("9H 9S AS"), Rank.NINE) == cards("9S")
    assert strongest(cards("9S BJ AS"), Rank.NINE) == cards("BJ")


def test_9_3_of_equal_faces_the_first_of_the_suits_is_paid() -> None:
    assert strongest(cards("AS AH AD KS"), Rank.NINE) == cards("AD AH AS")


def test_9_3_the_new_deals_level_counts() -> None:
    hands = [cards("3S"), cards("3D"), cards("3C"), cards("8S AS")]

    assert plan((0, 1, 2, 3), hands, Rank.EIGHT).transfers[0].card == card("8S")
    assert plan((0, 1, 2, 3), hands, Rank.FIVE).transfers[0].card == card("AS")


@pytest.mark.parametrize(
    ("order", "one", "other", "to_first"),
    [
        ((0, 2, 1, 3), "AS", "AD", 1),
        ((0, 2, 3, 1), "AS", "AD", 1),
        ((2, 0, 1, 3), "AS", "AD", 3),
        ((0, 2, 1, 3), "KS", "AD", 3),
        ((0, 2, 1, 3), "9S", "9C", 1),
    ],
)
def test_9_4_the_stronger_tribute_goes_to_the_first_equal_ones_in_turn(
    order: tuple[int, ...], one: str, other: str, to_first: int
) -> None:
    hands = [cards("3S"), cards(one), cards("3C"), cards(other)]
    found = plan(order, hands, Rank.NINE)

    receivers = {transfer.from_seat: transfer.to_seat for transfer in found.transfers}
    assert receivers[to_first] == order[0]
    assert receivers[4 - to_first] == order[1]
    assert found.leader == to_first


def test_9_5_receivers_hold_28_and_payers_26_until_cards_are_returned() -> None:
    match = before_play((0, 2, 1, 3), "RJ", "AS", "RJ", "AD BJ")

    assert [len(hand) for hand in match.hands] == [28, 26, 28, 26]
    assert set(GAME.turns(match.state)) == {0, 2}


def test_9_5_the_returns_are_independent_and_their_order_changes_nothing() -> None:
    states = []
    for seats in permutations((0, 2)):
        match = before_play((0, 2, 1, 3), "RJ 3S", "AS", "RJ 4S", "AD BJ")
        for seat in seats:
            match.give(seat, return_of("3S" if seat == 0 else "4S"))
        states.append(match.state)

    assert states[0] == states[1]
    assert [len(hand) for hand in states[0].table.hands] == [27] * 4


def test_9_5_a_natural_card_from_2_to_10_that_is_not_wild_goes_back() -> None:
    hand = cards("2S TD TH JS AS 9H 9S BJ RJ")

    assert returnable(hand, Rank.NINE, DEFAULTS) == cards("2S TD TH 9S")


def test_9_5_without_one_any_of_the_weakest_goes_back() -> None:
    assert returnable(cards("JS JD QS RJ 9H"), Rank.NINE, DEFAULTS) == cards("JD JS")
    assert returnable(cards("RJ RJ BJ"), Rank.NINE, DEFAULTS) == cards("BJ")


def test_9_5_a_card_goes_back_to_who_paid_it() -> None:
    match = before_play((0, 2, 1, 3), "RJ 3S", "AS", "RJ 4S", "AD BJ")
    (back,) = match.give(2, return_of("4S"))

    assert back == CardReturned(2, 1, card("4S"))
    assert match.state.phase is Phase.RETURN


def test_9_6_who_gets_the_firsts_return_leads_after_the_last_one() -> None:
    match = before_play((0, 2, 1, 3), "RJ 3S", "AS", "RJ 4S", "AD BJ")
    match.give(0, return_of("3S"))
    events = match.give(2, return_of("4S"))

    assert events[-1] == LeadAssigned(3)
    assert (match.state.phase, match.state.table.turn) == (Phase.PLAY, 3)


def test_9_7_a_level_card_is_not_returned_with_return_level_card_off() -> None:
    hand, options = cards("9S 9D TS"), Options(return_level_card=False)

    assert returnable(hand, Rank.NINE, options) == cards("TS")
    assert returnable(cards("9S KS"), Rank.NINE, options) == cards("KS")


def test_9_7_the_card_just_received_is_not_returned_with_return_same_card_off() -> None:
    options, received = Options(return_same_card=False), card("9S")

    assert returnable(cards("9S 3S"), Rank.NINE, options, received) == cards("3S")
    assert returnable(cards("9S KS"), Rank.NINE, options, received) == cards("KS")
    assert returnable(cards("9S 9S"), Rank.NINE, options, received) == cards("9S")
    assert returnable(cards("9S 3S"), Rank.NINE, DEFAULTS, received) == cards("3S 9S")
