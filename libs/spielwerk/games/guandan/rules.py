"""Guandan: what each command leads to, who must act, and how it ends (clauses: README)."""

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
from spielwerk.games.guandan.cards import KIND_OF_LEVEL, weakest_key
from spielwerk.games.guandan.combos import readings
from spielwerk.games.guandan.course import (
    Steps,
    agree_to_restart,
    begin_match,
    give_back,
    lay,
    pass_on,
    start_deal,
)
from spielwerk.games.guandan.fold import evolve
from spielwerk.games.guandan.guards import (
    check_next,
    check_restart,
    check_return,
    check_turn,
    reading_of,
    returnable_by,
)
from spielwerk.games.guandan.held import hold, pick
from spielwerk.games.guandan.messages import (
    Command,
    Event,
    MatchWon,
    NextDeal,
    Pass,
    Play,
    Resigned,
    Restart,
    ReturnCard,
)
from spielwerk.games.guandan.model import SEATS, EndReason, Phase, State, team_of
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.plays import rank_plays

RATING_PER_WIN_MILLI = 100_000


def setup(options: Options, seats: int) -> State:  # noqa: ARG001 - there are always four
    """The empty table."""
    return State(options)


def start(state: State, context: Context) -> tuple[Event, ...]:
    """Deal for the first time and draw the leader."""
    steps = Script(state, evolve)
    begin_match(steps, context)
    return steps.events


def decide(state: State, actor: Actor, command: Command, context: Context) -> tuple[Event, ...]:
    """The events of an accepted command; raises Illegal with the reasons of clause 10.1."""
    if state.phase is Phase.MATCH_OVER:
        raise Illegal("match_over")
    steps = Script(state, evolve)
    if isinstance(command, TimeOut) and actor is None:
        _time_out(steps, command, context)
        return steps.events
    if actor not in SEATS:
        raise Illegal("not_a_player")
    match command:
        case Play(cards):
            check_turn(state, actor)
            lay(steps, context, actor, cards, reading_of(state, actor, command))
        case Pass():
            check_turn(state, actor)
            if state.table.top is None:
                raise Illegal("leader_must_play")
            pass_on(steps, actor)
        case ReturnCard(card):
            check_return(state, actor, card)
            give_back(steps, actor, card)
        case NextDeal():
            check_next(state, actor)
            start_deal(steps, context)
        case Restart():
            check_restart(state, actor)
            agree_to_restart(steps, context, actor)
        case Resign():
            steps.emit(Resigned(actor))
            steps.emit(MatchWon(1 - team_of(actor), EndReason.RESIGNED))
        case _:
            raise Illegal("bad_command")
    return steps.events


def turns(state: State) -> Mapping[Seat, Turn]:
    """Who must act; keys name the game, the deal and the step in it (clause 11.1)."""
    options = state.options
    match state.phase:
        case Phase.PLAY if state.table.turn is not None:
            step = f"p{len(state.table.moves)}"
            return {state.table.turn: _turn(state, state.table.turn, step, options.move_seconds)}
        case Phase.RETURN:
            receivers = sorted(transfer.to_seat for transfer in state.tribute.due)
            return {s: _turn(state, s, "return", options.return_seconds) for s in receivers}
        case Phase.DEAL_OVER:
            return {s: _turn(state, s, "next", options.pause_seconds) for s in state.people}
        case _:
            return {}


def legal(state: State, seat: Seat) -> Sequence[Command]:
    """What the seat may do for its open turn.

    Plays are listed once a rank and number of wild cards, with cards chosen for them and the
    reading named: other suits of the same ranks are accepted as well. Restart and Resign, which
    are accepted at any time, are not listed.
    """
    if seat not in turns(state):
        return ()
    if state.phase is Phase.DEAL_OVER:
        return (NextDeal(),)
    if state.phase is Phase.RETURN:
        return tuple(ReturnCard(card) for card in returnable_by(state, seat))
    top = state.table.top
    held = hold(state.table.hands[seat], state.progress.level)
    options = state.options
    plays = [
        Play(pick(play, held, options), play.reading.shape, play.reading.main)
        for play in rank_plays(held, options, top.combination.reading if top else None)
    ]
    return (Pass(), *plays) if top else tuple(plays)


def result(state: State) -> Result | None:
    """Both partners carry the team's place; None while the match runs."""
    progress = state.progress
    if state.phase is not Phase.MATCH_OVER or progress.ended is None:
        return None
    standings = []
    for seat in SEATS:
        team = team_of(seat)
        won = team == progress.winner
        standings.append(
            Standing(
                seat=seat,
                place=1 if won or progress.winner is None else 2,
                won=won,
                score_milli=1000 * (KIND_OF_LEVEL[progress.levels[team]] + 2),
                rank_n_milli=RATING_PER_WIN_MILLI if won else 0,
                rank_games=1,
                extras={"deals_won": progress.deals_won[team]},
            )
        )
    return Result(progress.ended.value, tuple(standings))


def _time_out(steps: Steps, command: TimeOut, context: Context) -> None:
    """The default action, which is always legal (clause 11.2)."""
    state, seat = steps.state, command.seat
    turn = turns(state).get(seat)
    if turn is None or turn.key != command.turn_key:
        raise StaleTurn(command.turn_key, turn.key if turn else None)
    if state.phase is Phase.DEAL_OVER:
        start_deal(steps, context, auto=True)
    elif state.phase is Phase.RETURN:
        give_back(steps, seat, returnable_by(state, seat)[0], auto=True)
    elif state.table.top is not None:
        pass_on(steps, seat, auto=True)
    else:
        level = state.progress.level
        weakest = min(state.table.hands[seat], key=lambda card: weakest_key(card, level))
        (single,) = readings((weakest,), level, state.options)
        lay(steps, context, seat, (weakest,), single, auto=True)


def _turn(state: State, seat: Seat, step: str, seconds: int) -> Turn:
    """Agreeing to a restart is a command of the seat's own: it changes the key of its turn."""
    progress = state.progress
    mark = "r" if seat in state.agreed else ""
    key = f"{progress.game_no}.{progress.deal_no}.{step}{mark}"
    return Turn(key, 1000 * seconds if seconds else None)
