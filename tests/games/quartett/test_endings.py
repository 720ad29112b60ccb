"""Clauses 5 and 6: how games and series end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.quartett.scripted import Match, digest, table
from spielwerk.games.game import Resign
from spielwerk.games.quartett import GAME
from spielwerk.games.quartett.messages import GameEnded, GameStarted
from spielwerk.games.quartett.model import EndReason, Phase


def ended(match: Match) -> list[GameEnded]:
    return [event for event in match.events if isinstance(event, GameEnded)]


# 5 End of a game


def test_5_1_an_empty_stack_has_lost() -> None:
    match = table("acbe df")
    match.choose("hi", "lo")

    assert match.state.phase is Phase.OVER
    assert digest(match.state)["ended"] == {"winner": 0, "reason": EndReason.NO_CARDS}


def test_5_1_a_last_card_in_the_pot_loses_and_the_pot_is_void() -> None:
    match = table("b cadef")
    match.choose("hi")

    assert ended(match) == [GameEnded(1, 1, EndReason.NO_CARDS, (0, 4), ("b", "c"))]


def test_5_1_a_last_card_that_wins_takes_the_whole_pot() -> None:
    match = table("a d", pot="bcef")
    match.choose("hi")

    assert ended(match) == [GameEnded(1, 0, EndReason.NO_CARDS, (6, 0), ())]


def test_5_2_two_last_cards_in_the_pot_are_a_draw() -> None:
    match = table("b c", pot="adef")
    match.choose("hi")

    assert ended(match)[0].reason is EndReason.ALL_IN_POT
    result = GAME.result(match.state)
    assert result is not None
    assert [(s.place, s.won, s.score_milli) for s in result.standings] == [(1, False, 500)] * 2


@pytest.mark.parametrize(
    ("stacks", "pot", "rounds", "winner"),
    [
        ("abc def", "", ("lo", "lo"), 0),
        ("abc edf", "", ("hi",), None),
        ("ab d", "cef", ("hi",), 0),
    ],
)
def test_5_3_at_the_limit_the_larger_stack_wins_and_the_pot_counts_for_nobody(
    stacks: str, pot: str, rounds: tuple[str, ...], winner: int | None
) -> None:
    match = table(stacks, pot=pot, max_rounds=len(rounds))
    match.choose(*rounds)

    assert len(ended(match)) == 1
    assert ended(match)[0].winner == winner


def test_5_3_a_pot_at_the_limit_does_not_decide() -> None:
    match = table("abc edf", max_rounds=1)
    match.choose("hi")

    assert ended(match) == [GameEnded(1, None, EndReason.ROUND_LIMIT, (2, 2), ("a", "e"))]


def test_5_3_without_a_limit_a_game_goes_on_beyond_500_rounds() -> None:
    match = table("abc def", max_rounds=0)
    match.state = replace(match.state, round=500)
    match.choose("hi")

    assert match.state.round == 501


# 6 Points, series, resigning


def test_6_1_a_win_is_one_point() -> None:
    match = table("a d", pot="bcef")
    match.choose("hi")
    result = GAME.result(match.state)

    assert result is not None
    assert result.reason == "no_cards"
    assert [(s.place, s.won, s.score_milli) for s in result.standings] == [
        (1, True, 1000),
        (2, False, 0),
    ]


def test_6_2_the_first_chooser_alternates_and_each_game_is_dealt_anew() -> None:
    match = table("b c", pot="adef", games=3)
    match.choose("hi")
    started = [event for event in match.events if isinstance(event, GameStarted)]

    assert [(event.game_no, event.first) for event in started] == [(1, 0), (2, 1)]
    assert match.state.counts == (3, 3)
    assert (match.state.pot, match.state.duels, match.state.round) == ((), (), 1)
    assert match.chance.drawn == ["first", "deal/1", "deal/2"]


def test_6_2_the_points_of_a_series_are_added() -> None:
    match = table("a d", pot="bcef", games=3)
    match.choose("hi")
    match.at(("b", "c"), first=1, pot="adef").choose("hi")
    assert GAME.result(match.state) is None
    match.at(("b", "c"), first=0, pot="adef").choose("hi")

    result = GAME.result(match.state)
    assert result is not None
    assert [(s.place, s.score_milli) for s in result.standings] == [(1, 2000), (2, 1000)]
    assert result.standings[0].extras == {"games_won": 1, "games_drawn": 2}


def test_6_2_equal_points_are_a_drawn_match() -> None:
    match = table("a d", pot="bcef", games=2)
    match.choose("hi")
    match.at(("d", "a"), first=1, pot="bcef").choose("hi")

    result = GAME.result(match.state)
    assert result is not None
    assert [(s.place, s.won, s.score_milli) for s in result.standings] == [(1, False, 1000)] * 2


def test_6_3_who_resigns_loses_the_match_whatever_was_won_before() -> None:
    match = table("a d", pot="bcef", games=5)
    match.choose("hi")
    match.give(0, Resign())

    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "resigned"
    assert [(s.place, s.won, s.rank_games) for s in result.standings] == [
        (2, False, 2),
        (1, True, 2),
    ]
    assert GAME.turns(match.state) == {}


def test_6_3_a_seat_may_resign_when_it_is_not_on_turn() -> None:
    match = table("abc def")
    match.give(1, Resign())

    assert ended(match) == [GameEnded(1, 0, EndReason.RESIGNED, (3, 3), ())]


def test_6_4_the_ranking_gets_100_a_win_and_50_a_draw() -> None:
    match = table("a d", pot="bcef", games=2)
    match.choose("hi")
    match.at(("b", "c"), first=1, pot="adef").choose("hi")

    result = GAME.result(match.state)
    assert result is not None
    assert [(s.rank_n_milli, s.rank_games) for s in result.standings] == [
        (150_000, 2),
        (50_000, 2),
    ]
