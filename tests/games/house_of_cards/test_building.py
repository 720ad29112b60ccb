"""Cards, places, roofs and floors (clauses 2 to 4)."""

from __future__ import annotations

from collections import Counter

import pytest

from games.house_of_cards.scripted import Match, card
from spielwerk.cards import Card, Joker
from spielwerk.errors import Illegal, Refused
from spielwerk.games.game import Resign
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.building import FLOOR_PLACES, ROOF_PLACES, match, roof_value
from spielwerk.games.house_of_cards.messages import Finish, Floor, GameEnded, Replace, Roof
from spielwerk.games.house_of_cards.model import STOCK_ORDER, BuiltRoof, EndReason, LaidFloor

TWENTY_AND_TEN = "QH JH 2C KC KH 4S 6S 5D 5C 7H 8S 9D 2S"
TWENTY_AND_THIRTEEN = "QH JH 2C 9D 4D 6S 7S 5D AD 2D 3D 8S 2S"


def bridged(stock: str) -> Match:
    """Slots 0 and 1 twice as roofs (1, 0) and (1, 1), slot 2 as the floor on them."""
    game = Match(stock)
    game.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2")
    return game


def test_2_1_every_suited_card_is_there_twice_and_two_jokers() -> None:
    counts = Counter(STOCK_ORDER)

    assert len(STOCK_ORDER) == 106
    assert {counts[item] for item in counts if isinstance(item, Card)} == {2}
    assert sum(isinstance(item, Joker) for item in STOCK_ORDER) == 2


def test_2_2_the_canonical_order_is_twice_the_suits_then_the_jokers() -> None:
    names = [str(item) for item in STOCK_ORDER]

    assert " ".join(names[:14]) == "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2S"
    assert names[25:40:13] == ["AS", "AH"]
    assert names[51:53] == ["AD", "2C"]
    assert names[:52] == names[52:104]
    assert names[104:] == ["BJ", "RJ"]


def test_2_3_there_are_21_places_for_roofs() -> None:
    assert len(ROOF_PLACES) == 21
    assert [place for place in ROOF_PLACES if place[0] > 4] == [(5, 0), (5, 1), (6, 0)]


def test_2_4_a_floor_carries_the_roof_of_its_own_index() -> None:
    game = Match("KS KD 2C QH QD JH JD 3C 4C 5C 6C 7C")
    game.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2")

    assert len(FLOOR_PLACES) == 15
    assert all((storey + 1, index) in ROOF_PLACES for storey, index in FLOOR_PLACES)
    assert game.refused("roof 2 1 3 4") == "no_floor"
    game.do("roof 2 0 3 4")


def test_2_5_a_floor_falls_with_the_storey_it_carries() -> None:
    game = bridged("QH JH 2C 9D 4D 6S 7S 5D AD 2D 3D 8S XX 5H 7C")
    game.do("roof 2 0 3 4", "replace")

    assert game.site.house.floors == ()
    assert len(game.site.house.roofs) == 2


