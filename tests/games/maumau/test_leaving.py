"""Clauses 9.3 to 9.6: seats that leave the match."""

from __future__ import annotations

from games.maumau.scripted import DECK, cards, dealt, kinds, series, table, win
from spielwerk.games.game import Resign
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.messages import (
    CardsDrawn,
    GameStarted,
    HandDealt,
    SeatLeft,
    SeatSkipped,
    TalonReshuffled,
    TurnStarted,
)
from spielwerk.games.maumau.model import EndReason, LeftReason


def test_9_3_a_seat_that_resigns_is_skipped_and_its_cards_stay_aside() -> None:
    match = table("2H KH 3H", "9H 4S 3D", "6H 6S 6C")
    assert match.give(0, Resign()) == (
        SeatLeft(0, LeftReason.RESIGNED),
        TurnStarted(1, again=False),
    )
    match.do("9H", "6H")

    assert match.table.turn == 1
    assert match.table.hands[0] == cards("2H KH 3H")
    assert GAME.legal(match.state, 0) == ()


def test_9_3_who_resigns_out_of_turn_does_not_disturb_the_turn() -> None:
    match = table("2H KH 3H", "9H 4S 3D", "6H 6S 6C")
    before = GAME.turns(match.state)

    assert match.give(1, Resign()) == (SeatLeft(1, LeftReason.RESIGNED),)
    assert GAME.turns(match.state) == before
    assert match.do("2H")[-1] == TurnStarted(2, again=False)


def test_9_3_an_ace_skips_the_next_seat_that_is_left() -> None:
    match = table("AH KH 3H", "9H 4S 3D", "6H 6S 6C", "2C 2S 2D")
    match.give(1, Resign())

    assert match.do("AH")[1:] == (SeatSkipped(2), TurnStarted(3, again=False))


def test_9_3_the_sevens_that_it_had_to_answer_are_void() -> None:
    match = table("7H KH 3H", "9H 4S 3D", "6H 6S 6C")
    match.do("7H")
    match.give(1, Resign())

    assert (match.table.turn, match.table.pending) == (2, 0)
    assert match.table.hands[1] == cards("9H 4S 3D")


def test_9_3_the_sevens_of_another_seat_stay_pending() -> None:
    match = table("7H KH 3H", "9H 4S 3D", "6H 6S 6C")
    match.do("7H")
    match.give(2, Resign())

    assert (match.table.turn, match.table.pending) == (1, 2)


def test_9_3_its_cards_are_in_no_reshuffle() -> None:
    match = table("2H KH 3H", "9H 4S 3D", "6H 6S 6C", talon="", up="4C 5H", reshuffles=[["4C"]])
    match.give(0, Resign())
    events = match.do("draw")

    assert events[0] == TalonReshuffled(1, cards("4C"))


def test_9_3_a_seat_that_left_is_not_counted_for_a_blocked_table() -> None:
    match = table("2C KD", "9C 4S 3D", "QS", talon="")
    match.do("draw", "draw")
    match.give(2, Resign())

    assert match.last.reason is EndReason.BLOCKED


def test_9_3_a_seat_that_has_not_tried_yet_does_not_block_the_table() -> None:
    match = table("2C KD", "9C 4S 3D", "QS 2S", talon="")
    match.do("draw", "draw")
    match.give(0, Resign())
    assert match.state.last is None

    match.do("draw")
    assert match.last.reason is EndReason.BLOCKED


def test_9_3_in_the_next_games_it_gets_no_cards_and_the_start_passes_it_over() -> None:
    deck = cards("2H 9S 9C 3H 4S 4C 5H")
    match = dealt(3, deck, DECK, games=2, hand_size=2)
    match.give(1, Resign())
    win(match)

    begun = [event for event in match.events if isinstance(event, GameStarted)]
    assert [event.starter for event in begun] == [0, 2]
    assert [e.seat for e in match.events if isinstance(e, HandDealt)] == [0, 1, 2, 2, 0]
    assert match.table.hands[1] == ()


def test_9_4_the_last_seat_wins_without_penalty() -> None:
    match = table("2H KH 3H", "X1 4S 3D", "6H 6S 6C")
    match.give(0, Resign())
    events = match.give(2, Resign())

    assert kinds(events) == ["SeatLeft", "GameEnded", "SeriesEnded"]
    assert match.last.reason is EndReason.RESIGNED
    assert match.last.winner == 1
    assert match.last.points == (15, 0, 18)
    assert match.state.places == (3, 1, 2)


def test_9_4_with_two_seats_the_other_one_wins_the_match() -> None:
    match = series(3)
    win(match)
    match.give(0, Resign())

    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "resigned"
    assert [standing.place for standing in result.standings] == [2, 1]
    assert [standing.rank_games for standing in result.standings] == [2, 2]


def test_9_5_who_left_is_last_though_it_had_fewest_points() -> None:
    match = table("2H", "X1 4S", "6H 6S", more={"announced": (True, False, False)})
    match.give(1, Resign())
    match.do("2H")

    assert match.last.places == (1, 3, 2)

    match = table("2H", "3S", "X1 X2", more={"announced": (True, False, False)})
    match.give(1, Resign())
    match.do("2H")

    assert match.last.points == (0, 3, 80)
    assert match.last.places == (1, 3, 2)


def test_9_5_who_left_first_is_the_very_last() -> None:
    match = table("2H 3H", "3S", "X1 X2", "4C 4D")
    match.give(1, Resign())
    match.give(2, Resign())
    match.give(3, Resign())

    assert match.state.left == (1, 2, 3)
    assert match.state.places == (1, 4, 3, 2)


def test_9_5_who_left_is_last_in_the_match() -> None:
    deck = cards("2H 9S 9C 3H 4S 4C 5H")
    match = dealt(3, deck, cards("2H X1 3H X2 5H"), games=2, hand_size=2)
    match.give(1, Resign())
    win(match)
    win(match)

    assert match.state.totals[1] < match.state.totals[0]
    assert match.state.places == (2, 3, 1)


def test_9_6_a_seat_that_is_away_is_out_as_if_it_had_resigned() -> None:
    match = table("2H KH 3H", "9H 4S 3D", "6H 6S 6C", away_after=2)
    match.do("timeout", "draw", "draw")
    held = match.table.hands[0]

    assert match.do("timeout") == (SeatLeft(0, LeftReason.AWAY), TurnStarted(1, again=False))
    assert match.table.hands[0] == held


def test_9_6_a_command_of_its_own_ends_the_row() -> None:
    match = table("2H KH 3H", "9H 4S 3D", away_after=2)
    match.do("timeout", "draw", "draw", "draw", "timeout")

    assert match.state.left == ()
    assert match.state.timeouts == (1, 0)


def test_9_6_two_timeouts_under_sevens_are_a_row() -> None:
    match = table("2H KH", "9H 4S 3D", "6C 6S", up="7H", away_after=2, more={"pending": 2})
    match.do("timeout")
    assert [e.auto for e in match.events if isinstance(e, CardsDrawn)] == [True]

    assert match.do("timeout")[0] == SeatLeft(0, LeftReason.AWAY)


def test_9_6_with_two_seats_the_other_one_wins() -> None:
    match = table("2H KH 3H", "9H 4S 3D", away_after=1)
    match.do("timeout")

    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "away"
    assert match.last.winner == 1


def test_9_6_by_default_nobody_is_ever_away() -> None:
    match = table("2H KH 3H", "9H 4S 3D")
    match.do(*["timeout", "draw"] * 10)

    assert match.state.timeouts == (10, 0)
    assert match.state.left == ()
