"""What each viewer may know of Skat: of the table (`view`) and of an event (`redact`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielwerk.games.game import Seat
from spielwerk.games.skat.auction import Auction
from spielwerk.games.skat.cards import Cards
from spielwerk.games.skat.events import (
    CardsDealt,
    DealScored,
    DealStarted,
    Discarded,
    Event,
    SkatTaken,
)
from spielwerk.games.skat.model import (
    NONE_BY_SEAT,
    NOTHING_TAKEN,
    Contract,
    Deal,
    LaidOpen,
    Outcome,
    Phase,
    SeriesReason,
    State,
    Taken,
    Trick,
)
from spielwerk.games.skat.options import Options, Reveal
from spielwerk.games.skat.rules import to_act
from spielwerk.games.skat.series import places, seeger_fabian


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The table as one viewer may see it (clause 12); tuples are by seat, None is a spectator."""

    seat: Seat | None
    options: Options
    phase: Phase
    deal_no: int = 0
    dealer: Seat | None = None
    forehand: Seat | None = None
    to_act: Seat | None = None
    auction: Auction | None = None
    declarer: Seat | None = None
    bid: int = 0
    skat_taken: bool = False
    contract: Contract | None = None
    dealt: Cards = ()
    """The viewer's ten cards of this deal."""
    hand: Cards = ()
    """The viewer's cards now: twelve before it discards."""
    hand_counts: tuple[int, ...] = NONE_BY_SEAT
    skat: Cards = ()
    """The skat as dealt, for a declarer who took it."""
    discarded: Cards = ()
    """What the viewer laid away."""
    exposed: Cards = ()
    """The declarer's unplayed cards in an ouvert game."""
    leader: Seat | None = None
    """Who led the running trick; None outside the play."""
    trick: Cards = ()
    tricks: tuple[Trick, ...] = ()
    taken: Taken = NOTHING_TAKEN
    """Tricks and their points, without what lies aside."""
    conceded: tuple[bool, ...] = (False, False, False)
    deals_scored: int = 0
    list_points: tuple[int, ...] = NONE_BY_SEAT
    seeger_fabian: tuple[int, ...] = NONE_BY_SEAT
    won: tuple[int, ...] = NONE_BY_SEAT
    lost: tuple[int, ...] = NONE_BY_SEAT
    fees_milli: tuple[int, ...] = NONE_BY_SEAT
    timeouts: tuple[int, ...] = NONE_BY_SEAT
    last: Outcome | None = None
    """The last scored deal."""
    last_open: LaidOpen | None = None
    """Its cards."""
    ended: SeriesReason | None = None
    abandoned_by: Seat | None = None
    places: tuple[int, ...] = ()
    """After the end of the series."""


def view(state: State, seat: Seat | None) -> View:
    """The table as the seat, or a spectator (None), may see it."""
    deal, table, series = state.deal, state.table, state.series
    if deal is None:
        return View(seat=seat, options=state.options, phase=state.phase)
    laid_open = series.laid_open
    own_skat = seat is not None and seat == deal.declarer and deal.skat_taken
    ended = series.ended is not None
    return View(
        seat=seat,
        options=state.options,
        phase=state.phase,
        deal_no=deal.number,
        dealer=deal.dealer,
        forehand=deal.forehand,
        to_act=to_act(state),
        auction=deal.auction,
        declarer=deal.declarer,
        bid=deal.bid,
        skat_taken=deal.skat_taken,
        contract=deal.contract,
        dealt=() if seat is None else deal.dealt[seat],
        hand=() if seat is None else table.hands[seat],
        hand_counts=tuple([len(hand) for hand in table.hands]),
        skat=deal.skat if own_skat else (),
        discarded=deal.discarded if own_skat else (),
        exposed=_exposed(state, deal),
        leader=table.leader if deal.contract else None,
        trick=table.trick,
        tricks=table.tricks,
        taken=table.taken,
        conceded=table.conceded,
        deals_scored=series.scored,
        list_points=series.list_points,
        seeger_fabian=seeger_fabian(series),
        won=series.won,
        lost=series.lost,
        fees_milli=series.fees_milli,
        timeouts=series.timeouts,
        last=series.last,
        last_open=_opened(state.options, laid_open) if laid_open else None,
        ended=series.ended,
        abandoned_by=series.abandoned_by,
        places=places(state.options, series, series.abandoned_by) if ended else (),
    )


def redact(options: Options, event: Event, seat: Seat | None) -> Event:
    """The event as the viewer may see it: cards not for it are left out, their number stays."""
    match event:
        case DealStarted():
            return replace(event, deck=())
        case CardsDealt(hands):
            return replace(event, hands=tuple([hand for hand in hands if hand.seat == seat]))
        case SkatTaken(owner) | Discarded(owner) if owner != seat:
            return replace(event, cards=())
        case DealScored(_, laid_open):
            return replace(event, laid_open=_opened(options, laid_open))
        case _:
            return event


def _opened(options: Options, laid_open: LaidOpen) -> LaidOpen:
    if options.reveal is Reveal.SKAT_ONLY:
        return LaidOpen((), laid_open.skat, laid_open.discarded)
    return laid_open


def _exposed(state: State, deal: Deal) -> Cards:
    if deal.contract is None or not deal.contract.ouvert:
        return ()
    return state.table.hands[deal.who]
