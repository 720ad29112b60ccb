"""Clause 8: how a game ends, what it costs, and the places."""

from __future__ import annotations

import pytest

from games.maumau.scripted import Match, card, cards, kinds, table
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.cards import pack
from spielwerk.games.maumau.messages import GameEnded, MauMau, SeriesEnded
from spielwerk.games.maumau.model import EndReason, Holding
from spielwerk.games.maumau.options import Options
from spielwerk.games.maumau.points import card_value, game_places, hand_value, series_places


def alone(hand: str, *others: str, up: str = "5H", pending: int = 0) -> Match:
    """Seat 0 has announced its last card."""
    marks = (True, *(False for _ in others))
    return table(hand, *others, up=up, more={"announced": marks, "pending": pending})


@pytest.mark.parametrize("last", ["7H", "8H", "TH", "AH", "JH", "X1", "9H"])
def test_8_1_the_last_card_wins_at_once_and_has_no_effect(last: str) -> None:
    match = alone(last, "9D 7S 3D", "X2 JD QS")

    assert kinds(match.do(last)) == ["CardPlayed", "MauMau", "GameEnded", "SeriesEnded"]
    assert match.table.direction == 1
    assert match.table.pending == 0
    assert match.last.winner == 0


def test_8_1_a_last_seven_under_pending_sevens_wins_and_nobody_draws() -> None:
    match = alone("7S", "9D 7C 3D", up="7H", pending=2)
    match.do("7S")

    assert match.last.points == (0, 19)


def test_8_1_a_jack_cannot_be_the_last_card_on_a_jack() -> None:
    match = table("JC", "JD 7S 3D", up="JH", more={"announced": (True, False)})

    assert [type(command).__name__ for command in GAME.legal(match.state, 0)] == ["Draw"]
    assert kinds(match.do("draw")) == ["CardsDrawn", "TurnStarted"]


def test_8_2_the_table_is_blocked_when_nobody_in_a_row_moves_a_card() -> None:
    match = table("2C KD", "9C 4S 3D", "QS", talon="")
    match.do("draw", "timeout")
    assert kinds(match.do("draw")) == ["CardsDrawn", "GameEnded", "SeriesEnded"]

    assert match.last.reason is EndReason.BLOCKED
    assert match.last.winner is None
    assert match.last.points == (12, 16, 10)
    assert match.last.places == (2, 3, 1)


def test_8_2_a_card_that_moves_starts_the_count_again() -> None:
    match = table("2C KD", "9C 5S 3D", "QC", talon="", reshuffles=[["5H"]])
    match.do("draw", "5S", "draw", "draw", "draw")

    assert match.state.last is None
    assert match.table.idle == (0, 1)


def test_8_2_taking_nothing_for_sevens_counts_neither_way() -> None:
    match = table("9C 4S", "QD KD", up="7H", talon="", more={"pending": 2, "idle": (1,)})
    match.do("draw")

    assert match.table.idle == (1,)
    assert kinds(match.do("draw"))[-2:] == ["GameEnded", "SeriesEnded"]


def test_8_2_an_attempt_without_announcement_counts_if_no_card_moves() -> None:
    match = table("KH", "9C 4S", talon="")
    match.do("KH")
    assert match.table.idle == (0,)

    match.do("draw")
    assert match.last.reason is EndReason.BLOCKED


def test_8_2_who_took_cards_for_sevens_has_moved_though_the_penalty_card_was_missing() -> None:
    match = table("7S", "9C 4S", up="7H", talon="2C 3C", more={"pending": 2, "idle": (1,)})
    match.do("7S")

    assert match.table.hands[0] == cards("7S 2C 3C")
    assert match.table.idle == ()


def test_8_3_the_game_ends_instead_of_the_turn_after_the_limit() -> None:
    match = table("5S 2H KD", "3H 9D QS", talon="2C 3C 4C 6C", max_turns=3)
    match.do("draw", "draw")

    assert kinds(match.do("draw"))[-2:] == ["GameEnded", "SeriesEnded"]
    assert match.last.reason is EndReason.TURN_LIMIT
    assert match.last.places == (1, 2)


def test_8_3_turns_after_an_eight_and_after_sevens_count() -> None:
    match = table("8H 2H KD", "3H 9D QS", max_turns=2)
    match.do("8H")
    match.do("2H")
    assert match.table.turn_no == 2
    assert match.last.reason is EndReason.TURN_LIMIT

    match = table("9C 4S", "QD KD", up="7H", max_turns=1, more={"pending": 2})
    match.do("draw")
    assert match.last.reason is EndReason.TURN_LIMIT


@pytest.mark.parametrize(
    ("name", "value"),
    [("2C", 2), ("9D", 9), ("TH", 10), ("JS", 20), ("QS", 10), ("KD", 10), ("AC", 11), ("X1", 40)],
)
def test_8_4_each_card_has_its_value(name: str, value: int) -> None:
    assert card_value(card(name), Options()) == value


def test_8_4_the_whole_pack_is_worth_500() -> None:
    assert hand_value(pack(2), Options()) == 500


def test_8_4_the_values_may_be_chosen() -> None:
    assert hand_value(cards("2C X1 JD"), Options(value_two=0, value_joker=7, value_jack=1)) == 8


def test_8_5_the_winner_is_first_and_equal_points_share_a_place() -> None:
    assert game_places((30, 0, 12, 12), 1, ()) == (4, 1, 2, 2)
    assert game_places((30, 5, 12, 5), None, ()) == (4, 1, 3, 1)


def test_8_5_the_winner_is_first_alone_also_where_cards_cost_nothing() -> None:
    assert game_places((0, 0, 0), 2, ()) == (2, 2, 1)
    marks = {"announced": (True, False)}
    match = table("2H", "9C KD", more=marks, value_nine=0, value_king=0)
    match.do("2H")

    assert match.last.points == (0, 0)
    assert match.state.places == (1, 2)


def test_8_6_all_hands_lie_open_at_the_end() -> None:
    match = alone("9H", "9D 7S 3D", "X2 JD QS")
    (ended,) = [event for event in match.do("9H") if isinstance(event, GameEnded)]

    assert ended.hands == (
        Holding(0, ()),
        Holding(1, cards("9D 7S 3D")),
        Holding(2, cards("X2 JD QS")),
    )
    assert ended.points == (0, 19, 70)


def test_the_last_events_name_winner_and_places() -> None:
    match = alone("9H", "9D", "9S")
    events = match.do("9H")

    assert MauMau(0) in events
    assert events[-1] == SeriesEnded((0, 9, 9), (1, 2, 2))


def test_places_of_the_match_follow_the_totals() -> None:
    assert series_places((12, 60, 42), ()) == (1, 3, 2)
    assert series_places((20, 20), ()) == (1, 1)