def test_2_6_the_forty_two_best_cards_make_the_greatest_house() -> None:
    cards = [item for item in STOCK_ORDER if isinstance(item, Card)]
    alone = sorted([(roof_value((one, one), None) or 0) // 2 for one in cards], reverse=True)

    assert sum(alone[:42]) == 426
    assert 426 + 2 * (106 - 42 - 15) == 524


def test_3_1_each_seat_of_a_duel_draws_the_same_cards() -> None:
    game = Match("2C 3D 4S 5H 6C 7D 8S 9H", seats=2)
    game.do("replace", seat=1)
    game.do("replace", seat=0)

    assert game.state.sites[0].open == game.state.sites[1].open
    assert game.chance.drawn == ["stock"]


def test_3_2_empty_slots_are_filled_at_once_the_lowest_first() -> None:
    game = Match("2C KD 4S 5H KS 7D 8S 9H")
    game.do("roof 1 0 4 1")

    assert game.open == ["2C", "7D", "4S", "5H", "8S"]


def test_3_2_the_slot_of_the_twin_that_was_used_is_filled() -> None:
    game = Match("5H KD 4S 5H KS 7D 8S 9H")
    game.do("roof 1 0 1 4", "replace")
    other = Match("5H 9H 4S 5H KS 7D 8S 3H")
    other.do("roof 1 0 3 1")

    assert [str(item) for item in game.site.discarded] == ["5H", "7D", "4S", "5H", "8S"]
    assert other.open == ["5H", "7D", "4S", "8S", "KS"]


def test_3_2_slots_stay_empty_when_the_stock_is_used_up() -> None:
    game = Match("KC KD 4S 5H 6C 4H 9H")
    game.do("roof 1 0 0 1", "roof 1 1 0 2")

    assert [item.slot for item in game.site.open] == [1, 3, 4]
    assert game.refused("floor 1 0 0") == "bad_slot"


@pytest.mark.parametrize(("name", "value"), [("2C", 4), ("9D", 18), ("TS", 20), ("JH", 20)])
def test_4_1_pips_count_their_number_and_courts_ten(name: str, value: int) -> None:
    assert roof_value((card(name), card(name)), None) == value


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [("KD", "KS", True), ("KD", "2D", True), ("KD", "TS", False), ("5H", "5H", True)],
)
def test_4_2_a_roof_is_of_one_rank_or_one_suit(one: str, other: str, fits: bool) -> None:
    assert match(card(one), card(other)) is fits


@pytest.mark.parametrize(
    ("limit", "value"),
    [(None, 22), (22, 22), (21, 12), (12, 12), (11, 2), (2, 2), (1, None)],
)
def test_4_3_two_aces_count_what_the_limit_allows(limit: int | None, value: int | None) -> None:
    assert roof_value((card("AH"), card("AS")), limit) == value


@pytest.mark.parametrize(("limit", "value"), [(None, 21), (20, 11), (10, None)])
def test_4_3_an_ace_with_a_king(limit: int | None, value: int | None) -> None:
    assert roof_value((card("AH"), card("KH")), limit) == value


def test_4_3_on_the_ground_an_ace_counts_eleven() -> None:
    game = Match("AH 2H 4S 5C 6D 7D 8S")
    game.do("roof 1 5 0 1")

    assert game.site.house.points == 13


def test_4_3_the_value_stays_when_the_house_grows() -> None:
    game = bridged(TWENTY_AND_THIRTEEN)
    game.do("roof 2 0 2 1")

    assert game.site.house.roofs[-1] == BuiltRoof(2, 0, (card("2D"), card("AD")), 13)


def test_4_4_a_roof_names_the_first_thing_that_is_wrong() -> None:
    game = bridged(TWENTY_AND_TEN)

    assert game.refused("roof 7 0 0 0") == "no_such_place"
    assert game.refused("roof 1 6 0 1") == "no_such_place"
    assert game.refused("roof 0 0 0 1") == "no_such_place"
    assert game.refused("roof 1 0 0 0") == "bad_slot"
    assert game.refused("roof 1 0 0 5") == "bad_slot"
    assert game.refused("roof 1 0 0 3") == "place_taken"
    assert game.refused("roof 2 1 0 3") == "no_floor"
    assert game.refused("roof 2 0 0 3") == "cards_do_not_match"
    assert game.refused("roof 2 0 3 4") == "too_heavy"
    game.do("roof 2 0 0 1")
    assert game.site.house.points == 40


def test_4_5_the_weaker_roof_is_the_limit() -> None:
    game = bridged(TWENTY_AND_TEN)

    assert game.site.house.floors == (LaidFloor(1, 0, card("2C"), 10),)


def test_4_5_ace_and_two_count_thirteen_above_thirteen() -> None:
    game = bridged("QH JH 2C AD 2D 6S 7S 5D 9D 4H 3D 8S 2S")
    game.do("roof 2 0 3 4")

    assert game.site.house.roofs[-1].value == 13


def test_4_5_any_roof_may_stand_on_an_ace_which_counts_nothing() -> None:
    game = Match("2H 3H AC KC KH 4S 5S 5D 6C 7H 8S 9D 2S")
    game.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2")
    assert game.site.house.points == 14
    game.do("roof 2 0 3 4")

    assert game.site.house.points == 34


def test_4_5_a_roof_on_an_ace_supports_with_its_own_value() -> None:
    game = Match("2H 3H AC KC KH 4S 5S 6D 7D 8S 9S 2D 3D 9C TC JC QC 4H 5H")
    game.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2", "roof 2 0 3 4")
    game.do("roof 1 2 0 1", "floor 1 1 2", "roof 2 1 4 0")
    game.do("floor 2 0 1")

    assert [roof.value for roof in game.site.house.roofs if roof.storey == 2] == [20, 5]
    assert game.site.house.floor(2, 0) == LaidFloor(2, 0, card("9C"), 5)


def test_4_6_a_floor_names_the_first_thing_that_is_wrong() -> None:
    game = bridged(TWENTY_AND_TEN)

    assert game.refused("floor 6 0 0") == "no_such_place"
    assert game.refused("floor 1 5 0") == "no_such_place"
    assert game.refused("floor 1 0 7") == "bad_slot"
    assert game.refused("floor 1 0 0") == "place_taken"
    assert game.refused("floor 1 1 0") == "no_support"
    assert game.refused("floor 2 0 0") == "no_support"


def test_4_7_a_storey_may_begin_before_the_one_below_is_complete() -> None:
    game = bridged(TWENTY_AND_TEN)
    game.do("roof 2 0 0 1")

    assert {roof.storey for roof in game.site.house.roofs} == {1, 2}


def test_4_8_replace_discards_what_lies_open_and_opens_as_many_as_there_are() -> None:
    game = Match("KC 3D 4S 5H 6C KD 9H")
    game.do("replace")

    assert game.open == ["KD", "9H"]
    assert [str(item) for item in game.site.discarded] == ["KC", "3D", "4S", "5H", "6C"]
    assert game.ending.reason is EndReason.STUCK


def test_4_8_replace_without_stock_is_refused() -> None:
    game = Match("KC KD 4S 5H 6C")

    assert game.refused("replace") == "stock_empty"
    assert Replace() not in GAME.legal(game.state, 0)


@pytest.mark.parametrize("command", [Finish(), Resign()])
def test_4_9_finishing_keeps_what_stands_and_so_does_resigning(command: Finish | Resign) -> None:
    game = Match("KC KD 4S 5H 6C 7D 8H 9S")
    game.do("roof 1 0 0 1")
    events = game.give(0, command)

    assert isinstance(events[0], GameEnded)
    assert (game.ending.reason, game.ending.score) == (EndReason.PLAYER, 20)


def test_4_10_after_the_end_every_command_is_refused() -> None:
    game = Match("KC KD 4S 5H 6C 7D 8H 9S")
    game.do("finish")

    for step in ("roof 1 0 0 1", "floor 1 0 0", "replace", "finish"):
        assert game.refused(step) == "game_over"
    assert not GAME.legal(game.state, 0)


@pytest.mark.parametrize("actor", [None, 1, -1])
def test_4_10_only_the_seats_build(actor: int | None) -> None:
    game = Match("KC KD 4S 5H 6C 7D 8H 9S")

    with pytest.raises(Refused) as refused:
        game.give(actor, Roof(1, 0, 0, 1))
    assert refused.value.reason == "not_a_player"


def test_4_10_a_refused_command_changes_nothing() -> None:
    game = bridged(TWENTY_AND_TEN)
    before = game.state

    with pytest.raises(Illegal):
        game.give(0, Floor(1, 0, 0))
    assert game.state is before
