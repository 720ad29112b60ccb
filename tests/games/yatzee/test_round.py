"""Clauses 3 and 4: a round, its barriers, and playing at the same time."""

from __future__ import annotations

from typing import Any

import pytest

from games.yatzee.scripted import Match
from spielwerk.errors import StaleTurn
from spielwerk.games.game import Resign, TimeOut
from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.messages import (
    Command,
    DiceHeld,
    DiceRolled,
    Enter,
    MatchEnded,
    NextThrow,
    Roll,
    RoundEnded,
    RoundStarted,
    RowEntered,
    ThrowOpened,
)
from spielwerk.games.yatzee.model import Row, Status, Throw
from spielwerk.games.yatzee.options import Sync


def kinds(events: Any) -> list[str]:
    return [type(event).__name__ for event in events]


@pytest.mark.parametrize("seats", [2, 5])
def test_3_1_all_seats_have_the_cup_when_a_round_begins(seats: int) -> None:
    match = Match(seats)
    for number in (1, 2, 3):
        assert match.state.round == number
        assert list(GAME.turns(match.state)) == list(range(seats))
        assert match.statuses == ["cup"] * seats
        match.play_round()


def test_3_2_a_seat_goes_from_cup_to_table_to_wait_to_cup_to_done() -> None:
    match = Match()
    seen = [match.state.places[0].status]
    for move in (Roll(), NextThrow((0,))):
        match.give(0, move)
        seen.append(match.state.places[0].status)
    match.turn(1, Row.CHANCE)
    seen.append(match.state.places[0].status)
    match.roll(0)
    match.enter(0, Row.ONES)

    assert seen == [Status.CUP, Status.TABLE, Status.WAIT, Status.CUP]
    assert match.of(RowEntered)[-1].seat == 0


def test_3_3_the_first_throw_is_of_all_five_dice_and_later_ones_of_the_loose_ones() -> None:
    match = Match(sync=Sync.ROUND)
    (first,) = match.roll(0, 1, 2, 3, 4, 5)
    match.hold(0, 0, 3)
    (second,) = match.roll(0, 6, 6, 6, 6, 6)
    assert isinstance(first, DiceRolled)
    assert isinstance(second, DiceRolled)

    assert (first.throw, first.thrown, first.dice) == (1, (0, 1, 2, 3, 4), (1, 2, 3, 4, 5))
    assert (second.throw, second.thrown, second.dice) == (2, (1, 2, 4), (1, 6, 6, 4, 6))


def test_3_3_there_are_three_throws() -> None:
    match = Match(sync=Sync.ROUND)
    for _ in range(2):
        match.roll(0)
        match.hold(0)
    match.roll(0)

    assert match.refusal(0, NextThrow(())) == "no_throws_left"
    assert match.refusal(0, Roll()) == "choose_first"


@pytest.mark.parametrize("hold", [(), (4,), (0, 1, 2, 3), (3, 1)])
def test_3_4_up_to_four_dice_are_locked_in_any_order(hold: tuple[int, ...]) -> None:
    match = Match()
    match.roll(0)
    (held,) = match.hold(0, *hold)

    assert held == DiceHeld(0, tuple(sorted(hold)), 0)


def test_3_4_a_locked_die_may_be_released_for_the_third_throw() -> None:
    match = Match(sync=Sync.ROUND)
    match.roll(0, 1, 2, 3, 4, 5)
    match.hold(0, 0, 1)
    match.roll(0, 6, 6, 6, 6, 6)
    match.hold(0, 2)
    match.roll(0, 5, 5, 5, 5, 5)

    assert match.state.places[0].own.throws == (
        Throw((1, 2, 3, 4, 5), (0, 1)),
        Throw((1, 2, 6, 6, 6), (2,)),
        Throw((5, 5, 6, 5, 5)),
    )


@pytest.mark.parametrize("throws", [1, 2, 3])
def test_3_5_a_row_may_be_entered_after_each_throw(throws: int) -> None:
    match = Match(sync=Sync.ROUND)
    for _ in range(throws - 1):
        match.roll(0)
        match.hold(0)
    match.roll(0)
    offered = GAME.legal(match.state, 0)

    assert [type(c) for c in offered if isinstance(c, Enter)] == [Enter] * 13
    assert len([c for c in offered if isinstance(c, NextThrow)]) == (31 if throws < 3 else 0)
    assert match.enter(0, Row.ONES)


def test_3_6_with_sync_throw_a_seat_waits_for_its_next_throw() -> None:
    match = Match()
    match.roll(0)
    match.hold(0)

    assert match.statuses == ["wait", "cup"]
    assert list(GAME.turns(match.state)) == [1]


def test_3_6_with_sync_round_a_seat_has_the_cup_at_once() -> None:
    match = Match(sync=Sync.ROUND)
    match.roll(0)
    match.hold(0)

    assert match.statuses == ["cup", "cup"]
    assert GAME.legal(match.state, 0) == (Roll(),)


def test_3_7_the_last_one_to_finish_a_throw_opens_the_next() -> None:
    match = Match(3)
    for seat in range(3):
        match.roll(seat)
    match.hold(1)
    match.enter(2, Row.CHANCE)
    events = match.hold(0)

    assert kinds(events) == ["DiceHeld", "ThrowOpened"]
    assert match.statuses == ["cup", "cup", "done"]
    assert match.of(ThrowOpened)[-1].throw == 2


def test_3_7_an_entry_can_open_the_next_throw_for_those_who_wait() -> None:
    match = Match()
    match.roll(0)
    match.hold(0, 0)
    match.roll(1)

    assert kinds(match.enter(1, Row.CHANCE)) == ["RowEntered", "ThrowOpened"]


