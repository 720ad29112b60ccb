"""Ends, scores and time (clauses 6 and 7)."""

from __future__ import annotations

import pytest

from games.house_of_cards.scripted import Match
from spielwerk.errors import StaleTurn
from spielwerk.games.game import Aggregate, TimeOut
from spielwerk.games.house_of_cards import GAME
from spielwerk.games.house_of_cards.messages import Finish, Replace, TimedOut
from spielwerk.games.house_of_cards.model import EndReason
from spielwerk.games.house_of_cards.options import USUAL_CREDITS, CreditStep, credits_of

SHORT = "KC KD 4S 5H 6C 7D 8H 9S 2C 3D"


def test_6_1_the_last_roof_ends_the_game_at_once(perfect: Match) -> None:
    assert perfect.ending.reason is EndReason.COMPLETE
    assert len(perfect.site.open) == 3
    assert len(perfect.state.left_in_stock(0)) == 46


def test_6_1_stuck_may_come_at_the_start() -> None:
    assert Match("2H 3D 4S 5C").ending.reason is EndReason.STUCK


def test_6_1_a_floor_that_could_be_laid_keeps_the_game_open() -> None:
    game = Match("KC KD 4S 5H 6C QC QD")
    game.do("roof 1 0 0 1", "roof 1 1 0 1")
    assert game.site.ending is None
    game.do("floor 1 0 2")

    assert game.ending.reason is EndReason.STUCK


def test_6_2_without_a_pair_one_may_replace_or_finish() -> None:
    game = Match("2H 3D 4S 5C", open=3)

    assert game.site.ending is None
    assert GAME.legal(game.state, 0) == (Replace(), Finish())


def test_6_3_the_score_is_what_stands_after_every_event() -> None:
    game = Match("KC KD 4S 5H 6C 7D 8D XX 2C 3D")
    game.do("roof 1 0 0 1")
    assert game.site.score == 20
    game.do("roof 1 1 0 1")

    assert game.site.score == 0


def test_6_4_each_card_left_brings_two_points(perfect: Match) -> None:
    assert (perfect.ending.left, perfect.ending.bonus, perfect.ending.score) == (49, 98, 524)


def test_6_5_without_a_whole_house_there_is_no_bonus() -> None:
    game = Match(SHORT)
    game.do("roof 1 0 0 1", "finish")

    assert (game.ending.left, game.ending.bonus, game.ending.score) == (8, 0, 20)


@pytest.mark.parametrize("step", USUAL_CREDITS[1:], ids=lambda step: str(step.minimum))
def test_6_6_credits_change_exactly_at_each_step(step: CreditStep) -> None:
    before = USUAL_CREDITS[USUAL_CREDITS.index(step) - 1]

    assert credits_of(step.minimum - 1, USUAL_CREDITS) == before.credits
    assert credits_of(step.minimum, USUAL_CREDITS) == step.credits
    assert credits_of(step.minimum + 1, USUAL_CREDITS) == step.credits


def test_6_6_another_table_counts_from_the_options() -> None:
    game = Match(SHORT, credits=(CreditStep(0, 3), CreditStep(20, 9)))
    game.do("roof 1 0 0 1", "finish")
    result = GAME.result(game.state)

    assert result is not None
    assert result.standings[0].extras == {"credits": 9}


def test_6_7_alone_a_whole_house_has_won(perfect: Match) -> None:
    result = GAME.result(perfect.state)

    assert result is not None
    (standing,) = result.standings
    assert (result.reason, standing.place, standing.won) == ("complete", 1, True)
    assert standing.score_milli == standing.rank_n_milli == 524_000
    assert standing.extras == {"credits": 100}


def test_6_7_alone_an_unfinished_house_has_not() -> None:
    game = Match(SHORT)
    game.do("finish")
    result = GAME.result(game.state)

    assert result is not None
    assert (result.reason, result.standings[0].won) == ("player", False)


def test_6_7_in_a_duel_the_best_score_wins_and_equal_ones_share() -> None:
    game = Match(SHORT, seats=4)
    game.do("roof 1 0 0 1", "finish", seat=1)
    game.do("roof 1 0 0 1", "finish", seat=3)
    game.do("finish", seat=0)
    assert GAME.result(game.state) is None
    game.do("finish", seat=2)
    result = GAME.result(game.state)

    assert result is not None
    assert result.reason == "all_ended"
    assert [standing.place for standing in result.standings] == [3, 1, 3, 1]
    assert [standing.won for standing in result.standings] == [False, True, False, True]


def test_6_7_the_ranking_keeps_the_best_score() -> None:
    assert GAME.ranking.aggregate is Aggregate.MAXIMUM
    assert GAME.ranking.k_milli == 0


def test_7_1_ten_minutes_without_a_command_finish_the_game() -> None:
    game = Match(SHORT)
    assert GAME.turns(game.state)[0].allowance_ms == 600_000
    game.do("roof 1 0 0 1")
    events = game.expire()

    assert events[0] == TimedOut(0, "m2")
    assert (game.ending.reason, game.ending.score) == (EndReason.PLAYER, 20)


def test_7_1_a_turn_that_is_over_cannot_time_out() -> None:
    game = Match(SHORT)
    game.do("roof 1 0 0 1")

    with pytest.raises(StaleTurn):
        game.give(None, TimeOut(0, "m1"))


def test_7_1_without_limits_a_turn_has_no_end() -> None:
    game = Match(SHORT, idle_limit_s=0)

    assert GAME.turns(game.state)[0].allowance_ms is None


def test_7_2_the_commands_together_have_the_time_limit() -> None:
    game = Match(SHORT, time_limit_s=60, elapsed=lambda _: 25_000)
    game.do("roof 1 0 0 1")
    assert GAME.turns(game.state)[0].allowance_ms == 35_000
    game.expire()

    assert game.ending.reason is EndReason.TIME


def test_7_2_the_command_that_uses_the_time_up_still_counts() -> None:
    game = Match(SHORT, time_limit_s=60, elapsed=lambda _: 60_100)
    game.do("roof 1 0 0 1")

    assert game.site.used_ms == 60_000
    assert (game.ending.reason, game.ending.score) == (EndReason.TIME, 20)


def test_7_2_a_longer_limit_leaves_the_idle_limit_in_force() -> None:
    game = Match(SHORT, time_limit_s=3600)
    game.expire()

    assert game.ending.reason is EndReason.PLAYER


def test_7_3_in_a_duel_nobody_waits_and_a_timeout_ends_one_game_alone() -> None:
    game = Match(SHORT + " 4H 5C 6D", seats=2)
    game.do("roof 1 0 0 1", seat=1)
    game.expire(0)

    assert list(GAME.turns(game.state)) == [1]
    game.do("replace", "finish", seat=1)
    assert GAME.result(game.state) is not None
