"""Clauses 1 to 3: seats, options, cards and their orders."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from games.guandan.scripted import Match, after_deal, card, cards
from spielwerk.cards import Rank
from spielwerk.chance import HmacChance
from spielwerk.errors import BadOptions
from spielwerk.games.game import Context
from spielwerk.games.guandan import GAME
from spielwerk.games.guandan.cards import LEVELS, PACK, in_order, is_wild, strength, weakest_key
from spielwerk.games.guandan.combos import PAIR_RUNS, STRAIGHTS, TRIPLE_RUNS
from spielwerk.games.guandan.messages import DealStarted, LeaderDrawn, MatchStarted, NextDeal
from spielwerk.games.guandan.model import Phase, partner_of, team_of
from spielwerk.games.guandan.options import Options
from spielwerk.games.options import defaults


def test_1_1_four_seats_act_counter_clockwise() -> None:
    match = Match(leader=2).begin()
    turns = []
    for _ in range(4):
        turns.append(match.state.table.turn)
        match.expire(turns[-1] or 0)

    assert list(GAME.seats) == [4]
    assert turns == [2, 3, 0, 1]


def test_1_2_opposite_seats_are_partners() -> None:
    assert [team_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert [partner_of(seat) for seat in range(4)] == [2, 3, 0, 1]


def test_1_3_the_defaults_are_the_rules_of_the_source_page() -> None:
    assert Options() == Options(
        end_on_double=False,
        flush_run_as_straight=False,
        flush_wild_as_straight=True,
        wild_pair_any_rank=True,
        return_level_card=True,
        return_same_card=True,
        return_private=False,
        ace_declarer_only=False,
        ace_fail_limit=0,
        max_deals=0,
        move_seconds=60,
        return_seconds=30,
        pause_seconds=10,
    )


@pytest.mark.parametrize(("mode", "seconds"), [("queue", 60), ("room", 60), ("practice", 0)])
def test_1_3_in_practice_nobody_is_hurried(mode: str, seconds: int) -> None:
    assert defaults(Options, mode)["move_seconds"] == seconds


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("end_on_double", 1),
        ("ace_fail_limit", -1),
        ("ace_fail_limit", 10),
        ("max_deals", 101),
        ("move_seconds", 4),
        ("move_seconds", 601),
        ("return_seconds", True),
        ("pause_seconds", 121),
    ],
)
def test_1_3_values_outside_the_table_are_refused(name: str, value: Any) -> None:
    with pytest.raises(BadOptions) as refused:
        Options(**{name: value})
    assert refused.value.metadata["option"] == name


def test_2_1_two_packs_with_jokers_are_dealt_to_the_last_card() -> None:
    match = Match().begin()

    assert len(PACK) == 108
    assert set(Counter(PACK).values()) == {2}
    assert [len(hand) for hand in match.hands] == [27] * 4
    assert Counter(held for hand in match.hands for held in hand) == Counter(PACK)


def test_2_2_cards_are_dealt_one_by_one_from_the_shuffle_of_the_canonical_pack() -> None:
    chance = HmacChance(b"k" * 32, "m")
    events = GAME.start(GAME.setup(Options(), 4), Context(chance, lambda _: 0))
    deck = chance.shuffle("deal/1/1", PACK)

    dealt = next(event for event in events if isinstance(event, DealStarted))
    assert [holding.cards for holding in dealt.hands] == [deck[seat::4] for seat in range(4)]
    assert " ".join(map(str, PACK[:14])) == "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D"
    assert " ".join(map(str, PACK[51:55])) == "AS 2C 3C 4C"
    assert PACK[104:] == cards("BJ BJ RJ RJ")


def test_2_3_a_match_begins_at_2_without_tribute_and_the_leader_is_drawn() -> None:
    match = Match(leader=3).begin()

    assert [type(event) for event in match.events] == [MatchStarted, DealStarted, LeaderDrawn]
    assert match.told(MatchStarted) == [MatchStarted((Rank.TWO, Rank.TWO), ())]
    assert match.state.progress.level is Rank.TWO
    assert (match.state.phase, match.state.table.turn) == (Phase.PLAY, 3)


def test_2_4_a_later_deal_is_played_at_the_level_the_winners_reached() -> None:
    match = after_deal([0, 1, 2, 3], level="7", levels=("7", "J"))
    match.give(1, NextDeal())

    assert match.told(DealStarted)[-1].level is Rank.SEVEN
    assert match.state.progress.level is Rank.SEVEN


def test_2_4_only_the_hearts_of_the_level_are_wild() -> None:
    wild = {str(held) for held in PACK if is_wild(held, Rank.SEVEN)}

    assert wild == {"7H"}
    assert sum(is_wild(held, Rank.SEVEN) for held in PACK) == 2


def test_3_1_group_order_lifts_the_level_above_the_ace_and_knows_no_suits() -> None:
    names = "2D 3D 4D 6D 7D 8D 9D TD JD QD KD AD 5D BJ RJ"
    strengths = [strength(held, Rank.FIVE) for held in cards(names)]

    assert strengths == [2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
    assert strength(card("5H"), Rank.FIVE) == strength(card("5S"), Rank.FIVE)


def test_3_1_among_equals_the_wild_card_comes_last_and_suits_stand_in_order() -> None:
    level = sorted(cards("5S 5H 5D 5C AS"), key=lambda held: weakest_key(held, Rank.FIVE))

    assert level == list(cards("AS 5C 5D 5S 5H"))


def test_3_2_runs_lie_in_natural_order_between_a_low_and_a_high_ace() -> None:
    assert len(STRAIGHTS) == 10
    assert len(PAIR_RUNS) == 12
    assert len(TRIPLE_RUNS) == 13
    tops = [LEVELS[window.top].value for window in STRAIGHTS]
    assert "".join(tops) == "56789TJQKA"
    assert [LEVELS[kind].value for kind in STRAIGHTS[0].kinds] == list("A2345")


def test_hands_are_held_by_natural_rank() -> None:
    assert in_order(cards("RJ AS 2H TC 2C BJ")) == cards("2C 2H TC AS BJ RJ")
