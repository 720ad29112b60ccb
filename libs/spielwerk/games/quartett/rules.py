"""Quartett: what each command leads to, who must act, and how it ends (clauses: README)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from spielwerk.games.quartett.comparing import allowed
from spielwerk.games.quartett.course import Steps, begin_match, duel, end_game
from spielwerk.games.quartett.fold import GIVEN_UP, evolve
from spielwerk.games.quartett.messages import Choose, Command, Event, Resigned, TimedOut
from spielwerk.games.quartett.model import SEATS, EndReason, Phase, Series, State
from spielwerk.games.quartett.options import Options

WIN_MILLI, DRAW_MILLI = 1000, 500
RATING_OF_A_POINT = 100


def setup(options: Options, seats: int) -> State:  # noqa: ARG001 - there are always two
    """The empty table."""
    return State(options)


def start(state: State, context: Context) -> tuple[Event, ...]:
    """Shuffle and deal."""
    steps = Script(state, evolve)
    begin_match(steps, context)
    return steps.events


def decide(state: State, actor: Actor, command: Command, context: Context) -> tuple[Event, ...]:
    """The events of an accepted command; raises Illegal with the reasons of clause 3.6."""
    if state.phase is Phase.OVER:
        raise Illegal("game_over")
    steps = Script(state, evolve)
    if isinstance(command, TimeOut) and actor is None:
        _time_out(steps, command, context)
        return steps.events
    if actor not in SEATS:
        raise Illegal("not_a_player")
    match command:
        case Choose(category):
            _check_choice(state, actor, category)
            duel(steps, context, category)
        case Resign():
            steps.emit(Resigned(actor))
            end_game(steps, context, winner=1 - actor, reason=EndReason.RESIGNED)
        case _:
            raise Illegal("bad_command")
    return steps.events


def turns(state: State) -> Mapping[Seat, Turn]:
    """Who chooses; the key names game and round."""
    if state.turn is None:
        return {}
    seconds = state.options.turn_seconds
    return {state.turn: Turn(f"{state.game_no}.{state.round}", 1000 * seconds or None)}


def legal(state: State, seat: Seat) -> Sequence[Command]:
    """The categories that the seat may choose now, in the deck's order.

    Resign, which is accepted at any time, is not listed.
    """
    return tuple(Choose(category) for category in _choices(state)) if seat == state.turn else ()


def result(state: State) -> Result | None:
    """Places and points of the series; None while the match runs."""
    series = state.series
    if state.phase is not Phase.OVER or series.end_reason is None:
        return None
    winner = _match_winner(series)
    standings = []
    for seat in SEATS:
        points = WIN_MILLI * series.wins[seat] + DRAW_MILLI * series.draws
        standings.append(
            Standing(
                seat=seat,
                place=1 if winner in (seat, None) else 2,
                won=winner == seat,
                score_milli=points,
                rank_n_milli=RATING_OF_A_POINT * points,
                rank_games=series.games,
                extras={"games_won": series.wins[seat], "games_drawn": series.draws},
            )
        )
    return Result(series.end_reason.value, tuple(standings))


def _match_winner(series: Series) -> Seat | None:
    """Who gave up has lost the match; otherwise more points win, equal ones are a draw."""
    if series.end_reason in GIVEN_UP:
        return series.winner
    mine, theirs = series.wins
    return None if mine == theirs else (0 if mine > theirs else 1)


def _check_choice(state: State, seat: Seat, category: str) -> None:
    if seat != state.turn:
        raise Illegal("not_your_turn")
    if state.options.deck.place(category) is None:
        raise Illegal("unknown_category")
    if category not in _choices(state):
        raise Illegal("category_forbidden")


def _choices(state: State) -> tuple[str, ...]:
    """What the seat on turn may choose for its top card."""
    assert state.turn is not None, "somebody is on turn"
    deck, card_id = state.options.deck, state.stacks[state.turn].cards[0]
    return allowed(deck, deck.card(card_id), state.options.forbid)


def _time_out(steps: Steps, command: TimeOut, context: Context) -> None:
    """Clause 7: a random allowed category, and too many of them in a row lose the match."""
    state, seat = steps.state, command.seat
    turn = turns(state).get(seat)
    if turn is None or turn.key != command.turn_key:
        raise StaleTurn(command.turn_key, turn.key if turn else None)
    steps.emit(TimedOut(seat, turn.key))
    if steps.state.timeouts[seat] >= state.options.away_after:
        end_game(steps, context, winner=1 - seat, reason=EndReason.FORFEITED)
        return
    label = f"timeout/{state.game_no}/{state.round}"
    duel(steps, context, context.chance.choose(label, _choices(state)), auto=True)
