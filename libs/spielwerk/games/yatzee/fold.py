"""How each event changes the table; it never refuses, draws nothing and reads no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from spielwerk.games.game import Seat
from spielwerk.games.yatzee.messages import (
    BudgetExhausted,
    DiceHeld,
    DiceRolled,
    Event,
    MatchEnded,
    PlayerLeft,
    RoundEnded,
    RoundStarted,
    RowEntered,
    ThrowOpened,
)
from spielwerk.games.yatzee.model import Entry, Face, Place, State, Status, Throw
from spielwerk.games.yatzee.options import Sync


def evolve(state: State, event: Event) -> State:  # noqa: PLR0911 - an arm an event
    """The state after the event."""
    match event:
        case DiceRolled(seat, dice=dice):
            place = _rolled(state.places[seat], Throw(dice), event.spent_ms)
            return _with_place(state, seat, place)
        case DiceHeld(seat):
            return _with_place(state, seat, _held(state, event))
        case RowEntered(seat):
            return _with_place(state, seat, _entered(state.places[seat], event))
        case ThrowOpened():
            return _with_places(state, [_opened(place) for place in state.places])
        case RoundEnded():
            return _with_places(state, [_shown(place) for place in state.places])
        case RoundStarted(number):
            begun = _with_places(state, [_begun(place) for place in state.places])
            return replace(begun, round=number)
        case BudgetExhausted(seat):
            budget = state.options.budget_ms
            return _with_place(state, seat, _left_to_engine(state.places[seat], budget, left=False))
        case PlayerLeft(seat):
            budget = state.options.budget_ms
            return _with_place(state, seat, _left_to_engine(state.places[seat], budget, left=True))
        case MatchEnded(reason, finals):
            shown = _with_places(state, [_shown(place) for place in state.places])
            return replace(shown, reason=reason, finals=finals)
        case _:
            assert_never(event)


def _rolled(place: Place, throw: Throw, spent_ms: int) -> Place:
    own = place.own
    face = Face((*own.throws, throw), own.entry, own.sheet)
    return _moved(place, Status.TABLE, face, spent_ms)


def _held(state: State, event: DiceHeld) -> Place:
    """With barriers for each throw the seat waits, else it has the cup at once (clause 3.6)."""
    place = state.places[event.seat]
    own = place.own
    *before, last = own.throws
    face = Face((*before, Throw(last.dice, event.hold)), own.entry, own.sheet)
    status = Status.WAIT if state.options.sync is Sync.THROW else Status.CUP
    return _moved(place, status, face, event.spent_ms)


def _entered(place: Place, event: RowEntered) -> Place:
    assert event.row is not None, "only redacted events lack it"
    entry, own = Entry(event.row, event.points, event.extra), place.own
    face = Face(own.throws, entry, own.sheet.with_entry(entry))
    return _moved(place, Status.DONE, face, event.spent_ms)


def _moved(place: Place, status: Status, own: Face, spent_ms: int) -> Place:
    used = place.used_ms + spent_ms
    return Place(status, own, place.shown, used, place.exhausted, place.left)


def _opened(place: Place) -> Place:
    shown = _shown(place)
    return replace(shown, status=Status.CUP) if place.status is Status.WAIT else shown


def _shown(place: Place) -> Place:
    return replace(place, shown=place.own)


def _begun(place: Place) -> Place:
    face = Face(sheet=place.own.sheet)
    return replace(place, status=Status.CUP, own=face, shown=face)


def _left_to_engine(place: Place, budget_ms: int, *, left: bool) -> Place:
    """The rest of the time is lost (clause 5.5)."""
    if left:
        return replace(place, used_ms=budget_ms, left=True)
    return replace(place, used_ms=budget_ms, exhausted=True)


def _with_place(state: State, seat: Seat, place: Place) -> State:
    places = (*state.places[:seat], place, *state.places[seat + 1 :])
    return State(state.options, places, state.round, state.reason, state.finals)


def _with_places(state: State, places: list[Place]) -> State:
    return State(state.options, tuple(places), state.round, state.reason, state.finals)
