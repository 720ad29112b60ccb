"""How each event changes the table; it never refuses, draws nothing and reads no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, assert_never

from spielwerk.cards import Card
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CardsDealt,
    CountReset,
    CribDiscarded,
    CutForDeal,
    DealEnded,
    DealerChosen,
    DealStarted,
    Event,
    GameEnded,
    GoDeclared,
    HandCounted,
    PlayStarted,
    Resigned,
    Scored,
    StarterCut,
    TimedOut,
)
from spielwerk.games.cribbage.model import (
    Cards,
    Count,
    Cut,
    Deal,
    EndReason,
    GoSaid,
    Laid,
    Phase,
    Series,
    Skunk,
    State,
    Table,
)
from spielwerk.games.game import Seat

T = TypeVar("T")

GAMES_COUNTED = {Skunk.NONE: 1, Skunk.SINGLE: 2, Skunk.DOUBLE: 3}


def evolve(state: State, event: Event) -> State:  # noqa: PLR0911, PLR0912 - an arm an event
    """The state after the event."""
    match event:  # the events of the play first: they are nearly all
        case CardPlayed():
            return _card_played(state, event)
        case Scored():
            return _scored(state, event)
        case GoDeclared():
            return _go_declared(state, event)
        case CountReset(next_turn):
            return _with(state, table=_count_reset(state.table, next_turn))
        case CribDiscarded():
            return _crib_discarded(state, event)
        case CardsDealt(seat, cards):
            deal, hand = _deal(state), _put(state.table.hand, seat, cards)
            dealt = _put(deal.dealt, seat, cards)
            return _with(state, deal=_deal_with(deal, dealt=dealt), table=Table(hand))
        case StarterCut(card):
            return _with(state, deal=_deal_with(_deal(state), starter=card), last_show=())
        case PlayStarted(turn):
            return _with(state, table=replace(state.table, turn=turn), phase=Phase.PLAY)
        case HandCounted(seat, what, cards, starter, items, total):
            count = Count(seat, what, cards, starter, items, total)
            return _with(state, last_show=(*state.last_show, count))
        case DealStarted():
            return _deal_started(state, event)
        case TimedOut(seat):
            return replace(state, timeouts=_put(state.timeouts, seat, state.timeouts[seat] + 1))
        case GameEnded():
            return _game_ended(state, event)
        case CutForDeal(seat, card):
            cuts = (*state.series.cuts, Cut(seat, card))
            return replace(state, series=replace(state.series, cuts=cuts))
        case DealerChosen(seat):
            return replace(state, series=replace(state.series, first_dealer=seat))
        case DealEnded() | Resigned():
            return state  # what follows from them is told by the events after them
        case _:
            assert_never(event)


def _card_played(state: State, event: CardPlayed) -> State:
    table, seat = state.table, event.seat
    laid = Laid(seat, event.card, event.count)
    left = tuple([card for card in table.hand[seat] if card != event.card])
    hand = _put(table.hand, seat, left)
    after = Table(
        hand=hand,
        played=(*table.played, laid),
        seq=(*table.seq, laid),
        count=event.count,
        turn=_next_to_act(hand, table.said_go, seat),
        last_player=seat,
        goes=table.goes,
        said_go=table.said_go,
    )
    return _with(state, table=after, timeouts=_timeouts(state, seat, event.auto))


def _go_declared(state: State, event: GoDeclared) -> State:
    table, seat = state.table, event.seat
    said_go = _put(table.said_go, seat, True)
    after = Table(
        hand=table.hand,
        played=table.played,
        seq=table.seq,
        count=table.count,
        turn=_next_to_act(table.hand, said_go, seat),
        last_player=table.last_player,
        goes=(*table.goes, GoSaid(seat, table.count, len(table.played))),
        said_go=said_go,
    )
    return _with(state, table=after, timeouts=_timeouts(state, seat, event.auto))


def _count_reset(table: Table, leader: Seat | None) -> Table:
    return Table(
        hand=table.hand,
        played=table.played,
        turn=leader,
        last_player=table.last_player,
        goes=table.goes,
    )


def _next_to_act(hand: tuple[Cards, Cards], said_go: tuple[bool, bool], actor: Seat) -> Seat | None:
    """The other seat, then the actor again: whoever has cards and has not said go (clause 5.6)."""
    for seat in (1 - actor, actor):
        if hand[seat] and not said_go[seat]:
            return seat
    return None


def _scored(state: State, event: Scored) -> State:
    """Clause 8.1: the back peg jumps to where the front peg stood, the front peg moves on."""
    if not event.points:
        return state
    seat, front = event.seat, state.front
    return State(
        state.options,
        state.variant,
        state.phase,
        state.series,
        state.deal,
        state.table,
        _put(front, seat, front[seat] + event.pegged),
        _put(state.back, seat, front[seat]),
        state.timeouts,
        state.last_show,
    )


def _crib_discarded(state: State, event: CribDiscarded) -> State:
    deal, seat = _deal(state), event.seat
    kept = tuple([card for card in deal.dealt[seat] if card not in event.cards])
    return _with(
        state,
        deal=_deal_with(deal, discards=_put(deal.discards, seat, event.cards)),
        table=Table(_put(state.table.hand, seat, kept)),  # nothing else is on it before the play
        timeouts=_timeouts(state, seat, event.auto),
    )


def _deal_started(state: State, event: DealStarted) -> State:
    deal = Deal(event.game_no, event.deal_no, event.dealer, event.deck)
    after = _with(state, deal=deal, table=Table(), phase=Phase.DISCARD)
    if event.deal_no > 1:
        return after
    series = replace(state.series, first_dealer=event.dealer)
    return replace(after, series=series, front=(0, 0), back=(0, 0))


def _game_ended(state: State, event: GameEnded) -> State:
    series, winner = state.series, event.winner
    counted = series.games_won[winner] + GAMES_COUNTED[event.skunk]
    given_up = event.reason is not EndReason.TARGET_REACHED
    over = given_up or counted >= state.options.games_to_win
    ended = Series(
        cuts=series.cuts,
        first_dealer=series.first_dealer,
        winner=winner,
        end_reason=event.reason,
        games_played=series.games_played + 1,
        games_won=_put(series.games_won, winner, counted),
        wins=_put(series.wins, winner, series.wins[winner] + 1),
    )
    phase = Phase.MATCH_OVER if over else Phase.GAME_OVER
    return replace(state, phase=phase, series=ended)


def _with(
    state: State,
    *,
    phase: Phase | None = None,
    deal: Deal | None = None,
    table: Table | None = None,
    timeouts: tuple[int, int] | None = None,
    last_show: tuple[Count, ...] | None = None,
) -> State:
    """What `replace` does for the fields that change often, in a third of its time."""
    return State(
        state.options,
        state.variant,
        phase or state.phase,
        state.series,
        deal or state.deal,
        table or state.table,
        state.front,
        state.back,
        timeouts or state.timeouts,
        state.last_show if last_show is None else last_show,
    )


def _deal_with(
    deal: Deal,
    *,
    dealt: tuple[Cards, Cards] | None = None,
    discards: tuple[Cards, Cards] | None = None,
    starter: Card | None = None,
) -> Deal:
    return Deal(
        deal.game_no,
        deal.number,
        deal.dealer,
        deal.deck,
        dealt or deal.dealt,
        discards or deal.discards,
        starter or deal.starter,
    )


def _timeouts(state: State, seat: Seat, auto: bool) -> tuple[int, int]:
    """A move of the seat's own ends its row of timeouts."""
    return state.timeouts if auto else _put(state.timeouts, seat, 0)


def _deal(state: State) -> Deal:
    assert state.deal is not None, "events of a deal follow its DealStarted"
    return state.deal


def _put(pair: tuple[T, T], seat: Seat, value: T) -> tuple[T, T]:
    """The pair with the seat's entry changed."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)
