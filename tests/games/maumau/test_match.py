"""Clause 9: games in a row and the result of the match."""

from __future__ import annotations

import pytest

from games.maumau.scripted import DECK, cards, dealt, kinds, series, table, win
from spielwerk.cards import Suit
from spielwerk.games.game import Resign
from spielwerk.games.maumau import GAME
from spielwerk.games.maumau.messages import (
    GameEnded,
    SeriesEnded,
)


def test_9_1_the_points_of_all_games_are_added() -> None:
    match = series(3)
    for _ in range(3):
        win(match)

    ended = [event for event in match.events if isinstance(event, GameEnded)]
    assert [event.winner for event in ended] == [0, 1, 0]
    totals = [sum(event.points[seat] for event in ended) for seat in (0, 1)]
    assert match.events[-1] == SeriesEnded((totals[0], totals[1]), (1, 2))
    assert match.state.totals == tuple(totals)


def test_9_1_equal_totals_share_the_place() -> None:
    match = series(2)
    win(match)
    win(match)

    assert match.state.totals[0] == match.state.totals[1] > 0
    assert match.state.places == (1, 1)
    result = GAME.result(match.state)
    assert result is not None
    assert [standing.won for standing in result.standings] == [True, True]


def test_9_2_the_next_game_begins_by_itself_and_from_scratch() -> None:
    match = dealt(2, DECK, DECK, games=2, hand_size=2)
    match.state = table(
        "2H",
        "9S 4S",
        up="JH",
        games=2,
        hand_size=2,
        more={"announced": (True, True), "wish": Suit.HEARTS, "direction": -1},
    ).state
    events = match.do("2H")

    assert kinds(events)[2:6] == ["GameEnded", "GameStarted", "HandDealt", "HandDealt"]
    now = match.table
    assert (now.game, now.turn, now.turn_no, now.direction) == (2, 1, 1, 1)
    assert (now.wish, now.pending, now.announced) == (None, 0, (False, False))


@pytest.mark.parametrize("games", [1, 2])
def test_9_7_the_result_carries_points_and_games(games: int) -> None:
    match = series(games)
    for _ in range(games):
        win(match)

    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "maumau"
    for seat, standing in enumerate(result.standings):
        total = match.state.totals[seat]
        assert standing.seat == seat
        assert standing.score_milli == standing.rank_n_milli == 1000 * total
        assert standing.rank_games == games
        assert standing.extras == {"games_won": match.state.wins[seat]}


def test_9_7_games_without_cards_do_not_count_for_the_ranking() -> None:
    deck = cards("2H 9S 9C 3H 4S 4C 5H")
    match = dealt(3, deck, DECK, DECK, games=3, hand_size=2)
    match.give(1, Resign())
    for _ in range(3):
        win(match)

    result = GAME.result(match.state)
    assert result is not None
    assert [standing.rank_games for standing in result.standings] == [3, 1, 3]
    assert result.standings[1].rank_n_milli == 13_000


def test_9_7_the_ranking_is_that_of_the_rules() -> None:
    ranking = GAME.ranking

    assert (ranking.offset, ranking.sign, ranking.k_milli, ranking.divisor) == (500, -1, 1050, 5)
