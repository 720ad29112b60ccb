"""Clause 6: places, ties and what the ranking gets."""

from __future__ import annotations

from games.yatzee.scripted import Match
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.model import Row
from spielwerk.games.yatzee.standings import ranked


def level(used: dict[int, int], better: int | None = None) -> Match:
    """Everybody throws the same, but for one more point of `better`; times as given."""
    match = Match(len(used))
    for seat, spent in used.items():
        match.elapsed[seat] = spent
        match.roll(seat, 1, 1, 2, 4, 5 if seat == better else 4)
        match.elapsed[seat] = 0
        match.enter(seat, Row.CHANCE)
    while match.state.reason is None:
        seat = min(GAME.turns(match.state))
        match.turn(seat, match.sheet(seat).open_rows[0], 1, 1, 2, 4, 6)
    return match


def test_6_1_one_point_more_beats_any_time() -> None:
    match = level({0: 0, 1: 899_999}, better=1)

    assert [final.final_milli % 1000 for final in match.state.finals] == [900, 0]
    assert [standing.place for standing in match.result.standings] == [2, 1]


def test_6_1_at_equal_points_the_larger_time_bonus_wins() -> None:
    match = level({0: 500_000, 1: 499_000})

    assert [final.time_bonus_milli for final in match.state.finals] == [400, 401]
    assert [standing.won for standing in match.result.standings] == [False, True]


def test_6_2_at_equal_thousandths_the_shorter_time_wins() -> None:
    match = level({0: 500_700, 1: 500_200})

    assert {final.time_bonus_milli for final in match.state.finals} == {399}
    assert [standing.place for standing in match.result.standings] == [2, 1]


def test_6_2_equal_to_the_millisecond_is_a_shared_place_and_leaves_a_gap() -> None:
    match = level({0: 500_000, 1: 500_000, 2: 500_001})

    assert [standing.place for standing in match.result.standings] == [1, 1, 3]
    assert [standing.won for standing in match.result.standings] == [True, True, False]
    assert ranked([5, 9, 9, 9, 1], [0] * 5) == (4, 1, 1, 1, 5)


def test_6_3_a_match_that_breaks_off_places_the_last_seat_first_and_the_others_as_they_are() -> (
    None
):
    match = Match(4)
    match.turn(0, Row.CHANCE, 1, 1, 1, 1, 1)
    match.turn(1, Row.CHANCE, 6, 6, 6, 6, 5)
    match.turn(2, Row.CHANCE, 2, 2, 2, 2, 1)
    for seat in (0, 1, 2):
        match.leave(seat)

    assert [standing.place for standing in match.result.standings] == [4, 2, 3, 1]


def test_6_3_what_the_broken_off_match_brought_is_its_score() -> None:
    match = Match()
    match.turn(0, Row.CHANCE, 6, 6, 6, 6, 5)
    match.leave(1)

    assert [standing.score_milli for standing in match.result.standings] == [29_900, 0]


def test_6_4_the_ranking_gets_the_points_with_the_time_bonus_and_one_game() -> None:
    match = level({0: 500_000, 1: 0})
    result = match.result

    assert result.reason == "all_rounds_played"
    for standing, final in zip(result.standings, match.state.finals, strict=True):
        assert standing.rank_n_milli == standing.score_milli == final.final_milli
        assert final.final_milli == 1000 * final.total + final.time_bonus_milli
        assert standing.rank_games == 1
