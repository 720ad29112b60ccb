"""The course of a match that needs no command: barriers, rounds, play for absent seats, the end."""

from __future__ import annotations

from typing import TypeAlias

from spielwerk.chance import Chance
from spielwerk.games.game import Script, Seat
from spielwerk.games.yatzee.messages import (
    BudgetExhausted,
    DiceRolled,
    Event,
    MatchEnded,
    RoundEnded,
    RoundStarted,
    RowEntered,
    Shown,
    ThrowOpened,
)
from spielwerk.games.yatzee.model import (
    DICE,
    ROUNDS,
    EndReason,
    Face,
    Place,
    Row,
    State,
    Status,
)
from spielwerk.games.yatzee.options import OnBudgetExhausted
from spielwerk.games.yatzee.scoring import allowed_rows, entry
from spielwerk.games.yatzee.standings import finals

Steps: TypeAlias = Script[State, Event]


def throw_dice(
    steps: Steps, chance: Chance, seat: Seat, spent_ms: int, *, auto: bool = False
) -> None:
    """Throw what is not locked; each die is drawn for its place (clause 8.1)."""
    throws, round_no = steps.state.places[seat].own.throws, steps.state.round
    number = len(throws) + 1
    dice = list(throws[-1].dice) if throws else [0] * DICE
    held = throws[-1].hold if throws else ()
    thrown = tuple(position for position in range(DICE) if position not in held)
    for position in thrown:
        dice[position] = chance.die(f"die/{round_no}/{seat}/{number}/{position}")
    steps.emit(DiceRolled(seat, round_no, number, thrown, tuple(dice), spent_ms, auto))


def enter_row(steps: Steps, seat: Seat, row: Row, spent_ms: int, *, auto: bool = False) -> None:
    """Fill the row with the dice on the table, or strike it."""
    place = steps.state.places[seat]
    made = entry(row, place.dice, place.own.sheet, steps.state.options)
    struck = made.points == 0
    steps.emit(RowEntered(seat, row, place.dice, made.points, struck, made.extra, spent_ms, auto))


def go_on(steps: Steps, chance: Chance) -> None:
    """Play for absent seats, lift barriers, begin rounds until a seat must act or all is over."""
    while steps.state.reason is None:
        _play_for_absent(steps, chance)
        places = steps.state.places
        if any(place.acting for place in places):
            return
        if any(place.status is Status.WAIT for place in places):
            _open_throw(steps)
        else:
            _end_round(steps)


def end_match(steps: Steps, reason: EndReason) -> None:
    """Close the match; a round that is broken off lies open."""
    state = steps.state
    broken_off = reason is EndReason.RESIGNED
    unfinished = _shown_by_seat(state) if broken_off else ()
    steps.emit(MatchEnded(reason, finals(state, reason), unfinished))


def best_row(place: Place, state: State) -> Row:
    """The open row that brings most; the first one of equals (clause 5.6)."""
    sheet, dice = place.own.sheet, place.dice
    rows = allowed_rows(dice, sheet, state.options)
    return max(rows, key=lambda row: entry(row, dice, sheet, state.options).points)


def _open_throw(steps: Steps) -> None:
    waiting = next(place for place in steps.state.places if place.status is Status.WAIT)
    steps.emit(ThrowOpened(len(waiting.own.throws) + 1, _shown_by_seat(steps.state)))


def _end_round(steps: Steps) -> None:
    state = steps.state
    sums = tuple(place.own.sheet.sums(state.options) for place in state.places)
    steps.emit(RoundEnded(state.round, _shown_by_seat(state), sums))
    if state.round < ROUNDS:
        steps.emit(RoundStarted(state.round + 1))
    else:
        end_match(steps, EndReason.ALL_ROUNDS_PLAYED)


def _play_for_absent(steps: Steps, chance: Chance) -> None:
    """Nobody waits for a seat without time or player (clause 5.5)."""
    for seat in range(len(steps.state.places)):
        place = steps.state.places[seat]
        if place.acting and not place.absent and place.used_ms >= steps.state.options.budget_ms:
            steps.emit(BudgetExhausted(seat, 0))
        place = steps.state.places[seat]
        if place.absent and place.status is not Status.DONE:
            _play_for(steps, chance, seat)


def _play_for(steps: Steps, chance: Chance, seat: Seat) -> None:
    place = steps.state.places[seat]
    if steps.state.options.on_budget_exhausted is not OnBudgetExhausted.AUTO_ENTER:
        row = place.own.sheet.open_rows[0]
        steps.emit(RowEntered(seat, row, place.dice, 0, True, 0, 0, auto=True))
        return
    if place.status is not Status.TABLE:
        throw_dice(steps, chance, seat, 0, auto=True)
    row = best_row(steps.state.places[seat], steps.state)
    enter_row(steps, seat, row, 0, auto=True)


def _shown_by_seat(state: State) -> tuple[Shown, ...]:
    return tuple(_shown(seat, place.own) for seat, place in enumerate(state.places))


def _shown(seat: Seat, face: Face) -> Shown:
    made = face.entry
    if made is None:
        return Shown(seat, face.throws, None, 0, False, 0)
    return Shown(seat, face.throws, made.row, made.points, made.points == 0, made.extra)
