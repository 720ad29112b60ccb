"""House of Cards: what each command leads to, who must act, and how it ends (clauses: README)."""

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
from spielwerk.games.house_of_cards.course import Steps, alone, end_game, go_on
from spielwerk.games.house_of_cards.fold import evolve
from spielwerk.games.house_of_cards.messages import (
    CardsReplaced,
    Command,
    Event,
    Finish,
    Floor,
    FloorLaid,
    GameStarted,
    Replace,
    Roof,
    RoofBuilt,
    TimedOut,
)
from spielwerk.games.house_of_cards.model import STOCK_ORDER, EndReason, Site, State
from spielwerk.games.house_of_cards.options import Options
from spielwerk.games.house_of_cards.placing import floor_of, placements, roof_of

ALL_ENDED = "all_ended"
"""The reason of a duel's result; that of a single seat is its own."""


def setup(options: Options, seats: int) -> State:
    """The empty table."""
    return State(options, (Site(),) * seats)


def start(state: State, context: Context) -> tuple[Event, ...]:
    """Shuffle one stock for all seats and open each seat's first cards."""
    steps = Script(state, evolve)
    stock = context.chance.shuffle("stock", STOCK_ORDER)
    steps.emit(GameStarted(stock, len(stock)))
    for seat in range(len(state.sites)):
        go_on(steps, seat)
    return steps.events


def decide(state: State, actor: Actor, command: Command, context: Context) -> tuple[Event, ...]:
    """The events of an accepted command; raises Illegal with the reasons of clause 4."""
    steps = Script(state, evolve)
    if isinstance(command, TimeOut) and actor is None:
        _time_out(steps, command)
        return steps.events
    if actor is None or actor not in range(len(state.sites)):
        raise Illegal("not_a_player")
    if state.sites[actor].ending is not None:
        raise Illegal("game_over")
    match command:
        case Roof():
            _build(steps, actor, command, context)
        case Floor():
            _lay(steps, actor, command, context)
        case Replace():
            _replace(steps, actor, context)
        case Finish() | Resign():
            end_game(steps, actor, EndReason.PLAYER)
        case _:
            raise Illegal("bad_command")
    return steps.events


def turns(state: State) -> Mapping[Seat, Turn]:
    """Every seat whose game runs; the keys count its commands."""
    return {
        seat: Turn(f"m{site.moves + 1}", _allowance_ms(state.options, site))
        for seat, site in enumerate(state.sites)
        if state.stock and site.ending is None
    }


def legal(state: State, seat: Seat) -> Sequence[Command]:
    """What the seat may do for its open turn, in canonical order.

    The slots of a roof are listed ascending, and accepted in any order. Resign, which does the same
    as Finish, is not listed.
    """
    if seat not in turns(state):
        return ()
    replacing = (Replace(),) if state.left_in_stock(seat) else ()
    return (*placements(state.sites[seat]), *replacing, Finish())


def result(state: State) -> Result | None:
    """Places by score, equal scores share; None while a seat still builds."""
    if not state.over:
        return None
    endings = [site.ending for site in state.sites if site.ending is not None]
    scores = [ending.score for ending in endings]
    single = alone(state)
    standings = tuple(
        Standing(
            seat=seat,
            place=1 + sum(other > ending.score for other in scores),
            won=(ending.reason is EndReason.COMPLETE if single else ending.score == max(scores)),
            score_milli=1000 * ending.score,
            rank_n_milli=1000 * ending.score,
            rank_games=1,
            extras={"credits": ending.credits},
        )
        for seat, ending in enumerate(endings)
    )
    return Result(endings[0].reason.value if single else ALL_ENDED, standings)


def _build(steps: Steps, seat: Seat, command: Roof, context: Context) -> None:
    roof = roof_of(steps.state.sites[seat], command)
    steps.emit(
        RoofBuilt(
            seat=seat,
            storey=roof.storey,
            index=roof.index,
            slots=(command.slot1, command.slot2),
            cards=roof.cards,
            value=roof.value,
            spent_ms=_spent_ms(steps.state, seat, context),
            public=alone(steps.state),
        )
    )
    go_on(steps, seat)


def _lay(steps: Steps, seat: Seat, command: Floor, context: Context) -> None:
    floor = floor_of(steps.state.sites[seat], command)
    steps.emit(
        FloorLaid(
            seat=seat,
            storey=floor.storey,
            index=floor.index,
            slot=command.slot,
            card=floor.card,
            limit=floor.limit,
            spent_ms=_spent_ms(steps.state, seat, context),
            public=alone(steps.state),
        )
    )
    go_on(steps, seat)


def _replace(steps: Steps, seat: Seat, context: Context) -> None:
    state = steps.state
    if not state.left_in_stock(seat):
        raise Illegal("stock_empty")
    cards = tuple([item.card for item in state.sites[seat].open])
    spent_ms = _spent_ms(state, seat, context)
    steps.emit(CardsReplaced(seat, len(cards), cards, spent_ms, alone(state)))
    go_on(steps, seat)


def _time_out(steps: Steps, command: TimeOut) -> None:
    """Without a command the game is finished; the reason says which limit was reached (clause
    7)."""
    state, seat = steps.state, command.seat
    turn = turns(state).get(seat)
    if turn is None or turn.key != command.turn_key:
        raise StaleTurn(command.turn_key, turn.key if turn else None)
    left_ms = _time_left_ms(state.options, state.sites[seat])
    by_limit = left_ms is not None and turn.allowance_ms == left_ms
    steps.emit(TimedOut(seat, turn.key))
    end_game(steps, seat, EndReason.TIME if by_limit else EndReason.PLAYER)


def _spent_ms(state: State, seat: Seat, context: Context) -> int:
    """The time of the seat's open turn, at most what it had left for the house."""
    spent = context.elapsed(seat)
    left = _time_left_ms(state.options, state.sites[seat])
    return spent if left is None else min(spent, left)


def _allowance_ms(options: Options, site: Site) -> int | None:
    limits = (_time_left_ms(options, site), options.idle_limit_ms or None)
    return min((limit for limit in limits if limit is not None), default=None)


def _time_left_ms(options: Options, site: Site) -> int | None:
    """What the seat may still use for its house; None without a limit."""
    return options.time_limit_ms - site.used_ms if options.time_limit_ms else None
