"""Cribbage: what each command leads to, who must act, and how it ends (clauses: README)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from spielwerk.cards import Card
from spielwerk.errors import Illegal, StaleTurn
from spielwerk.games.cribbage.counting import static_value
from spielwerk.games.cribbage.course import (
    Steps,
    begin_match,
    end_game,
    lay_card,
    settle_count,
    turn_starter,
)
from spielwerk.games.cribbage.fold import evolve
from spielwerk.games.cribbage.messages import (
    Command,
    CribDiscarded,
    Discard,
    Event,
    Go,
    GoDeclared,
    Play,
    Resigned,
    TimedOut,
)
from spielwerk.games.cribbage.model import (
    COUNT_VALUE,
    LIMIT,
    SEATS,
    Cards,
    Deal,
    EndReason,
    Phase,
    State,
    Table,
    TimeoutAction,
    in_order,
)
from spielwerk.games.cribbage.options import OnTimeout, Options
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

RATING_PER_WIN_MILLI = 100_000


def setup(options: Options, seats: int) -> State:  # noqa: ARG001 - there are always two
    """The empty table."""
    return State(options)


def start(state: State, context: Context) -> tuple[Event, ...]:
    """Find the first dealer and deal."""
    steps = Script(state, evolve)
    begin_match(steps, context.chance)
    return steps.events


def decide(state: State, actor: Actor, command: Command, context: Context) -> tuple[Event, ...]:
    """The events of an accepted command; raises Illegal with the reasons of clause 4.4."""
    if state.phase is Phase.MATCH_OVER:
        raise Illegal("match_over")
    steps = Script(state, evolve)
    if isinstance(command, TimeOut) and actor is None:
        _time_out(steps, command, context)
        return steps.events
    if actor not in SEATS:
        raise Illegal("not_a_player")
    match command:
        case Play(card):
            _check_turn(state, actor)
            _check_card(state.table, actor, card)
            lay_card(steps, context.chance, actor, card)
        case Discard(cards):
            _check_discard(state, actor, cards)
            _discard(steps, context, actor, cards)
        case Go() if not state.options.auto_go:
            _check_turn(state, actor)
            if state.table.playable(actor):
                raise Illegal("go_with_playable_card")
            steps.emit(GoDeclared(actor, auto=False))
            settle_count(steps, context.chance)
        case Resign():
            steps.emit(Resigned(actor))
            end_game(steps, context.chance, winner=1 - actor, reason=EndReason.RESIGNED)
        case _:
            raise Illegal("bad_command")
    return steps.events


def turns(state: State) -> Mapping[Seat, Turn]:
    """Who must act; the keys name game, deal and the step in it."""
    deal = state.deal
    if deal is None:
        return {}
    table = state.table
    if state.phase is Phase.PLAY and table.turn is not None:
        return {table.turn: _turn(state, f"p{len(table.played) + len(table.goes)}")}
    if state.phase is Phase.DISCARD:
        return {seat: _turn(state, "discard") for seat in SEATS if not deal.discards[seat]}
    return {}


def legal(state: State, seat: Seat) -> Sequence[Command]:
    """What the seat may do for its open turn, in canonical order.

    Resign, which is accepted at any time, is not listed.
    """
    if seat not in turns(state):
        return ()
    if state.phase is Phase.DISCARD:
        return tuple(Discard(pair) for pair in combinations(in_order(state.table.hand[seat]), 2))
    plays = tuple(Play(card) for card in in_order(state.table.playable(seat)))
    return plays or (Go(),)


def result(state: State) -> Result | None:
    """Places, scores of the last game, games won; None while the match runs."""
    series = state.series
    if state.phase is not Phase.MATCH_OVER or series.end_reason is None:
        return None
    standings = tuple(
        Standing(
            seat=seat,
            place=1 if seat == series.winner else 2,
            won=seat == series.winner,
            score_milli=1000 * state.front[seat],
            rank_n_milli=RATING_PER_WIN_MILLI * series.wins[seat],
            rank_games=series.games_played,
            extras={"games_won": series.games_won[seat]},
        )
        for seat in SEATS
    )
    return Result(series.end_reason.value, standings)


def _check_turn(state: State, seat: Seat) -> None:
    if state.phase is not Phase.PLAY:
        raise Illegal("wrong_phase")
    if state.table.turn != seat:
        raise Illegal("not_your_turn")


def _check_card(table: Table, seat: Seat, card: Card) -> None:
    if card not in table.hand[seat]:
        raise Illegal("not_your_card")
    if table.count + COUNT_VALUE[card.rank] > LIMIT:
        raise Illegal("over_31")


def _check_discard(state: State, seat: Seat, cards: Cards) -> None:
    if state.phase is not Phase.DISCARD:
        raise Illegal("wrong_phase")
    if _deal(state).discards[seat]:
        raise Illegal("already_discarded")
    if len(cards) != 2 or len(set(cards) & set(state.table.hand[seat])) != 2:
        raise Illegal("bad_discard")


def _discard(
    steps: Steps, context: Context, seat: Seat, cards: Cards, *, auto: bool = False
) -> None:
    steps.emit(CribDiscarded(seat, cards, len(cards), auto))
    if all(_deal(steps.state).discards):
        turn_starter(steps, context.chance)


def _time_out(steps: Steps, command: TimeOut, context: Context) -> None:
    state, seat = steps.state, command.seat
    turn = turns(state).get(seat)
    if turn is None or turn.key != command.turn_key:
        raise StaleTurn(command.turn_key, turn.key if turn else None)
    rules = state.options
    last = state.timeouts[seat] + 1 >= rules.max_timeouts_in_row
    if last or rules.on_timeout is OnTimeout.FORFEIT:
        steps.emit(TimedOut(seat, turn.key, TimeoutAction.FORFEIT))
        end_game(steps, context.chance, winner=1 - seat, reason=EndReason.FORFEITED)
        return
    steps.emit(TimedOut(seat, turn.key, TimeoutAction.AUTO_PLAY))
    _play_for(steps, context, seat)


def _play_for(steps: Steps, context: Context, seat: Seat) -> None:
    """What the engine does for an absent seat (clause 9.3)."""
    table = steps.state.table
    if steps.state.phase is Phase.DISCARD:
        _discard(steps, context, seat, best_static_discard(table.hand[seat]), auto=True)
    elif playable := table.playable(seat):
        lay_card(steps, context.chance, seat, in_order(playable)[0], auto=True)
    else:
        steps.emit(GoDeclared(seat, auto=True))
        settle_count(steps, context.chance)


def best_static_discard(six: Cards) -> Cards:
    """The two cards without which the other four are worth most by themselves; the first pair."""
    ordered = in_order(six)
    return max(
        combinations(ordered, 2),
        key=lambda away: static_value(tuple(card for card in ordered if card not in away)),
    )


def _turn(state: State, step: str) -> Turn:
    deal = _deal(state)
    seconds = state.options.action_timeout_s
    return Turn(f"{deal.game_no}.{deal.number}.{step}", 1000 * seconds if seconds else None)


def _deal(state: State) -> Deal:
    assert state.deal is not None, "turns are open only in a deal"
    return state.deal
