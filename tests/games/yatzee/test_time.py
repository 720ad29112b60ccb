"""Clause 5: the time budget, what follows when it is used up, and leaving."""

from __future__ import annotations

import pytest

from games.yatzee.scripted import Match
from spielwerk.errors import StaleTurn
from spielwerk.games.game import Resign, TimeOut
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import (
    BudgetExhausted,
    DiceHeld,
    DiceRolled,
    MatchEnded,
    PlayerLeft,
    RoundEnded,
    RoundStarted,
    RowEntered,
    ThrowOpened,
)
from spielwerk.games.yatzee.model import Row
from spielwerk.games.yatzee.options import LastSeat, OnBudgetExhausted, Sync
from spielwerk.games.yatzee.standings import time_bonus_milli

STRICT = [OnBudgetExhausted.STRIKE, OnBudgetExhausted.FORFEIT]


def allowance(match: Match, seat: int) -> int | None:
    return GAME.turns(match.state)[seat].allowance_ms


def test_5_1_a_turn_may_take_the_rest_of_the_budget() -> None:
    match = Match(spent=1234)
    assert allowance(match, 0) == 900_000
    match.roll(0)

    assert allowance(match, 0) == 900_000 - 1234
    assert allowance(match, 1) == 900_000


def test_5_1_the_clock_stands_while_a_seat_waits_or_is_done() -> None:
    match = Match(3, spent=1000)
    match.roll(0)
    match.hold(0)
    match.turn(1, Row.CHANCE)
    match.elapsed[2] = 800_000
    match.roll(2)
    match.elapsed[2] = 0
    match.hold(2)

    assert match.used == [2000, 2000, 800_000]
    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(1, "1.1.table"))


def test_5_2_the_time_used_is_the_sum_of_what_the_events_say() -> None:
    match = Match(4)
    for step in range(200):
        if match.state.reason is not None:
            break
        seat = step % 4
        if seat in GAME.turns(match.state):
            match.elapsed[seat] = 311 * step
            match.give(seat, GAME.legal(match.state, seat)[-1])

    spent = [0] * 4
    for event in match.of(DiceRolled, DiceHeld, RowEntered, BudgetExhausted):
        spent[event.seat] += event.spent_ms
    assert match.used == spent
    assert sum(spent) > 0


def test_5_2_never_more_than_the_budget_is_used() -> None:
    match = Match(time_budget_s=10)
    match.elapsed[0] = 25_000
    match.roll(0)

    assert match.used[0] == 10_000


@pytest.mark.parametrize(
    ("used_ms", "milli"),
    [
        (0, 900),
        (500_000, 400),
        (500_001, 399),
        (899_000, 1),
        (899_001, 0),
        (899_999, 0),
        (900_000, 0),
    ],
)
def test_5_3_each_whole_unused_second_is_a_thousandth(used_ms: int, milli: int) -> None:
    assert time_bonus_milli(900_000, used_ms) == milli


def test_5_3_303_points_after_500_seconds_are_303_4() -> None:
    match = Match(spent=0)
    match.elapsed[0] = 500_000
    match.roll(0)
    match.elapsed[0] = 0
    match.enter(0, match.sheet(0).open_rows[0])
    standing = match.play_to_the_end().standings[0]

    assert standing.score_milli == 1000 * match.state.finals[0].total + 400


@pytest.mark.parametrize("late_ms", [0, 1, 250, 60_000])
def test_5_4_a_command_at_or_after_the_deadline_counts_and_takes_all_that_is_left(
    late_ms: int,
) -> None:
    match = Match(time_budget_s=10)
    match.elapsed[0] = 10_000 + late_ms
    events = match.roll(0, 6, 6, 6, 6, 6)

    assert [type(event) for event in events] == [DiceRolled, BudgetExhausted, RowEntered]
    assert events[1] == BudgetExhausted(0, 0)
    assert match.sheet(0).of(Row.YATZEE) == 50
    assert match.used[0] == 10_000


def test_5_4_a_seat_that_waits_without_time_plays_no_more_when_the_throw_opens() -> None:
    match = Match(time_budget_s=10)
    match.roll(0, 6, 6, 6, 1, 2)
    match.elapsed[0] = 10_000
    match.hold(0, 0, 1, 2)
    assert match.statuses == ["wait", "cup"]
    assert not match.state.places[0].exhausted

    match.load(0, (), (6, 6, 6, 6, 6))
    match.roll(1)
    events = match.hold(1)
    assert [type(event) for event in events[1:]] == [
        ThrowOpened,
        BudgetExhausted,
        DiceRolled,
        RowEntered,
    ]
    assert match.sheet(0).of(Row.YATZEE) == 50


def test_5_4_an_entry_without_time_left_ends_nothing_before_the_next_round() -> None:
    match = Match(time_budget_s=10)
    match.roll(0)
    match.elapsed[0] = 10_000
    match.enter(0, Row.CHANCE)
    assert not match.of(BudgetExhausted)

    match.turn(1, Row.CHANCE)
    assert match.of(BudgetExhausted) == [BudgetExhausted(0, 0)]
    assert match.statuses == ["done", "cup"]


