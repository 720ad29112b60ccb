"""Mau-Mau: what each command leads to, who must act, and how it ends (clauses: README)."""

from __future__ import annotations

from collections.abc import Mapping

from spielwerk.cards import AnyCard, Card, Rank, Suit
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
from spielwerk.games.maumau.cards import seven_cards
from spielwerk.games.maumau.course import (
    Steps,
    begin_game,
    end_game,
    leave,
    next_seat,
    pass_turn,
    start_turn,
    table_of,
    take,
)
from spielwerk.games.maumau.fold import evolve
from spielwerk.games.maumau.messages import (
    Announce,
    AnnouncementMissed,
    CardPlayed,
    Command,
    DirectionChanged,
    Draw,
    Event,
    LastCardAnnounced,
    MauMau,
    PendingRaised,
    Play,
    SeatSkipped,
)
from spielwerk.games.maumau.model import DrawReason, EndReason, LeftReason, State
from spielwerk.games.maumau.options import Options
from spielwerk.games.maumau.permitted import (
    announce_refusal,
    draw_refusal,
    legal,
    play_refusal,
)

__all__ = ["decide", "legal", "result", "setup", "start", "turns"]


def setup(options: Options, seats: int) -> State:
    """The empty table."""
    nothing = (0,) * seats
    return State(options, seats, nothing, nothing, nothing, nothing)


def start(state: State, context: Context) -> tuple[Event, ...]:
    """Deal the first game."""
    steps = Script(state, evolve)
    begin_game(steps, context.chance)
    return steps.events


def decide(state: State, actor: Actor, command: Command, context: Context) -> tuple[Event, ...]:
    """The events of an accepted command; raises Illegal with the reasons of clause 5.9."""
    if state.over:
        raise Illegal("game_over")
    steps = Script(state, evolve)
    if isinstance(command, TimeOut) and actor is None:
        _time_out(steps, context, command)
        return steps.events
    if actor is None or actor not in range(state.seats):
        raise Illegal("not_a_player")
    if isinstance(command, Resign):
        _resign(steps, context, actor)
        return steps.events
    if table_of(state).turn != actor:
        raise Illegal("not_your_turn")
    match command:
        case Play(card, wish):
            _play(steps, context, actor, card, wish)
        case Draw():
            _draw(steps, context, actor)
        case Announce():
            _announce(steps, context, actor)
        case _:
            raise Illegal("bad_command")
    return steps.events


def turns(state: State) -> Mapping[Seat, Turn]:
    """Who must act; the keys name game and turn, and whether the last card is announced in it."""
    table = state.table
    if table is None or table.turn is None:
        return {}
    seconds = state.options.turn_seconds
    seat, key = table.turn, f"{table.game}.{table.turn_no}"
    if table.announced[seat] and len(table.hands[seat]) == 2:
        key += ".announced"  # a command of the seat that leaves it on turn: the clock runs on
    return {seat: Turn(key, 1000 * seconds - table.used_ms if seconds else None)}


def result(state: State) -> Result | None:
    """Places, points of all games, games won; None while the match runs."""
    if not state.over or state.last is None:
        return None
    standings = tuple(
        Standing(
            seat=seat,
            place=state.places[seat],
            won=state.places[seat] == 1,
            score_milli=1000 * state.totals[seat],
            rank_n_milli=1000 * state.totals[seat],
            rank_games=state.played[seat],
            extras={"games_won": state.wins[seat]},
        )
        for seat in range(state.seats)
    )
    return Result(state.last.reason.value, standings)


def _play(steps: Steps, context: Context, seat: Seat, card: AnyCard, wish: Suit | None) -> None:
    table, options = table_of(steps.state), steps.state.options
    _refuse_if(play_refusal(table, seat, card, wish))
    left = len(table.hands[seat]) - 1
    if not left and options.announce and not table.announced[seat]:
        _miss(steps, context, seat, card)
        return
    steps.emit(CardPlayed(seat, card, wish if left else None, left))
    if left:
        _follow(steps, context, seat, card)
        return
    steps.emit(MauMau(seat))
    end_game(steps, context.chance, EndReason.MAUMAU, winner=seat)


def _follow(steps: Steps, context: Context, seat: Seat, card: AnyCard) -> None:
    """The effect of a laid card and the next turn (clause 5)."""
    state, table = steps.state, table_of(steps.state)
    match card:
        case Card(Rank.EIGHT):
            start_turn(steps, context.chance, seat, again=True)
            return
        case Card(Rank.SEVEN):
            steps.emit(PendingRaised(table.pending + seven_cards(card, state.options)))
        case Card(Rank.TEN):
            steps.emit(DirectionChanged(-table.direction))
        case Card(Rank.ACE):
            seat = next_seat(state, seat)
            steps.emit(SeatSkipped(seat))
    start_turn(steps, context.chance, next_seat(steps.state, seat))


def _miss(steps: Steps, context: Context, seat: Seat, card: AnyCard) -> None:
    """The last card was not announced: it stays, and costs cards (clause 6.4)."""
    pending, cards = table_of(steps.state).pending, steps.state.options.missed_announcement_cards
    steps.emit(AnnouncementMissed(seat, card))
    if pending:
        take(steps, context.chance, seat, pending, DrawReason.SEVENS)
    take(steps, context.chance, seat, cards, DrawReason.NOT_ANNOUNCED)
    pass_turn(steps, context.chance, next_seat(steps.state, seat))


def _draw(steps: Steps, context: Context, seat: Seat) -> None:
    _refuse_if(draw_refusal(steps.state, table_of(steps.state), seat))
    _draw_cards(steps, context, seat, DrawReason.DRAW, 1)


def _draw_cards(
    steps: Steps,
    context: Context,
    seat: Seat,
    reason: DrawReason,
    cards: int,
    *,
    auto: bool = False,
) -> None:
    """What sevens ask for leaves the seat on turn; other cards end the turn (clause 5.7)."""
    chance, pending = context.chance, table_of(steps.state).pending
    if pending:
        take(steps, chance, seat, pending, DrawReason.SEVENS, auto=auto)
        start_turn(steps, chance, seat)
        return
    take(steps, chance, seat, cards, reason, auto=auto)
    pass_turn(steps, chance, next_seat(steps.state, seat))


def _announce(steps: Steps, context: Context, seat: Seat) -> None:
    _refuse_if(announce_refusal(steps.state, table_of(steps.state), seat))
    used_ms = min(context.elapsed(seat), 1000 * steps.state.options.turn_seconds)
    steps.emit(LastCardAnnounced(seat, used_ms))


def _time_out(steps: Steps, context: Context, command: TimeOut) -> None:
    state, seat = steps.state, command.seat
    turn = turns(state).get(seat)
    if turn is None or turn.key != command.turn_key:
        raise StaleTurn(command.turn_key, turn.key if turn else None)
    options = state.options
    if options.away_after and state.timeouts[seat] + 1 >= options.away_after:
        leave(steps, context.chance, seat, LeftReason.AWAY)
        return
    _draw_cards(steps, context, seat, DrawReason.TIMEOUT, options.timeout_cards, auto=True)


def _resign(steps: Steps, context: Context, seat: Seat) -> None:
    if seat in steps.state.left:
        raise Illegal("already_left")
    leave(steps, context.chance, seat, LeftReason.RESIGNED)


def _refuse_if(reason: str | None) -> None:
    if reason is not None:
        raise Illegal(reason)
