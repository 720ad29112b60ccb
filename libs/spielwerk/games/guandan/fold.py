"""How each event changes the table; it never refuses, draws nothing and reads no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import Cards, in_order, without
from spielwerk.games.guandan.messages import (
    CardReturned,
    CombinationPlayed,
    DealEnded,
    DealStarted,
    Event,
    LeadAssigned,
    LeaderDrawn,
    MatchRestarted,
    MatchStarted,
    MatchWon,
    Passed,
    PlayerFinished,
    Resigned,
    RestartProposed,
    TributeCancelled,
    TributePaid,
    TrickEnded,
)
from spielwerk.games.guandan.model import (
    Combination,
    DealResult,
    Move,
    Phase,
    Progress,
    State,
    Table,
    Top,
    Transfer,
    Tribute,
)


def evolve(state: State, event: Event) -> State:  # noqa: PLR0911, PLR0912 - an arm an event
    """The state after the event."""
    match event:  # the events of the play first: they are nearly all
        case Passed(seat):
            return _at_table(state, _passed(state.table, seat))
        case CombinationPlayed():
            return _played(state, event)
        case TrickEnded(_, leader):
            return _at_table(state, _next_trick(state.table, leader))
        case PlayerFinished(seat):
            return _at_table(state, _finished(state.table, seat))
        case CardReturned():
            return _returned(state, event)
        case TributePaid():
            return _paid(state, event)
        case LeaderDrawn(seat) | LeadAssigned(seat):
            return _led_by(state, seat)
        case TributeCancelled(_, red_jokers, leader):
            cancelled = replace(state, tribute=Tribute(red_jokers=red_jokers))
            return _led_by(cancelled, leader)
        case DealStarted():
            return _deal_started(state, event)
        case DealEnded():
            return _deal_ended(state, event)
        case MatchStarted(levels, bots):
            progress = Progress(game_no=state.progress.game_no + 1, levels=levels)
            return State(state.options, Phase.TRIBUTE, bots, progress)
        case MatchWon(team, reason):
            progress = replace(state.progress, winner=team, ended=reason)
            table = replace(state.table, turn=None)
            return replace(state, phase=Phase.MATCH_OVER, progress=progress, table=table)
        case RestartProposed(seat):
            return replace(state, agreed=(*state.agreed, seat))
        case MatchRestarted() | Resigned():
            return state  # what follows from them is told by the events after them
        case _:
            assert_never(event)


def _played(state: State, event: CombinationPlayed) -> State:
    table, seat = state.table, event.seat
    laid = Combination(event.cards, event.shape, event.size, event.main, event.wild_as)
    after = Table(
        hands=_put(table.hands, seat, without(table.hands[seat], event.cards)),
        turn=table.next_active(seat),
        top=Top(seat, laid),
        passes=(),
        order=table.order,
        trick=table.trick,
        moves=(*table.moves, Move(seat, table.trick, laid)),
    )
    return _at_table(replace(state, agreed=()) if state.agreed else state, after)


def _passed(table: Table, seat: Seat) -> Table:
    return Table(
        hands=table.hands,
        turn=table.next_active(seat),
        top=table.top,
        passes=(*table.passes, seat),
        order=table.order,
        trick=table.trick,
        moves=(*table.moves, Move(seat, table.trick, None)),
    )


def _next_trick(table: Table, leader: Seat) -> Table:
    return Table(
        hands=table.hands,
        turn=leader,
        order=table.order,
        trick=table.trick + 1,
        moves=table.moves,
    )


def _finished(table: Table, seat: Seat) -> Table:
    return replace(table, order=(*table.order, seat))


def _deal_started(state: State, event: DealStarted) -> State:
    """The declarer is whoever won the deal before."""
    before = state.progress
    progress = replace(
        before,
        deal_no=event.deal_no,
        level=event.level,
        declarer=before.last_deal.team if before.last_deal else None,
    )
    hands = tuple(in_order(holding.cards) for holding in event.hands)
    return State(state.options, Phase.TRIBUTE, state.bots, progress, Table(hands))


def _paid(state: State, event: TributePaid) -> State:
    transfer = Transfer(event.from_seat, event.to_seat, event.card)
    tribute = replace(state.tribute, paid=(*state.tribute.paid, transfer))
    moved = _moved(state.table, transfer)
    return replace(state, phase=Phase.RETURN, tribute=tribute, table=moved)


def _returned(state: State, event: CardReturned) -> State:
    transfer = Transfer(event.from_seat, event.to_seat, event.card)
    # By seat, so that two returns leave the same state in either order.
    returned = sorted((*state.tribute.returned, transfer), key=lambda done: done.from_seat)
    tribute = replace(state.tribute, returned=tuple(returned))
    return replace(state, tribute=tribute, table=_moved(state.table, transfer))


def _moved(table: Table, transfer: Transfer) -> Table:
    """A transfer in the log always names its card."""
    cards: Cards = () if transfer.card is None else (transfer.card,)
    giver, receiver = transfer.from_seat, transfer.to_seat
    hands = _put(table.hands, giver, without(table.hands[giver], cards))
    return replace(table, hands=_put(hands, receiver, in_order((*hands[receiver], *cards))))


def _led_by(state: State, seat: Seat) -> State:
    return replace(state, phase=Phase.PLAY, table=replace(state.table, turn=seat))


def _deal_ended(state: State, event: DealEnded) -> State:
    before = state.progress
    result = DealResult(
        order=event.order,
        team=event.team,
        step=event.step,
        levels=event.levels,
        next_level=event.next_level,
        last_hand=event.last_hand,
        ace_failures=event.ace_failures,
    )
    won = tuple(number + (side == event.team) for side, number in enumerate(before.deals_won))
    progress = replace(
        before,
        levels=event.levels,
        ace_failures=event.ace_failures,
        deals_won=won,
        last_deal=result,
    )
    table = replace(state.table, turn=None, order=event.order)
    return replace(state, phase=Phase.DEAL_OVER, progress=progress, table=table)


def _at_table(state: State, table: Table) -> State:
    """The state with another table; called with all fields, which takes a third of `replace`."""
    return State(
        state.options,
        state.phase,
        state.bots,
        state.progress,
        table,
        state.tribute,
        state.agreed,
    )


def _put(hands: tuple[Cards, ...], seat: Seat, cards: Cards) -> tuple[Cards, ...]:
    """The hands with the seat's changed."""
    return (*hands[:seat], cards, *hands[seat + 1 :])