def test_5_4_whoever_enters_its_last_row_with_its_last_ms_is_not_out_of_time() -> None:
    match = Match(time_budget_s=10)
    for _ in range(12):
        match.play_round()
    match.roll(0)
    match.elapsed[0] = 10_000
    match.enter(0, match.sheet(0).open_rows[0])
    match.play_to_the_end()

    assert not match.of(BudgetExhausted)
    assert match.state.finals[0].time_bonus_milli == 0


def test_5_5_a_timeout_takes_the_rest_of_the_budget() -> None:
    match = Match(spent=1500)
    match.roll(0)
    events = match.expire(0)

    assert events[0] == BudgetExhausted(0, 898_500)
    assert match.used == [900_000, 0]
    assert match.state.places[0].exhausted


def test_5_5_nobody_waits_for_a_seat_without_time() -> None:
    match = Match(3)
    match.expire(1)
    while match.state.reason is None:
        assert 1 not in GAME.turns(match.state)
        match.play_round()

    assert {event.spent_ms for event in match.of(DiceRolled) if event.seat == 1} == {0}
    assert match.state.finals[1].time_bonus_milli == 0


def test_5_5_when_all_are_out_of_time_the_match_is_played_to_its_end() -> None:
    match = Match(5)
    for seat in range(5):
        match.expire(seat)

    assert match.result.reason == "all_rounds_played"
    assert len(match.of(RoundEnded)) == 13
    assert all(event.auto for event in match.of(RowEntered))


def test_5_5_a_timeout_of_a_turn_that_is_not_open_is_refused() -> None:
    match = Match()
    match.roll(0)
    for key in ("1.1.cup", "1.2.cup", ""):
        with pytest.raises(StaleTurn):
            match.give(None, TimeOut(0, key))
    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(7, "1.1.table"))


def test_5_6_dice_on_the_table_are_entered_where_they_bring_most() -> None:
    """Open: fours, yatzee, chance. 2 2 3 5 6 bring 18 in chance."""
    match = Match()
    rest = [row for row in Row if row not in (Row.FOURS, Row.CHANCE, Row.YATZEE)]
    for row in rest:
        match.play_round(row)
    match.roll(0, 2, 2, 3, 5, 6)
    events = match.expire(0)

    assert events[1:] == (RowEntered(0, Row.CHANCE, (2, 2, 3, 5, 6), 18, False, 0, 0, True),)


def test_5_6_at_the_cup_the_due_throw_is_made_with_the_dice_held() -> None:
    match = Match(sync=Sync.ROUND)
    match.roll(0, 6, 6, 6, 6, 1)
    match.hold(0, 0, 1, 2, 3)
    match.load(0, (), (0, 0, 0, 0, 6))
    events = match.expire(0)

    assert events[1] == DiceRolled(0, 1, 2, (4,), (6, 6, 6, 6, 6), 0, True)
    assert match.sheet(0).of(Row.YATZEE) == 50


def test_5_6_of_equal_rows_the_first_one_is_taken() -> None:
    match = Match()
    match.play_round(Row.CHANCE)
    match.roll(0, 6, 6, 6, 6, 1)  # 25 in three and in four of a kind, 24 in sixes
    match.expire(0)

    assert match.sheet(0).of(Row.THREE_OF_A_KIND) == 25


def test_5_6_if_nothing_brings_points_the_first_open_row_is_struck() -> None:
    match = Match()
    for row in [row for row in Row if row not in (Row.FOUR_OF_A_KIND, Row.YATZEE)]:
        match.play_round(row)
    match.roll(0, 1, 2, 3, 4, 6)
    events = match.expire(0)

    assert events[1] == RowEntered(0, Row.FOUR_OF_A_KIND, (1, 2, 3, 4, 6), 0, True, 0, 0, True)


def test_5_6_in_later_rounds_it_throws_once_as_the_round_begins() -> None:
    match = Match()
    match.expire(0)
    events = match.turn(1, Row.CHANCE)

    later = events[[type(event) for event in events].index(RoundStarted) :]
    assert [type(event) for event in later] == [RoundStarted, DiceRolled, RowEntered]
    assert [(event.throw, event.auto) for event in match.of(DiceRolled) if event.round == 2] == [
        (1, True)
    ]


def test_5_6_a_seat_without_time_can_still_win() -> None:
    match = Match()
    match.roll(0, 6, 6, 6, 6, 6)
    match.expire(0)
    while match.state.reason is None:
        match.turn(1, match.sheet(1).open_rows[-1], 1, 1, 2, 4, 6)

    assert match.result.standings[0].won


