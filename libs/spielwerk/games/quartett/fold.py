"""How each event changes the table; it never refuses, draws nothing and reads no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, assert_never

from spielwerk.games.game import Seat
from spielwerk.games.quartett.messages import (
    Duel,
    Event,
    GameEnded,
    GameStarted,
    Resigned,
    StackDealt,
    TimedOut,
    TopShown,
    TurnStarted,
)
from spielwerk.games.quartett.model import EndReason, Past, Phase, Series, Stack, State

T = TypeVar("T")

GIVEN_UP = (EndReason.RESIGNED, EndReason.FORFEITED)


def evolve(state: State, event: Event) -> State:  # noqa: PLR0911 - an arm an event
    """The state after the event."""
    match event:
        case Duel():
            return _duel(state, event)
        case TurnStarted(seat, number):
            return replace(state, turn=seat, round=number, phase=Phase.CHOOSE)
        case StackDealt(seat, cards):
            return replace(state, stacks=_put(state.stacks, seat, Stack(cards)))
        case GameStarted(game_no, _, _, _, first):
            series = replace(state.series, first=first)
            return State(state.options, series=series, game_no=game_no, timeouts=state.timeouts)
        case TimedOut(seat):
            return replace(state, timeouts=_put(state.timeouts, seat, state.timeouts[seat] + 1))
        case GameEnded():
            return _game_ended(state, event)
        case TopShown() | Resigned():
            return state  # the one repeats what is known, the other is followed by the end
        case _:
            assert_never(event)


def _duel(state: State, event: Duel) -> State:
    """Clause 3: the winner's stack grows at its bottom; after a tie the pot does."""
    rests = [stack.cards[1:] for stack in state.stacks]
    pot = state.pot
    if event.winner is None:
        pot = (*pot, event.cards[event.chooser], event.cards[1 - event.chooser])
    else:
        rests[event.winner] += event.gained
        pot = ()
    past = Past(event.round, event.chooser, event.category, event.cards, event.winner)
    timeouts = state.timeouts if event.auto else _put(state.timeouts, event.chooser, 0)
    return replace(
        state,
        stacks=(Stack(rests[0]), Stack(rests[1])),
        pot=pot,
        turn=None,
        duels=(*state.duels, past),
        timeouts=timeouts,
    )


def _game_ended(state: State, event: GameEnded) -> State:
    series, winner = state.series, event.winner
    ended = Series(
        first=series.first,
        games=series.games + 1,
        wins=series.wins if winner is None else _put(series.wins, winner, series.wins[winner] + 1),
        draws=series.draws + (winner is None),
        winner=winner,
        end_reason=event.reason,
    )
    over = event.reason in GIVEN_UP or ended.games >= state.options.games
    return replace(state, series=ended, turn=None, phase=Phase.OVER if over else Phase.DEALING)


def _put(pair: tuple[T, T], seat: Seat, value: T) -> tuple[T, T]:
    """The pair with the seat's entry changed."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)
