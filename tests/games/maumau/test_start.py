"""Clauses 1 to 3: options, cards, and how a game begins."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import Any

import pytest

from games.maumau.scripted import card, cards, dealt, kinds, table
from spielwerk.cards import BLACK_JOKER, RED_JOKER, Card
from spielwerk.errors import BadOptions, Illegal
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import ACTIONS, ORDER, is_normal, pack, without
from spielwerk.games.maumau.messages import (
    DirectionChanged,
    HandDealt,
    PendingRaised,
    SeatSkipped,
    TurnStarted,
    UpcardTurned,
)
from spielwerk.games.maumau.options import FirstUpcard, Options


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_1_1_two_to_four_seats_play_clockwise(seats: int) -> None:
    match = table(*["2H 2C 2S", "3H 3C 3S", "4H 4C 4S", "6H 6C 6S"][:seats])
    match.do(*["2H", "3H", "4H", "6H"][:seats])

    assert list(GAME.seats) == [2, 3, 4]
    turns = [event.seat for event in match.events if isinstance(event, TurnStarted)]
    assert turns == [*range(1, seats), 0]


def test_1_2_the_defaults_are_those_of_the_rules() -> None:
    assert Options() == Options(
        games=1,
        jokers=2,
        hand_size=6,
        voluntary_draw=True,
        announce=True,
        missed_announcement_cards=1,
        timeout_cards=2,
        turn_seconds=15,
        seven_red=2,
        seven_black=4,
        first_upcard=FirstUpcard.PLAIN,
        first_starter=0,
        max_turns=500,
        away_after=0,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("games", 0),
        ("jokers", 5),
        ("jokers", True),
        ("hand_size", 0),
        ("hand_size", 13),
        ("voluntary_draw", 1),
        ("missed_announcement_cards", 0),
        ("timeout_cards", 0),
        ("turn_seconds", 4),
        ("turn_seconds", -1),
        ("seven_red", 0),
        ("seven_black", 11),
        ("first_upcard", "sideways"),
        ("first_starter", 4),
        ("max_turns", 0),
        ("away_after", -1),
        ("value_joker", 101),
        ("value_two", -1),
    ],
)
def test_1_2_values_outside_the_table_are_refused(name: str, value: Any) -> None:
    with pytest.raises(BadOptions) as refused:
        Options(**{name: value})

    assert refused.value.metadata == {"option": name}


@pytest.mark.parametrize("jokers", [0, 4])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_1_3_the_largest_hands_leave_an_open_card(seats: int, jokers: int) -> None:
    match = dealt(seats, pack(jokers), hand_size=12, jokers=jokers)

    assert [len(hand) for hand in match.table.hands] == [12] * seats
    assert len(match.table.pile) == 1
    assert len(match.table.talon) == 52 + jokers - 12 * seats - 1


@pytest.mark.parametrize("jokers", range(5))
def test_2_1_the_jokers_come_on_top_of_52_cards(jokers: int) -> None:
    suited = [one for one in pack(jokers) if isinstance(one, Card)]

    assert len(set(suited)) == len(suited) == 52
    assert len(pack(jokers)) == 52 + jokers


def test_2_2_twenty_cards_have_an_effect() -> None:
    actions = [one for one in pack(0) if isinstance(one, Card) and one.rank in ACTIONS]

    assert len(actions) == 20
    assert sum(map(is_normal, pack(4))) == 32


def test_2_3_the_third_joker_is_the_twin_of_the_first() -> None:
    assert pack(4)[-4:] == (BLACK_JOKER, RED_JOKER, BLACK_JOKER, RED_JOKER)
    assert without(cards("X1 5H X3"), cards("X1")) == cards("5H X1")


def test_2_3_a_joker_leaves_its_twin_in_the_hand() -> None:
    match = table("X1 X3 2C", "3H 4H", up="5H", jokers=4)
    match.do("X1")

    assert Counter(match.table.hands[0]) == Counter(cards("X3 2C"))
    assert match.table.upcard == card("X1")


def test_2_4_the_canonical_order_is_clubs_spades_hearts_diamonds_then_jokers() -> None:
    names = [str(one) for one in pack(2)]

    assert " ".join(names[:13]) == "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"
    assert [name[1] for name in names[:52:13]] == ["C", "S", "H", "D"]
    assert names[-2:] == ["BJ", "RJ"]
    assert list(ORDER.values()) == list(range(54))


@pytest.mark.parametrize(("first", "starters"), [(0, [0, 1, 2, 0]), (3, [0, 1, 2, 0])])
def test_3_1_the_start_moves_on_with_each_game(first: int, starters: list[int]) -> None:
    deck = cards("2H 9S 9C 3H 4S 4C 5H")
    match = dealt(3, *[deck] * 4, games=4, hand_size=2, first_starter=first, max_turns=1)
    for _ in starters[1:]:
        match.do("draw")

    begun = [event for event in match.events if type(event).__name__ == "GameStarted"]
    assert [event.starter for event in begun] == starters  # type: ignore[union-attr]


def test_3_2_cards_are_dealt_one_by_one_from_the_starter() -> None:
    deck = cards("2H 3H 4H 2S 3S 4S 2C 3C 4C 2D")
    match = dealt(3, deck, hand_size=3, first_starter=1)

    hands = [event for event in match.events if isinstance(event, HandDealt)]
    assert hands == [
        HandDealt(1, 3, cards("2H 2S 2C")),
        HandDealt(2, 3, cards("3H 3S 3C")),
        HandDealt(0, 3, cards("4H 4S 4C")),
    ]
    assert match.table.turn == 1


def test_3_2_six_cards_are_dealt_by_default() -> None:
    match = dealt(4, pack(2))

    assert [len(hand) for hand in match.table.hands] == [6, 6, 6, 6]


def test_3_3_the_next_card_lies_open_and_the_rest_is_the_talon() -> None:
    match = dealt(2, cards("2H 3H 4S 5S 9D KD QD"), hand_size=2)

    assert match.table.pile == cards("9D")
    assert match.table.talon[:2] == cards("KD QD")
    assert kinds(match.events) == [
        "GameStarted",
        "HandDealt",
        "HandDealt",
        "UpcardTurned",
        "TurnStarted",
    ]


@pytest.mark.parametrize("up", ["7H", "7S", "8D", "TD", "AD", "JD", "X1"])
def test_3_4_an_open_action_card_has_no_effect(up: str) -> None:
    match = dealt(3, cards(f"2H 3H 4S {up}"), hand_size=1)

    assert kinds(match.events)[-2:] == ["UpcardTurned", "TurnStarted"]
    assert (match.table.turn, match.table.direction, match.table.pending) == (0, 1, 0)


@pytest.mark.parametrize(
    ("up", "events", "turn"),
    [
        ("7H", [PendingRaised(2)], 0),
        ("7C", [PendingRaised(4)], 0),
        ("AD", [SeatSkipped(0)], 1),
        ("TD", [DirectionChanged(-1)], 0),
        ("8D", [], 0),
        ("JD", [], 0),
        ("X1", [], 0),
        ("9D", [], 0),
    ],
)
def test_3_5_with_effect_the_open_card_acts_on_the_starter(
    up: str, events: list[Any], turn: int
) -> None:
    deck = cards(f"2H 3H 4S {up}")
    match = dealt(3, deck, hand_size=1, first_upcard=FirstUpcard.EFFECT)

    turned = match.events.index(UpcardTurned(card(up)))
    assert match.events[turned + 1 :] == [*events, TurnStarted(turn, again=False)]


def test_3_6_action_cards_and_jokers_go_under_the_talon() -> None:
    deck = cards("2H 3H 4S 5S AD X1 JH 9C KD")
    match = dealt(2, deck, hand_size=2, first_upcard=FirstUpcard.REDRAW)

    turned = [event for event in match.events if isinstance(event, UpcardTurned)]
    assert turned == [
        UpcardTurned(card("AD"), put_under=True),
        UpcardTurned(card("X1"), put_under=True),
        UpcardTurned(card("JH"), put_under=True),
        UpcardTurned(card("9C")),
    ]
    assert match.table.pile == cards("9C")
    assert match.table.talon[0] == card("KD")
    assert match.table.talon[-3:] == cards("AD X1 JH")


def test_3_6_without_a_normal_card_the_first_one_stays() -> None:
    normal = [one for one in pack(0) if is_normal(one)]
    actions = [one for one in pack(0) if not is_normal(one)]
    deck = (*normal, *actions)
    match = dealt(4, deck, hand_size=12, jokers=0, first_upcard=FirstUpcard.REDRAW)

    assert match.table.pile == (deck[48],)
    assert match.table.talon == deck[49:]


def test_the_values_are_options_of_their_own() -> None:
    names = [field.name for field in fields(Options) if field.name.startswith("value_")]

    assert len(names) == 14


def test_nobody_acts_before_the_first_deal() -> None:
    empty = GAME.setup(Options(), 3)

    assert GAME.turns(empty) == {}
    assert GAME.legal(empty, 0) == ()
    assert GAME.result(empty) is None
    assert GAME.view(empty, 0).hand == ()


def test_a_stranger_is_no_player() -> None:
    match = table("2H 3H", "4H 5C")
    with pytest.raises(Illegal) as refused:
        match.give(2, GAME.legal(match.state, 0)[0])

    assert refused.value.reason == "not_a_player"
