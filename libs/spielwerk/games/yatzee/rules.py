"""Yatzee: what each command leads to, who must act, and how it ends (clauses: README)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from spielwerk.errors import Illegal, StaleTurn
from spielwerk.games.game import (
    Actor,
    Context,
    Resign,
    Result,
    Script,
    Seat,
    Standing,
    TimeOut,
    Turn,
)
from spielwerk.games.yatzee.course import Steps, end_match, enter_row, go_on, throw_dice
from spielwerk.games.yatzee.fold import evolve
from spielwerk.games.yatzee.messages import (
    BudgetExhausted,
    Command,
    DiceHeld,
    Enter,
    Event,
    NextThrow,
    PlayerLeft,
    Roll,
    RoundStarted,
)
from spielwerk.games.yatzee.model import DICE, THROWS, EndReason, Hold, Place, Row, State, Status
from spielwerk.games.yatzee.options import LastSeat, Options
from spielwerk.games.yatzee.scoring import allowed_rows

HOLDS: Final = tuple(hold for size in range(DICE) for hold in combinations(range(DICE), size))
"""What can be locked: 0 to 4 of the five dice."""

_OUT_OF_PLACE: Final[Mapping[tuple[Status, type], str]] = {
    (Status.CUP, NextThrow): "roll_first",
    (Status.CUP, Enter): "roll_first",
    (Status.TABLE, Roll): "choose_first",
    **{(Status.WAIT, move): "waiting_for_others" for move in (Roll, NextThrow, Enter)},
    **{(Status.DONE, move): "round_done" for move in (Roll, NextThrow, Enter)},
}
"""Why a command does not fit the seat's status (clause 3.9)."""


def setup(options: Options, seats: int) -> State:
    """The empty table."""
    return State(options, (Place(),) * seats)


def start(state: State, context: Context) -> tuple[Event, ...]:
    """Begin the first round."""
    steps = Script(state, evolve)
    steps.emit(RoundStarted(1))
    go_on(steps, context.chance)
    return steps.events


def decide(state: State, actor: Actor, command: Command, context: Context) -> tuple[Event, ...]:
    """The events of an accepted command; raises Illegal with the reasons of clause 3.9."""
    if state.reason is not None:
        raise Illegal("match_over")
    steps = Script(state, evolve)
    if isinstance(command, TimeOut) and actor is None:
        _time_out(steps, command)
    elif actor is None or actor not in range(len(state.places)):
        raise Illegal("not_a_player")
    elif isinstance(command, Resign):
        _leave(steps, actor)
    else:
        _move(steps, actor, command, context)
    go_on(steps, context.chance)
    return steps.events


def turns(state: State) -> Mapping[Seat, Turn]:
    """Who must act, with the rest of the seat's budget; the keys name round, throw and status."""
    if state.reason is not None:
        return {}
    return {seat: _turn(state, place) for seat, place in enumerate(state.places) if place.acting}


def legal(state: State, seat: Seat) -> Sequence[Command]:
    """What the seat may do for its open turn, in canonical order.

    Positions to hold are listed ascending, and accepted in any order. Resign, which is accepted
    at any time, is not listed.
    """
    if seat not in turns(state):
        return ()
    place = state.places[seat]
    if place.status is Status.CUP:
        return (Roll(),)
    holds = HOLDS if len(place.own.throws) < THROWS else ()
    rows = allowed_rows(place.dice, place.own.sheet, state.options)
    return (*map(NextThrow, holds), *map(Enter, rows))


def result(state: State) -> Result | None:
    """Places and points with the time bonus; None while the match runs."""
    if state.reason is None:
        return None
    standings = tuple(
        Standing(
            seat=final.seat,
            place=final.place,
            won=final.place == 1,
            score_milli=final.final_milli,
            rank_n_milli=final.final_milli,
            rank_games=1,
        )
        for final in state.finals
    )
    return Result(state.reason.value, standings)


def _move(steps: Steps, seat: Seat, command: Command, context: Context) -> None:
    place = steps.state.places[seat]
    if reason := _OUT_OF_PLACE.get((place.status, type(command))):
        raise Illegal(reason)
    spent = min(context.elapsed(seat), steps.state.options.budget_ms - place.used_ms)
    match command:
        case Roll():
            throw_dice(steps, context.chance, seat, spent)
        case NextThrow(hold):
            _check_hold(place, hold)
            steps.emit(DiceHeld(seat, tuple(sorted(hold)), spent))
        case Enter(row):
            _check_row(steps.state, place, row)
            enter_row(steps, seat, row, spent)
        case _:
            raise Illegal("bad_command")


def _check_hold(place: Place, hold: Hold) -> None:
    if len(place.own.throws) >= THROWS:
        raise Illegal("no_throws_left")
    if len(set(hold)) != len(hold) or not set(hold) <= set(range(DICE)):
        raise Illegal("bad_hold")
    if len(hold) == DICE:
        raise Illegal("nothing_to_throw")


def _check_row(state: State, place: Place, row: Row) -> None:
    if not isinstance(row, Row):
        raise Illegal("bad_row")
    if place.own.sheet.of(row) is not None:
        raise Illegal("row_filled")
    if row not in allowed_rows(place.dice, place.own.sheet, state.options):
        raise Illegal("joker_row", "a further yatzee must go elsewhere")


def _leave(steps: Steps, seat: Seat) -> None:
    """As if the budget were used up; the last seat has won, unless it may play on (clause 5.9)."""
    if steps.state.places[seat].left:
        raise Illegal("already_left")
    steps.emit(PlayerLeft(seat))
    staying = [place for place in steps.state.places if not place.left]
    if len(staying) == 1 and steps.state.options.last_seat is LastSeat.ENDS:
        end_match(steps, EndReason.RESIGNED)


def _time_out(steps: Steps, command: TimeOut) -> None:
    state, seat = steps.state, command.seat
    turn = turns(state).get(seat)
    if turn is None or turn.key != command.turn_key:
        raise StaleTurn(command.turn_key, turn.key if turn else None)
    left_ms = state.options.budget_ms - state.places[seat].used_ms
    steps.emit(BudgetExhausted(seat, left_ms))


def _turn(state: State, place: Place) -> Turn:
    number = len(place.own.throws) + (place.status is Status.CUP)
    key = f"{state.round}.{number}.{place.status.value}"
    return Turn(key, state.options.budget_ms - place.used_ms)
