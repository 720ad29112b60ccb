"""What each viewer may know of Cribbage: of the table (`view`) and of an event (`redact`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielwerk.cards import Card
from spielwerk.games.cribbage.messages import CardsDealt, CribDiscarded, DealStarted, Event
from spielwerk.games.cribbage.model import (
    SEATS,
    Cards,
    Count,
    Cut,
    GoSaid,
    Holding,
    Laid,
    Phase,
    State,
)
from spielwerk.games.cribbage.options import Options
from spielwerk.games.game import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The table as one viewer may see it (clause 10); pairs are by seat, None is a spectator."""

    seat: Seat | None
    options: Options
    phase: Phase
    game_no: int = 0
    deal_no: int = 0
    dealer: Seat | None = None
    cuts: tuple[Cut, ...] = ()
    front: tuple[int, ...] = (0, 0)
    """Scores of this game."""
    back: tuple[int, ...] = (0, 0)
    games_won: tuple[int, ...] = (0, 0)
    dealt: Cards = ()
    """The viewer's six cards."""
    discards: Cards = ()
    """The viewer's two cards in the crib."""
    hand: Cards = ()
    """The viewer's unplayed cards."""
    hand_counts: tuple[int, ...] = (0, 0)
    discarded: tuple[bool, ...] = (False, False)
    starter: Card | None = None
    played: tuple[Laid, ...] = ()
    """All cards laid in this deal, in order."""
    seq: tuple[Laid, ...] = ()
    """The cards laid since the last reset."""
    count: int = 0
    turn: Seat | None = None
    """Who must play; None outside the play."""
    last_player: Seat | None = None
    goes: tuple[GoSaid, ...] = ()
    """Every go of this deal: then all cards of the seat were higher than 31 minus the count."""
    last_show: tuple[Count, ...] = ()
    timeouts: tuple[int, ...] = (0, 0)
    winner: Seat | None = None
    unplayed: tuple[Holding, ...] = ()
    """After the end of the match only."""
    crib: tuple[Holding, ...] = ()
    """After the end of the match only."""


def view(state: State, seat: Seat | None) -> View:
    """The table as the seat, or a spectator (None), may see it."""
    deal, table, series = state.deal, state.table, state.series
    if deal is None:
        return View(seat=seat, options=state.options, phase=state.phase, cuts=series.cuts)
    over = state.phase is Phase.MATCH_OVER
    return View(
        seat=seat,
        options=state.options,
        phase=state.phase,
        game_no=deal.game_no,
        deal_no=deal.number,
        dealer=deal.dealer,
        cuts=series.cuts,
        front=state.front,
        back=state.back,
        games_won=series.games_won,
        dealt=() if seat is None else deal.dealt[seat],
        discards=() if seat is None else deal.discards[seat],
        hand=() if seat is None else table.hand[seat],
        hand_counts=tuple(len(cards) for cards in table.hand),
        discarded=tuple(bool(cards) for cards in deal.discards),
        starter=deal.starter,
        played=table.played,
        seq=table.seq,
        count=table.count,
        turn=None if over else table.turn,
        last_player=table.last_player,
        goes=table.goes,
        last_show=state.last_show,
        timeouts=state.timeouts,
        winner=series.winner,
        unplayed=holdings(table.hand) if over else (),
        crib=holdings(deal.discards) if over else (),
    )


def holdings(by_seat: tuple[Cards, Cards]) -> tuple[Holding, ...]:
    """The cards of each seat with its number."""
    return tuple(Holding(seat, by_seat[seat]) for seat in SEATS)


def redact(options: Options, event: Event, seat: Seat | None) -> Event:  # noqa: ARG001
    """The event as the viewer may see it: cards not for it are left out, their number stays."""
    match event:
        case DealStarted():
            return replace(event, deck=())
        case CardsDealt(owner) | CribDiscarded(owner) if owner != seat:
            return replace(event, cards=())
        case _:
            return event
