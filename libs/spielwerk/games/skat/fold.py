"""How each event changes the table; it never refuses, draws nothing and reads no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, assert_never

from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import Auction, By
from spielwerk.games.skat.bidding import after_bid, after_hold, after_pass, opening
from spielwerk.games.skat.cards import Cards, in_order
from spielwerk.games.skat.dealing import skat_of
from spielwerk.games.skat.events import (
    Announced,
    AuctionWon,
    BidHeld,
    BidMade,
    CardPlayed,
    CardsDealt,
    Conceded,
    DealPassedIn,
    DealScored,
    DealStarted,
    Discarded,
    Event,
    HandExposed,
    Passed,
    Resigned,
    SeriesEnded,
    SkatTaken,
    TimedOut,
    TrickTaken,
)
from spielwerk.games.skat.model import TRICKS, Deal, Phase, Series, State, Table, Taken, Trick
from spielwerk.games.skat.series import with_outcome

T = TypeVar("T")


def evolve(state: State, event: Event) -> State:  # noqa: PLR0911, PLR0912 - an arm an event
    """The state after the event."""
    match event:  # the events of the play first: they are nearly all
        case CardPlayed():
            return _card_played(state, event)
        case TrickTaken():
            return _trick_taken(state, event)
        case BidMade(seat, value):
            return _called(state, seat, after_bid(_deal(state).auction, seat, value))
        case BidHeld(seat):
            return _called(state, seat, after_hold(_deal(state).auction, seat))
        case Passed(seat, by):
            own = seat if by is By.PLAYER else None
            return _called(state, own, after_pass(_deal(state).auction, seat, by))
        case DealStarted():
            return _deal_started(state, event)
        case CardsDealt(hands):
            dealt = (hands[0].cards, hands[1].cards, hands[2].cards)
            deal = replace(_deal(state), dealt=dealt)
            return replace(state, deal=deal, table=Table(hands=dealt, leader=deal.forehand))
        case AuctionWon(declarer, bid):
            deal = replace(_deal(state), declarer=declarer, bid=bid)
            return replace(state, deal=deal, phase=Phase.SKAT)
        case SkatTaken(seat, cards):
            return _skat_taken(state, seat, cards)
        case Discarded(seat, cards):
            return _discarded(state, seat, cards)
        case Announced(seat, contract):
            deal = replace(_deal(state), contract=contract)
            table = replace(state.table, turn=deal.forehand)
            return _acted(replace(state, deal=deal, table=table, phase=Phase.PLAY), seat)
        case Conceded(seat):
            table = replace(state.table, conceded=_put(state.table.conceded, seat, True))
            return _acted(replace(state, table=table), seat)
        case TimedOut(seat, _, _, in_a_row):
            series = replace(state.series, timeouts=_put(state.series.timeouts, seat, in_a_row))
            return replace(state, series=series)
        case DealScored(outcome, laid_open):
            series = replace(with_outcome(state.series, outcome), laid_open=laid_open)
            return replace(state, series=series, phase=Phase.SCORED)
        case SeriesEnded(reason, by):
            series = replace(state.series, ended=reason, abandoned_by=by)
            return replace(state, series=series, phase=Phase.SERIES_OVER)
        case DealPassedIn() | HandExposed() | Resigned():
            return state  # what follows from them is told by the events beside them
        case _:
            assert_never(event)


def _card_played(state: State, event: CardPlayed) -> State:
    table, seat = state.table, event.seat
    left = tuple([card for card in table.hands[seat] if card != event.card])
    trick = (*table.trick, event.card)
    after = Table(
        hands=_put(table.hands, seat, left),
        leader=table.leader,
        trick=trick,
        turn=None if len(trick) == 3 else (seat + 1) % 3,
        tricks=table.tricks,
        taken=table.taken,
        conceded=_put(table.conceded, seat, False) if table.conceded[seat] else table.conceded,
    )
    return State(state.options, state.phase, _in_time(state.series, seat), state.deal, after)


def _trick_taken(state: State, event: TrickTaken) -> State:
    table, winner = state.table, event.winner
    tricks = (*table.tricks, Trick(table.leader, table.trick, winner))
    after = Table(
        hands=table.hands,
        leader=winner,
        trick=(),
        turn=winner if len(tricks) < TRICKS else None,
        tricks=tricks,
        taken=_with_trick(table.taken, winner == _deal(state).declarer, event.points),
        conceded=table.conceded,
    )
    return State(state.options, state.phase, state.series, state.deal, after)


def _with_trick(taken: Taken, by_declarer: bool, points: int) -> Taken:
    if by_declarer:
        return Taken(
            taken.declarer_points + points,
            taken.defender_points,
            taken.declarer_tricks + 1,
            taken.defender_tricks,
        )
    return Taken(
        taken.declarer_points,
        taken.defender_points + points,
        taken.declarer_tricks,
        taken.defender_tricks + 1,
    )


def _deal_started(state: State, event: DealStarted) -> State:
    deal = Deal(
        number=event.deal_no,
        dealer=event.dealer,
        skat=skat_of(event.deck),
        auction=opening(event.dealer),
    )
    return State(state.options, Phase.AUCTION, state.series, deal, Table())


def _called(state: State, seat: Seat | None, auction: Auction) -> State:
    """A word of the auction; `seat` is None where the clock spoke for it."""
    after = replace(state, deal=replace(_deal(state), auction=auction))
    return after if seat is None else _acted(after, seat)


def _skat_taken(state: State, seat: Seat, cards: Cards) -> State:
    deal, table = replace(_deal(state), skat_taken=True), state.table
    hands = _put(table.hands, seat, in_order(table.hands[seat] + cards))
    after = replace(state, deal=deal, table=replace(table, hands=hands), phase=Phase.DISCARD)
    return _acted(after, seat)


def _discarded(state: State, seat: Seat, cards: Cards) -> State:
    deal, table = replace(_deal(state), discarded=in_order(cards)), state.table
    left = tuple([card for card in table.hands[seat] if card not in cards])
    table = replace(table, hands=_put(table.hands, seat, left))
    return _acted(replace(state, deal=deal, table=table, phase=Phase.ANNOUNCE), seat)


def _acted(state: State, seat: Seat) -> State:
    """An action of the seat's own ends its row of timeouts (clause 10.7)."""
    series = _in_time(state.series, seat)
    return state if series is state.series else replace(state, series=series)


def _in_time(series: Series, seat: Seat) -> Series:
    if not series.timeouts[seat]:
        return series
    return replace(series, timeouts=_put(series.timeouts, seat, 0))


def _deal(state: State) -> Deal:
    assert state.deal is not None, "events of a deal follow its DealStarted"
    return state.deal


def _put(three: tuple[T, T, T], seat: Seat, value: T) -> tuple[T, T, T]:
    """The tuple with the seat's entry changed."""
    if seat == 0:
        return value, three[1], three[2]
    if seat == 1:
        return three[0], value, three[2]
    return three[0], three[1], value
