"""Clause 7: taking cards, and what happens when the talon runs out."""

from __future__ import annotations

from games.maumau.scripted import cards, kinds, table
from spielwerk.cards import Suit
from spielwerk.games.maumau.messages import CardsDrawn, TalonReshuffled, TurnStarted
from spielwerk.games.maumau.model import DrawReason


def test_7_1_the_pile_is_shuffled_when_a_card_is_needed_and_not_before() -> None:
    hands = ("2H KD 6D", "9H 4S 3D", "6H 6S 6C")
    match = table(*hands, talon="QC", reshuffles=[["9H", "6H", "5H"]])
    match.do("draw", "9H", "6H", "6D")
    assert not any(isinstance(event, TalonReshuffled) for event in match.events)

    assert match.do("draw") == (
        TalonReshuffled(3, cards("9H 6H 5H")),
        CardsDrawn(1, DrawReason.DRAW, 1, 1, cards("9H")),
        TurnStarted(2, again=False),
    )
    assert match.table.pile == cards("6D")
    assert match.table.talon == cards("6H 5H")


def test_7_1_the_rest_of_the_talon_is_taken_first() -> None:
    match = table(
        "9H 4S 3D",
        "2H 2S",
        up="5C 6C 7C",
        talon="KS",
        reshuffles=[["6C", "5C"]],
        more={"pending": 4},
    )

    assert match.do("draw") == (
        TalonReshuffled(2, cards("6C 5C")),
        CardsDrawn(0, DrawReason.SEVENS, 4, 3, cards("KS 6C 5C")),
        TurnStarted(0, again=False),
    )


def test_7_1_a_talon_that_is_just_long_enough_is_not_reshuffled() -> None:
    match = table("9H 4S 3D", "2H 2S", up="5C 6C 7C", talon="KS QS", more={"pending": 2})

    assert kinds(match.do("draw")) == ["CardsDrawn", "TurnStarted"]
    assert match.table.talon == ()


def test_7_2_wish_and_direction_outlive_a_reshuffle() -> None:
    match = table(
        "JD KD 2C",
        "9S 4S 3D",
        "4H 4C",
        talon="",
        up="5H",
        reshuffles=[["5H"]],
        more={"direction": -1},
    )
    match.do("JD:C", "draw")

    assert match.table.reshuffles == 1
    assert (match.table.wish, match.table.direction) == (Suit.CLUBS, -1)


def test_7_2_pending_sevens_outlive_a_reshuffle() -> None:
    """The forgetter takes more cards than the talon has, in two steps."""
    match = table(
        "7S",
        "9H 4S 3D",
        up="2C 3C 7H",
        talon="8C",
        reshuffles=[["3C", "2C"]],
        more={"pending": 2},
    )

    assert kinds(match.do("7S")) == [
        "AnnouncementMissed",
        "TalonReshuffled",
        "CardsDrawn",
        "CardsDrawn",
        "TurnStarted",
    ]
    assert match.table.hands[0] == cards("7S 8C 3C 2C")


def test_7_3_fewer_cards_are_taken_when_there_are_no_more() -> None:
    match = table("9H 4S", "2H 2S", up="5C", talon="QC", timeout_cards=5)

    assert match.do("timeout") == (
        CardsDrawn(0, DrawReason.TIMEOUT, 5, 1, cards("QC"), auto=True),
        TurnStarted(1, again=False),
    )


def test_7_3_a_draw_without_a_card_is_still_a_draw() -> None:
    match = table("9H 4S", "2H 2S", up="5C", talon="")

    assert match.do("draw") == (
        CardsDrawn(0, DrawReason.DRAW, 1, 0, ()),
        TurnStarted(1, again=False),
    )