@pytest.mark.parametrize("rule", STRICT)
def test_5_7_the_first_open_row_is_struck_whatever_the_dice(rule: OnBudgetExhausted) -> None:
    match = Match(on_budget_exhausted=rule)
    match.play_round(Row.ONES)
    match.roll(0, 6, 6, 6, 6, 6)
    events = match.expire(0)

    assert events[1:] == (RowEntered(0, Row.TWOS, (6,) * 5, 0, True, 0, 0, True),)


@pytest.mark.parametrize("rule", STRICT)
def test_5_7_in_later_rounds_it_throws_no_more(rule: OnBudgetExhausted) -> None:
    match = Match(on_budget_exhausted=rule)
    match.expire(0)
    match.play_to_the_end()

    assert not [event for event in match.of(DiceRolled) if event.seat == 0]
    struck = [event for event in match.of(RowEntered) if event.seat == 0]
    assert [(event.row, event.struck) for event in struck] == [(row, True) for row in Row]


def test_5_8_a_forfeit_places_behind_all_others_whatever_the_points() -> None:
    match = Match(3, on_budget_exhausted=OnBudgetExhausted.FORFEIT)
    match.turn(0, Row.YATZEE, 6, 6, 6, 6, 6)
    for seat in (1, 2):
        match.turn(seat, Row.CHANCE, 1, 1, 1, 1, 2)
    match.expire(0)
    while match.state.reason is None:
        seat = min(GAME.turns(match.state))
        match.turn(seat, match.sheet(seat).open_rows[-1], 1, 1, 2, 4, 6)

    assert match.state.finals[0].total == 50
    assert [final.place for final in match.state.finals] == [3, 1, 1]


def test_5_8_several_forfeits_are_ordered_among_themselves() -> None:
    match = Match(3, on_budget_exhausted=OnBudgetExhausted.FORFEIT)
    match.turn(0, Row.CHANCE, 1, 1, 1, 1, 2)
    match.turn(1, Row.CHANCE, 6, 6, 6, 6, 5)
    match.turn(2, Row.CHANCE, 1, 1, 1, 1, 1)
    match.expire(0)
    match.expire(1)
    match.play_to_the_end()

    assert [final.place for final in match.state.finals] == [3, 2, 1]


def test_5_9_leaving_is_as_if_the_time_were_used_up() -> None:
    gone, late = Match(3, spent=100), Match(3, spent=100)
    for match in (gone, late):
        match.roll(0)
    gone.leave(0)
    late.expire(0)

    assert gone.of(PlayerLeft) == [PlayerLeft(0)]
    assert not gone.of(BudgetExhausted)
    assert gone.events[-1] == late.events[-1]
    assert gone.used == late.used == [900_000, 0, 0]


def test_5_9_a_seat_that_waits_makes_its_due_throw_as_it_leaves() -> None:
    match = Match(3)
    match.roll(0, 6, 6, 6, 1, 2)
    match.hold(0, 0, 1, 2)
    match.load(0, (), (0, 0, 0, 6, 6))
    events = match.leave(0)

    assert [type(event) for event in events] == [PlayerLeft, DiceRolled, RowEntered]
    assert match.sheet(0).of(Row.YATZEE) == 50


@pytest.mark.parametrize("status", ["cup", "table", "wait", "done"])
def test_5_9_leaving_is_possible_at_any_time_once(status: str) -> None:
    match = Match(3)
    if status != "cup":
        match.roll(0)
    if status == "wait":
        match.hold(0)
    if status == "done":
        match.enter(0, Row.CHANCE)
    assert match.statuses[0] == status
    assert not any(isinstance(command, Resign) for command in GAME.legal(match.state, 0))
    match.leave(0)

    assert match.statuses == ["done", "cup", "cup"]
    assert match.refusal(0, Resign()) == "already_left"


def test_5_9_a_seat_that_is_out_of_time_may_still_leave() -> None:
    match = Match(3)
    match.expire(0)

    assert match.leave(0) == (PlayerLeft(0),)


@pytest.mark.parametrize("seats", [2, 5])
def test_5_10_the_last_seat_has_won_and_the_match_ends(seats: int) -> None:
    match = Match(seats)
    match.turn(0, Row.YATZEE, 6, 6, 6, 6, 6)
    for seat in range(seats - 1):
        match.leave(seat)

    result = match.result
    assert result.reason == "resigned"
    assert [s.seat for s in result.standings if s.won] == [seats - 1]
    assert len(match.of(MatchEnded)) == 1


def test_5_10_by_option_the_last_seat_plays_on_to_the_end() -> None:
    match = Match(3, last_seat=LastSeat.PLAYS_ON)
    match.leave(0)
    match.leave(1)
    assert list(GAME.turns(match.state)) == [2]

    assert match.play_to_the_end().reason == "all_rounds_played"


def test_5_10_if_the_last_one_leaves_too_the_match_is_played_to_its_end() -> None:
    match = Match(2, last_seat=LastSeat.PLAYS_ON)
    match.leave(0)
    match.leave(1)

    assert match.result.reason == "all_rounds_played"
