"""What programs of this game got wrong, each with the right outcome."""

from __future__ import annotations

from itertools import pairwise

import pytest

from games.guandan.scripted import DEFAULTS, Match, after_deal, cards, play, table, whole
from games.guandan.test_combos import chain, one, read
from games.guandan.test_levels import promoted
from games.guandan.test_tribute import before_play, paid
from spielwerk.cards import Rank
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.combos import readings
from spielwerk.games.guandan.ladder import beats
from spielwerk.games.guandan.messages import CardReturned, NextDeal, TributeCancelled, TributePaid
from spielwerk.games.guandan.model import Phase
from spielwerk.games.guandan.tribute import plan, returnable, strongest

WIND = ("3S", "4S 5S", "6S 7S", "8S 9S")


def test_a_trick_closed_one_pass_too_early_after_its_owner_had_finished() -> None:
    match = table(*WIND)
    match.plays("3S", "", "")

    assert match.state.table.top is not None
    assert match.state.table.turn == 3


def test_the_next_seat_led_after_a_finishers_trick_instead_of_the_partner() -> None:
    match = table(*WIND)
    match.plays("3S", "", "", "")

    assert match.state.table.turn == 2


@pytest.mark.parametrize(("levels", "level"), [("T5", "T"), ("J5", "J"), ("K5", "K")])
def test_a_match_was_over_when_a_level_was_reached(levels: str, level: str) -> None:
    assert promoted(levels, (0, 2, 1, 3), level).match_winner is None


@pytest.mark.parametrize(
    ("text", "level", "found"),
    [
        ("AS 2D 3C 4H 5S", "9", "straight 5"),
        ("2S 2D 3S 3D 4S 4D", "9", "pair_run 4"),
        ("3S 4D 5C 6H 7S 8S", "9", ""),
        ("3S 3D 3C 4S", "9", ""),
        ("3S 3D 3C 3H 3S 3D 3C", "9", "bomb 3"),
        ("4S 2H", "2", "pair 4"),
    ],
)
def test_low_runs_long_bombs_and_wild_cards_were_unknown(text: str, level: str, found: str) -> None:
    assert read(text, level) == found


def test_partners_first_and_second_rose_four_levels() -> None:
    assert promoted("22", (0, 2, 1, 3)).levels == (Rank.FIVE, Rank.TWO)


def test_a_full_house_refused_a_pair_of_jokers() -> None:
    assert [read("KS KD KC RJ RJ"), read("KS KD KC RJ BJ")] == ["full_house K", ""]


def test_a_deal_ended_when_one_team_was_out_and_the_other_places_were_never_played() -> None:
    match = table("KS", "4S 5S", "AS", "8S 9S")
    match.plays("KS", "", "AS", "", "")

    assert match.state.phase is Phase.PLAY
    assert match.state.table.turn == 3


def test_red_jokers_of_both_losers_cancelled_a_single_tribute() -> None:
    assert paid(before_play((0, 1, 2, 3), "AS", "RJ", "KS", "RJ")) == ["3>0 RJ"]


def test_the_last_place_led_after_a_cancelled_tribute() -> None:
    match = before_play((0, 1, 2, 3), "AS", "KD", "KS", "RJ RJ")

    assert match.told(TributeCancelled)
    assert match.state.table.turn == 0


def test_a_match_was_won_with_the_partner_last_or_in_a_deal_at_another_level() -> None:
    last = promoted("A5", (0, 1, 3, 2), "A")
    assert (last.match_winner, last.next_level) == (None, Rank.ACE)
    assert promoted("A5", (0, 2, 1, 3), "5").match_winner is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("BJ BJ", "pair BJ"),
        ("AS AD 2S 2D 3S 3D", "pair_run 3"),
        ("AS AD AC 2S 2D 2C", "triple_run 2"),
    ],
)
def test_joker_pairs_and_runs_from_the_ace_were_refused(text: str, found: str) -> None:
    assert read(text) == found


def test_any_jokers_together_were_the_top_bomb() -> None:
    assert [read("RJ BJ"), read("RJ RJ"), read("RJ RJ BJ"), read("RJ RJ BJ BJ")] == [
        "",
        "pair RJ",
        "",
        "joker_bomb RJ",
    ]


@pytest.mark.parametrize("level", ["3", "5"])
def test_level_cards_kept_their_raised_value_inside_runs(level: str) -> None:
    low, high = one("3S 4D 5C 6H 7S", level), one("4D 5D 6C 7H 8S", level)

    assert not beats(low, high, Rank(level))
    assert beats(high, low, Rank(level))


def test_the_third_place_paid_when_the_winners_partner_was_last() -> None:
    match = before_play((0, 1, 3, 2), "3S", "RJ", "AS", "RJ")

    assert paid(match) == ["2>0 AS"]
    match.give_all_back()
    assert match.state.table.turn == 2


def test_bombs_of_five_were_unknown_and_long_runs_accepted() -> None:
    assert read("3S 3D 3C 3H 3S") == "bomb 3"
    assert read("3S 4D 5C 6H 7S 8D") == ""


