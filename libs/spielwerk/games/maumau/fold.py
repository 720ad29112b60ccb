"""How each event changes the table; it never refuses, draws nothing and reads no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, assert_never

from spielwerk.games.game import Seat
from spielwerk.games.maumau.cards import is_jack, without
from spielwerk.games.maumau.messages import (
    AnnouncementMissed,
    CardPlayed,
    CardsDrawn,
    DirectionChanged,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    LastCardAnnounced,
    MauMau,
    PendingRaised,
    SeatLeft,
    SeatSkipped,
    SeriesEnded,
    TalonReshuffled,
    TurnStarted,
    UpcardTurned,
)
from spielwerk.games.maumau.model import DrawReason, Ending, State, Table

T = TypeVar("T")


def evolve(state: State, event: Event) -> State:  # noqa: PLR0911, PLR0912 - an arm an event
    """The state after the event."""
    match event:  # the events of the play first: they are nearly all
        case TurnStarted():
            return _at(state, _turn_started(_table(state), event))
        case CardPlayed():
            return _card_played(state, event)
        case CardsDrawn():
            return _cards_drawn(state, event)
        case LastCardAnnounced():
            return _announced(state, event)
        case PendingRaised(total):
            return _at(state, replace(_table(state), pending=total))
        case DirectionChanged(direction):
            return _at(state, replace(_table(state), direction=direction))
        case TalonReshuffled():
            return _at(state, _reshuffled(_table(state), event))
        case HandDealt():
            return _hand_dealt(state, event)
        case UpcardTurned():
            return _at(state, _upcard_turned(_table(state), event))
        case GameStarted(game, starter, deck):
            nobody: tuple[bool, ...] = (False,) * state.seats
            return _at(state, Table(game, starter, ((),) * state.seats, deck, nobody))
        case GameEnded():
            return _game_ended(state, event)
        case SeatLeft():
            return _seat_left(state, event)
        case SeriesEnded(_, places):
            return replace(state, places=places)
        case SeatSkipped() | AnnouncementMissed() | MauMau():
            return state  # what follows from them is told by the events after them
        case _:
            assert_never(event)


def _turn_started(table: Table, event: TurnStarted) -> Table:
    """Clause 6.3: a mark outlives its turn only with one card in the hand."""
    marks = zip(table.announced, table.hands, strict=True)
    return replace(
        table,
        turn=event.seat,
        turn_no=table.turn_no + 1,
        again=event.again,
        announced=tuple([mark and len(hand) == 1 for mark, hand in marks]),
        used_ms=0,
    )


def _card_played(state: State, event: CardPlayed) -> State:
    table, seat = _table(state), event.seat
    after = replace(
        table,
        hands=_put(table.hands, seat, without(table.hands[seat], (event.card,))),
        pile=(*table.pile, event.card),
        wish=event.wish if is_jack(event.card) else None,
        idle=(),
    )
    return replace(state, table=after, timeouts=_put(state.timeouts, seat, 0))


def _cards_drawn(state: State, event: CardsDrawn) -> State:
    table, seat = _table(state), event.seat
    kept = table.announced[seat] and not event.count and not event.auto
    after = replace(
        table,
        hands=_put(table.hands, seat, (*table.hands[seat], *event.cards)),
        talon=table.talon[event.count :],
        pending=0 if event.reason is DrawReason.SEVENS else table.pending,
        announced=_put(table.announced, seat, kept),
        idle=_idle(table, event),
    )
    row = state.timeouts[seat] + 1 if event.auto else 0
    return replace(state, table=after, timeouts=_put(state.timeouts, seat, row))


def _idle(table: Table, event: CardsDrawn) -> tuple[Seat, ...]:
    """Clause 8.2: who in a row ended a turn in which no card moved; sevens end no turn."""
    if event.count:
        return ()
    if event.reason is DrawReason.SEVENS:
        return table.idle
    if event.reason is DrawReason.NOT_ANNOUNCED and len(table.hands[event.seat]) > 1:
        return table.idle  # the seat has just taken cards for sevens
    return (*table.idle, event.seat)


def _announced(state: State, event: LastCardAnnounced) -> State:
    table, seat = _table(state), event.seat
    marks = _put(table.announced, seat, True)
    after = replace(table, announced=marks, used_ms=event.used_ms)
    return replace(state, table=after, timeouts=_put(state.timeouts, seat, 0))


def _reshuffled(table: Table, event: TalonReshuffled) -> Table:
    return replace(
        table,
        talon=(*table.talon, *event.order),
        pile=table.pile[-1:],
        reshuffles=table.reshuffles + 1,
    )


def _hand_dealt(state: State, event: HandDealt) -> State:
    table, seat = _table(state), event.seat
    after = replace(
        table,
        hands=_put(table.hands, seat, event.cards),
        talon=without(table.talon, event.cards),
    )
    return replace(state, table=after, played=_put(state.played, seat, state.played[seat] + 1))


def _upcard_turned(table: Table, event: UpcardTurned) -> Table:
    rest = table.talon[1:]
    if event.put_under:
        return replace(table, talon=(*rest, event.card))
    return replace(table, talon=rest, pile=(event.card,))


def _game_ended(state: State, event: GameEnded) -> State:
    table = _table(state)
    ending = Ending(table.game, event.reason, event.winner, event.points, event.places, event.hands)
    wins = state.wins
    if event.winner is not None:
        wins = _put(wins, event.winner, wins[event.winner] + 1)
    return replace(
        state,
        table=replace(table, turn=None, again=False),
        totals=tuple([sum(pair) for pair in zip(state.totals, event.points, strict=True)]),
        wins=wins,
        last=ending,
    )


def _seat_left(state: State, event: SeatLeft) -> State:
    table, seat = _table(state), event.seat
    after = replace(
        table,
        announced=_put(table.announced, seat, False),
        pending=0 if table.turn == seat else table.pending,
    )
    return replace(state, table=after, left=(*state.left, seat))


def _at(state: State, table: Table) -> State:
    return replace(state, table=table)


def _table(state: State) -> Table:
    assert state.table is not None, "events of a game follow its GameStarted"
    return state.table


def _put(items: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """The tuple with the seat's entry changed."""
    return (*items[:seat], value, *items[seat + 1 :])
