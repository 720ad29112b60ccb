"""Clauses 7 and 8: winning and pegs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.cribbage.scripted import Match, cards, dealt, kept
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardsDealt,
    DealEnded,
    DealStarted,
    GameEnded,
    HandCounted,
    Resigned,
    Scored,
)
from spielwerk.games.cribbage.model import EndReason, Holding, Phase, PlayPoints, ScoredFor, Skunk
from spielwerk.games.game import Resign, Standing

LOW = ("AC 2C 3C 4C 5C 6C", "AD 2D 3D 4D 5D 6D")
TENS = ("KC KD QC QD", "9H 9S 8H 8S")
TENS_PLAYED = ("9H", "KC", "9S", "KD", "8H", "QC", "8S", "QD")


def ended(match: Match) -> list[GameEnded]:
    return [event for event in match.events if isinstance(event, GameEnded)]


# 7 Winning


def test_7_1_a_played_card_that_reaches_the_target_ends_the_game() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119))
    events = match.play("KC", "5H")

    assert events[-1] == GameEnded(
        game_no=1,
        winner=1,
        scores=(0, 121),
        reason=EndReason.TARGET_REACHED,
        skunk=Skunk.NONE,
        unplayed=(Holding(0, cards("KD QC QD")), Holding(1, cards("9S 8H 8S"))),
        crib=ended(match)[0].crib,
    )
    assert [len(holding.cards) for holding in ended(match)[0].crib] == [2, 2]
    assert match.state.phase is Phase.MATCH_OVER
    assert GAME.turns(match.state) == {}


def test_7_1_a_go_can_win() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", dealer=0, front=(117, 120))
    match.play("KD", "AC", "QD", "2C", "3C", "4C")

    assert ended(match)[0].winner == 0
    assert ended(match)[0].scores == (121, 120)


def test_7_1_nothing_is_counted_after_the_winning_count() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0, front=(100, 117))
    match.play(*TENS_PLAYED)

    counted = [event for event in match.events if isinstance(event, HandCounted)]
    assert [event.seat for event in counted] == [1]
    assert ended(match)[0].winner == 1
    assert not any(isinstance(event, DealEnded) for event in match.events)


def test_7_2_the_points_of_one_scoring_are_not_divided() -> None:
    match = kept("4C 5D QC QD", "6S 9S 8H 8S", dealer=1, front=(119, 0))
    events = match.play("4C", "6S", "5D")
    assert events[1] == Scored(0, ScoredFor.PLAY, 5, 2, PlayPoints(fifteen=2, run=3))


def test_7_3_the_score_stops_at_the_target_and_the_event_keeps_the_full_points() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C", dealer=0, front=(0, 117))
    match.play(*TENS_PLAYED)

    last = [event for event in match.events if isinstance(event, Scored)][-1]
    assert (last.why, last.points, last.pegged) == (ScoredFor.HAND, 4, 3)
    assert match.state.front == (2, 121)
    assert match.state.back == (1, 118)


def test_7_4_the_short_game_ends_at_61() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 59), target=61)
    match.play("KC", "5H")

    assert ended(match)[0].scores == (0, 61)


def test_7_5_the_next_game_begins_by_itself_and_scores_begin_at_zero() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119), games_to_win=2)
    events = match.play("KC", "5H")

    assert [type(e) for e in events[-3:]] == [DealStarted, CardsDealt, CardsDealt]
    assert match.state.phase is Phase.DISCARD
    assert match.state.front == match.state.back == (0, 0)
    assert match.state.series.games_won == (0, 1)
    assert GAME.result(match.state) is None
    assert {turn.key for turn in GAME.turns(match.state).values()} == {"2.1.discard"}


def test_7_5_who_first_has_the_games_wins_the_match() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119), games_to_win=2)
    won = replace(match.state.series, games_won=(1, 1), wins=(1, 1), games_played=2)
    match.state = replace(match.state, series=won)
    match.play("KC", "5H")

    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "target_reached"
    assert [(s.place, s.won, s.rank_games) for s in result.standings] == [
        (2, False, 3),
        (1, True, 3),
    ]
    assert [(s.rank_n_milli, s.score_milli) for s in result.standings] == [
        (100_000, 0),
        (200_000, 121_000),
    ]


@pytest.mark.parametrize(
    ("target", "loser", "skunk", "games"),
    [
        (121, 91, Skunk.NONE, 1),
        (121, 90, Skunk.SINGLE, 2),
        (121, 61, Skunk.SINGLE, 2),
        (121, 60, Skunk.DOUBLE, 3),
        (61, 31, Skunk.NONE, 1),
        (61, 30, Skunk.SINGLE, 2),
        (61, 0, Skunk.SINGLE, 2),
    ],
)
def test_7_6_a_skunk_counts_more_games(target: int, loser: int, skunk: Skunk, games: int) -> None:
    match = kept(
        "KC KD QC QD",
        "5H 9S 8H 8S",
        dealer=1,
        front=(loser, target - 2),
        target=target,
        skunk=True,
        games_to_win=4,
    )
    match.play("KC", "5H")

    assert ended(match)[0].skunk is skunk
    assert match.state.series.games_won == (0, games)
    assert match.state.series.wins == (0, 1)


def test_7_6_without_the_option_there_is_no_skunk() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(0, 119))
    match.play("KC", "5H")

    assert ended(match)[0].skunk is Skunk.NONE


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("phase", ["discard", "play"])
def test_7_7_a_seat_may_resign_at_any_time(seat: int, phase: str) -> None:
    match = dealt(*LOW) if phase == "discard" else kept("KC KD QC QD", "5H 9S 8H 8S")
    match.at((7, 9))
    events = match.give(seat, Resign())

    assert events[0] == Resigned(seat)
    assert ended(match)[0].winner == 1 - seat
    assert ended(match)[0].scores == (7, 9)
    assert len(events) == 2
    result = GAME.result(match.state)
    assert result is not None
    assert result.reason == "resigned"
    assert result.standings[1 - seat].won


def test_7_7_resigning_ends_a_match_of_several_games() -> None:
    match = dealt(*LOW, games_to_win=5, skunk=True)
    match.give(0, Resign())

    assert match.state.phase is Phase.MATCH_OVER
    assert ended(match)[0].skunk is Skunk.NONE


def test_7_8_the_result_counts_each_game_once_for_the_ranking() -> None:
    match = kept(
        "KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(50, 119), skunk=True, games_to_win=3
    )
    match.play("KC", "5H")

    result = GAME.result(match.state)
    assert result is not None
    assert result.standings[1] == Standing(
        seat=1,
        place=1,
        won=True,
        score_milli=121_000,
        rank_n_milli=100_000,
        rank_games=1,
        extras={"games_won": 3},
    )
    assert result.standings[0] == Standing(
        seat=0,
        place=2,
        won=False,
        score_milli=50_000,
        rank_n_milli=0,
        rank_games=1,
        extras={"games_won": 0},
    )


# 8 Pegs


def test_8_1_the_back_peg_jumps_to_where_the_front_peg_stood() -> None:
    match = kept("KC KD QC QD", "5H 9S 8H 8S", dealer=1, front=(3, 10))
    match.play("KC", "5H")

    assert (match.state.front, match.state.back) == ((3, 12), (3, 10))


def test_8_2_a_count_of_zero_moves_nothing() -> None:
    match = kept("2H 4H 6H 8D", "KC KD QC JD", starter="TH", dealer=1, away=("3C 7C", "9S QS"))
    before = replace(match.state, front=(10, 4), back=(7, 4))

    assert GAME.evolve(before, Scored(0, ScoredFor.HAND, 0, 0)) == before


def test_8_3_heels_a_card_a_go_a_hand_and_the_crib_are_one_scoring_each() -> None:
    match = kept("AC 2C 3C 4C", "KD QD JD TD", starter="JS", dealer=0)
    match.play("KD", "AC", "QD", "2C", "3C", "4C", "JD", "TD")

    scored = [(event.seat, event.why) for event in match.events if isinstance(event, Scored)]
    assert scored == [
        (0, ScoredFor.HEELS),
        (0, ScoredFor.PLAY),
        (0, ScoredFor.GO),
        (1, ScoredFor.PLAY),
        (1, ScoredFor.HAND),
        (0, ScoredFor.HAND),
        (0, ScoredFor.CRIB),
    ]


def test_8_1_front_minus_back_is_the_last_gain_of_the_seat() -> None:
    match = kept("KC KD QC QD", "9H 9S 8H 8S", starter="2C")
    match.play(*TENS_PLAYED)
    state = GAME.setup(match.state.options, 2)
    gains = {0: 0, 1: 0}

    for event in match.events:
        state = GAME.evolve(state, event)
        if isinstance(event, Scored) and event.points:
            gains[event.seat] = event.pegged
        assert [state.front[seat] - state.back[seat] for seat in (0, 1)] == [gains[0], gains[1]]
