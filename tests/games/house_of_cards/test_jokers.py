"""Jokers (clause 5)."""

from __future__ import annotations

from typing import Any

from games.house_of_cards.scripted import Match
from spielwerk.games.house_of_cards.messages import CardOpened, JokerDrawn
from spielwerk.games.house_of_cards.options import JokerRemoves

TWO_STOREYS = "KC KD 2C QH QD JH JD 3C 4C 5C 6C 7C"
"""The open cards and refills of `two_storeys`."""


def two_storeys(rest: str, **options: Any) -> Match:
    """(1, 0), (1, 1), a floor and (2, 0), each roof 20; then `rest` is drawn."""
    game = Match(f"{TWO_STOREYS} {rest}", **options)
    game.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2", "roof 2 0 3 4")
    return game


def jokers(game: Match) -> list[tuple[int | None, int, int]]:
    """(removed, cards lost, points lost) of every joker."""
    drawn = [event for event in game.events if isinstance(event, JokerDrawn)]
    return [(event.removed, event.cards_lost, event.points_lost) for event in drawn]


def test_5_1_the_slot_of_a_joker_gets_the_next_card() -> None:
    game = Match("KC KD 4S 5H 6C XX 8H 9S")
    events = game.do("roof 1 5 0 1")

    assert [type(event) for event in events[1:]] == [JokerDrawn, CardOpened, CardOpened]
    assert game.open[:2] == ["8H", "9S"]
    assert str(game.site.discarded[0]) == "RJ"


def test_5_1_a_joker_may_be_the_last_card_of_the_stock() -> None:
    game = Match("KC KD 4S 5H 6C 7D XX")
    game.do("roof 1 5 0 1")

    assert [item.slot for item in game.site.open] == [0, 2, 3, 4]
    assert jokers(game) == [(1, 2, 20)]


def test_5_2_roofs_and_floors_of_the_top_storey_fall_and_may_be_built_again() -> None:
    game = two_storeys("XX 9H 9D TC TD 8S 9S 2S")
    assert game.site.house.points == 60
    game.do("replace")

    assert jokers(game) == [(2, 3, 20)]
    assert game.site.house.points == 40
    game.do("floor 1 0 2", "roof 2 0 0 1")


def test_5_2_a_bare_floor_falls_and_the_score_stays() -> None:
    game = Match("KC KD 2C QH QD JH JD 3C 4C XX 6C 7C")
    game.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2")

    assert jokers(game) == [(2, 1, 0)]
    assert game.site.house.points == 40
    assert game.site.house.floors == ()


def test_5_2_all_floors_under_the_storey_fall_with_it() -> None:
    game = two_storeys("TC TD 8H XX 9S 2S 3S 4S 5S")
    game.do("roof 1 2 0 1", "floor 1 1 2", "replace")

    assert jokers(game) == [(2, 4, 20)]
    assert game.site.house.points == 47


def test_5_2_when_only_the_ground_stands_it_falls() -> None:
    game = Match("KC KD 4S 5H 6C QH QD XX 9D TC")
    game.do("roof 1 0 0 1")
    game.do("roof 1 3 0 1")

    assert jokers(game) == [(1, 4, 40)]
    assert game.site.house.roofs == ()


def test_5_3_an_empty_house_loses_nothing() -> None:
    game = Match("XX KC XX KD 4S 5H 6C 7D")

    assert jokers(game) == [(None, 0, 0), (None, 0, 0)]
    assert game.open == ["KC", "KD", "4S", "5H", "6C"]


def test_5_3_a_stock_of_jokers_alone_is_stuck() -> None:
    game = Match("XX XX")

    assert game.ending.reason == "stuck"
    assert len(game.site.discarded) == 2


def test_5_4_two_jokers_in_a_row_empty_the_house() -> None:
    game = two_storeys("XX XX 9D TC TD 8S 9S 2S")
    game.do("replace")

    assert jokers(game) == [(2, 3, 20), (1, 4, 40)]
    assert game.site.house.points == 0


def test_5_4_a_roof_may_fall_in_the_refill_that_follows_it() -> None:
    game = two_storeys("8H 9D TC TD 8S")
    late = Match("KC KD 2C QH QD JH JD 3C 4C 5C XX 7C 8C")
    late.do("roof 1 0 0 1", "roof 1 1 0 1", "floor 1 0 2", "roof 2 0 3 4")

    assert game.site.house.points == 60
    assert jokers(late) == [(2, 3, 20)]
    assert late.site.house.points == 40


def test_5_5_a_row_of_roofs_falls_and_leaves_its_floors() -> None:
    game = two_storeys("XX 9D TC TD 8S 9S XX 3S 4S", joker_removes=JokerRemoves.ROW)
    game.do("replace")
    assert (len(game.site.house.floors), game.site.house.points) == (1, 40)

    game.do("replace")
    assert jokers(game) == [(3, 2, 20), (2, 1, 0)]
    assert not game.site.house.floors


def test_5_6_after_the_last_roof_no_joker_acts(perfect: Match) -> None:
    assert jokers(perfect) == []
    assert perfect.ending.house == 426