def test_two_aces_two_wild_cards_and_a_two_were_a_full_house_of_twos_only() -> None:
    text = "AS AH 5H 5H 2D"
    assert read(text, "5") == "full_house 2, full_house A"
    match = table(f"KS KH {'KH'} 2C 2D 3S", f"{text} 3S", "3S", "3S", level="5")
    match.play("KS KH KH 2C 2D")

    assert match.give(1, play(text, "full_house", "A"))


@pytest.mark.parametrize(
    ("text", "level", "found"),
    [
        ("5S 6D 7C 8H 9S", "6", "straight 9"),
        ("JS QD KC 9H 9H", "9", "straight K, straight A"),
    ],
)
def test_runs_were_looked_for_in_level_order_or_missed(text: str, level: str, found: str) -> None:
    assert read(text, level) == found


def test_triple_runs_from_the_low_to_the_high_ace_were_not_ordered() -> None:
    line = "A23456789TJQKA"
    runs = [" ".join(rank + suit for rank in two for suit in "SDC") for two in pairwise(line)]

    assert chain(*runs, level="6")


def test_the_cards_of_a_double_tribute_never_moved_and_nothing_was_returned() -> None:
    match = after_deal((0, 2, 1, 3), whole("3S", "AS", "4S", "AD"), level="9")
    match.give(1, NextDeal())
    match.give_all_back()

    assert len(match.told(TributePaid)) == len(match.told(CardReturned)) == 2
    assert [len(hand) for hand in match.hands] == [27] * 4
    assert match.state.phase is Phase.PLAY


def test_two_cards_two_wild_cards_and_one_joker_were_a_full_house() -> None:
    assert read("3S 3D 6H 6H BJ", "6") == ""


def test_a_full_house_of_the_level_was_compared_at_its_natural_rank() -> None:
    assert beats(one("2S 2D 2C 3S 3D", "2"), one("AS AD AC 3H 3C", "2"), Rank.TWO)


@pytest.mark.parametrize("name", ["RJ", "9H"])
def test_jokers_and_wild_cards_were_accepted_as_returns(name: str) -> None:
    hand = cards("3S 9H RJ")

    assert cards(name)[0] not in returnable(hand, Rank.NINE, DEFAULTS)


def test_a_joker_pair_with_a_wild_card_was_a_triple() -> None:
    assert read("RJ RJ 6H", "6") == ""
    assert read("6C 6D 6S RJ RJ", "6") == "full_house 6"


def test_the_joker_bomb_was_listed_with_the_cards_of_another_bomb() -> None:
    match = table("3S 3D 3C 3H RJ RJ BJ BJ", "3S", "4S", "5S")
    bombs = [c for c in GAME.legal(match.state, 0) if getattr(c, "main", None) == "RJ"]

    assert cards("BJ BJ RJ RJ") in [command.cards for command in bombs]  # type: ignore[union-attr]


def test_the_level_was_never_raised_and_twos_always_were() -> None:
    level = Rank.FIVE
    assert beats(one("5S", "5"), one("AS", "5"), level)
    assert beats(one("5S", "5"), one("2S", "5"), level)
    assert not beats(one("2S", "5"), one("AS", "5"), level)


def test_suits_broke_ties_and_a_straight_flush_lay_below_five_of_a_kind() -> None:
    level = Rank.NINE
    flush, high_flush = one("AS 2S 3S 4S 5S"), one("TS JS QS KS AS")
    assert not beats(one("7S"), one("7H"), level)
    assert beats(flush, one("AS AD AC AH AS"), level)
    assert beats(one("2S 2D 2C 2H 2S 2D"), high_flush, level)


def test_jokers_and_level_cards_were_never_paid_and_any_card_could_go_back() -> None:
    assert strongest(cards("RJ AS"), Rank.NINE) == cards("RJ")
    assert strongest(cards("9S AS"), Rank.NINE) == cards("9S")
    assert returnable(cards("3S JS AS"), Rank.NINE, DEFAULTS) == cards("3S")


def test_red_jokers_split_between_two_payers_did_not_cancel() -> None:
    hands = [cards("3S"), cards("RJ"), cards("4S"), cards("RJ")]

    assert plan((0, 2, 1, 3), hands, Rank.NINE).cancelled


def test_tribute_was_ranked_at_the_level_of_the_deal_before() -> None:
    match = after_deal((0, 1, 2, 3), whole("3S", "RJ", "RJ BJ BJ", "8S AS"), level="8")
    match.give(0, NextDeal())

    assert paid(match) == ["3>0 8S"]


def test_the_strongest_reading_was_not_found_where_a_greedy_search_stops_early() -> None:
    found = readings(cards("KS KD QS QD 9H 9H"), Rank.NINE, DEFAULTS)

    assert [f"{r.shape.value} {r.main.value}" for r in found] == [
        "pair_run K",
        "pair_run A",
        "triple_run K",
    ]


def test_a_match_waits_for_somebody_in_every_phase() -> None:
    match = Match().begin()
    while not match.state.progress.last_deal:
        match.expire(min(GAME.turns(match.state)))

    assert set(GAME.turns(match.state)) == {0, 1, 2, 3}