def test_3_7_the_last_entry_ends_the_round_and_begins_the_next() -> None:
    match = Match()
    match.turn(0, Row.CHANCE)
    match.roll(1)

    assert kinds(match.enter(1, Row.CHANCE)) == ["RowEntered", "RoundEnded", "RoundStarted"]


def test_3_7_the_last_entry_of_round_13_ends_the_match() -> None:
    match = Match(5)
    match.play_to_the_end()

    assert kinds(match.events[-3:]) == ["RowEntered", "RoundEnded", "MatchEnded"]
    assert len(match.of(MatchEnded)) == 1
    assert len(match.of(RoundStarted)) == len(match.of(RoundEnded)) == 13


def test_3_8_who_has_entered_does_nothing_until_the_round_ends() -> None:
    match = Match(3)
    match.turn(0, Row.CHANCE)
    match.roll(1)
    match.hold(1)
    match.roll(2)
    match.hold(2)

    assert match.statuses == ["done", "cup", "cup"]
    assert GAME.legal(match.state, 0) == ()
    assert match.refusal(0, Roll()) == "round_done"


ALL_MOVES: tuple[Command, ...] = (Roll(), NextThrow(()), Enter(Row.ONES))


@pytest.mark.parametrize(
    ("status", "reasons"),
    [
        ("cup", (None, "roll_first", "roll_first")),
        ("table", ("choose_first", None, None)),
        ("wait", ("waiting_for_others",) * 3),
        ("done", ("round_done",) * 3),
    ],
)
def test_3_9_each_status_has_its_refusals(status: str, reasons: tuple[str | None, ...]) -> None:
    match = Match()
    if status != "cup":
        match.roll(0)
    if status == "wait":
        match.hold(0)
    if status == "done":
        match.enter(0, Row.CHANCE)
    assert match.statuses[0] == status

    for move, reason in zip(ALL_MOVES, reasons, strict=True):
        if reason is None:
            assert GAME.decide(match.state, 0, move, match.context)
        else:
            assert match.refusal(0, move) == reason


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (NextThrow((0, 0)), "bad_hold"),
        (NextThrow((5,)), "bad_hold"),
        (NextThrow((-1,)), "bad_hold"),
        (NextThrow((0, 1, 2, 3, 4, 4)), "bad_hold"),
        (NextThrow((4, 3, 2, 1, 0)), "nothing_to_throw"),
        (Enter("sevens"), "bad_row"),  # type: ignore[arg-type]
        (TimeOut(0, "1.1.table"), "bad_command"),
    ],
)
def test_3_9_what_no_dice_allow_is_refused(move: Command, reason: str) -> None:
    match = Match()
    match.roll(0)

    assert match.refusal(0, move) == reason


def test_3_9_after_the_third_throw_the_missing_throw_is_named_before_the_bad_hold() -> None:
    match = Match(sync=Sync.ROUND)
    for _ in range(2):
        match.roll(0)
        match.hold(0)
    match.roll(0)

    assert match.refusal(0, NextThrow((9,))) == "no_throws_left"


@pytest.mark.parametrize("actor", [None, 2, -1])
def test_3_9_only_the_seats_may_act(actor: int | None) -> None:
    for move in (*ALL_MOVES, Resign()):
        assert Match().refusal(actor, move) == "not_a_player"


def test_3_9_after_the_end_everything_is_refused() -> None:
    match = Match()
    match.play_to_the_end()

    for move in (*ALL_MOVES, Resign()):
        assert match.refusal(0, move) == "match_over"
    assert match.refusal(9, Roll()) == "match_over"


@pytest.mark.parametrize("sync", Sync)
def test_3_10_nothing_is_entered_while_loose_dice_are_in_the_cup(sync: Sync) -> None:
    match = Match(sync=sync)
    match.roll(0, 6, 6, 6, 6, 1)
    match.hold(0, 0, 1, 2, 3)
    match.turn(1, Row.CHANCE)

    assert match.statuses[0] == "cup"
    assert match.refusal(0, Enter(Row.SIXES)) == "roll_first"


def test_4_1_two_orders_of_the_same_commands_lead_to_the_same_table() -> None:
    one, other = Match(spent=700), Match(spent=700)
    one.turn(0, Row.CHANCE)
    one.roll(1)
    one.hold(1, 2)
    other.roll(1)
    other.hold(1, 2)
    other.turn(0, Row.CHANCE)

    assert one.state == other.state
    assert kinds(one.events)[-1] == kinds(other.events)[-1] == "ThrowOpened"


def test_4_2_keys_name_round_throw_and_status() -> None:
    match = Match(sync=Sync.ROUND)
    keys = [GAME.turns(match.state)[0].key]
    for move in (Roll(), NextThrow(()), Roll()):
        match.give(0, move)
        keys.append(GAME.turns(match.state)[0].key)
    match.enter(0, Row.CHANCE)
    match.turn(1, Row.CHANCE)
    keys.append(GAME.turns(match.state)[0].key)

    assert keys == ["1.1.cup", "1.1.table", "1.2.cup", "1.2.table", "2.1.cup"]


def test_4_2_what_others_do_leaves_a_seats_turn_as_it_is() -> None:
    match = Match(5, spent=2000)
    before = GAME.turns(match.state)[3]
    for seat in (0, 1, 2, 4):
        match.turn(seat, Row.CHANCE)

    assert GAME.turns(match.state) == {3: before}


def test_4_2_the_second_of_two_equal_commands_is_refused_and_its_key_closed() -> None:
    match = Match()
    key = GAME.turns(match.state)[0].key
    match.roll(0)

    assert match.refusal(0, Roll()) == "choose_first"
    with pytest.raises(StaleTurn):
        match.give(None, TimeOut(0, key))
    match.enter(0, Row.CHANCE)
    assert match.refusal(0, Enter(Row.CHANCE)) == "round_done"
