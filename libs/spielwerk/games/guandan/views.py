"""What each viewer may know of Guandan: of the table (`view`) and of an event (`redact`)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from spielwerk.cards import Rank
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import Cards
from spielwerk.games.guandan.messages import CardReturned, DealStarted, Event
from spielwerk.games.guandan.model import (
    FIRST_LEVELS,
    DealResult,
    EndReason,
    Move,
    Phase,
    State,
    Top,
    Transfer,
    Tribute,
)
from spielwerk.games.guandan.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The table as one viewer may see it (clause 12); None is a spectator.

    Pairs are by team, tuples of four by seat.
    """

    seat: Seat | None
    options: Options
    phase: Phase
    bots: tuple[Seat, ...] = ()
    game_no: int = 0
    deal_no: int = 0
    level: Rank = Rank.TWO
    levels: tuple[Rank, ...] = FIRST_LEVELS
    declarer: int | None = None
    ace_failures: tuple[int, ...] = (0, 0)
    deals_won: tuple[int, ...] = (0, 0)
    hand: Cards = ()
    """The viewer's cards."""
    hand_counts: tuple[int, ...] = (0, 0, 0, 0)
    turn: Seat | None = None
    """Who must play; None outside the play."""
    top: Top | None = None
    passes: tuple[Seat, ...] = ()
    order: tuple[Seat, ...] = ()
    trick: int = 1
    moves: tuple[Move, ...] = ()
    tribute: Tribute = field(default_factory=Tribute)
    agreed: tuple[Seat, ...] = ()
    last_deal: DealResult | None = None
    winner: int | None = None
    ended: EndReason | None = None


def view(state: State, seat: Seat | None) -> View:
    """The table as the seat, or a spectator (None), may see it."""
    progress, table = state.progress, state.table
    return View(
        seat=seat,
        options=state.options,
        phase=state.phase,
        bots=state.bots,
        game_no=progress.game_no,
        deal_no=progress.deal_no,
        level=progress.level,
        levels=progress.levels,
        declarer=progress.declarer,
        ace_failures=progress.ace_failures,
        deals_won=progress.deals_won,
        hand=() if seat is None else table.hands[seat],
        hand_counts=tuple([len(cards) for cards in table.hands]),
        turn=table.turn,
        top=table.top,
        passes=table.passes,
        order=table.order,
        trick=table.trick,
        moves=table.moves,
        tribute=_tribute(state.tribute, state.options, seat),
        agreed=state.agreed,
        last_deal=progress.last_deal,
        winner=progress.winner,
        ended=progress.ended,
    )


def redact(options: Options, event: Event, seat: Seat | None) -> Event:
    """The event as the viewer may see it: hands and, if private, returned cards are left out."""
    match event:
        case DealStarted(hands=hands):
            return replace(event, hands=tuple(held for held in hands if held.seat == seat))
        case CardReturned(giver, receiver) if not _sees(options, giver, receiver, seat):
            return replace(event, card=None)
        case _:
            return event


def _tribute(tribute: Tribute, options: Options, seat: Seat | None) -> Tribute:
    if not options.return_private or not tribute.returned:
        return tribute
    seen = [_transfer(transfer, options, seat) for transfer in tribute.returned]
    return replace(tribute, returned=tuple(seen))


def _transfer(transfer: Transfer, options: Options, seat: Seat | None) -> Transfer:
    if _sees(options, transfer.from_seat, transfer.to_seat, seat):
        return transfer
    return replace(transfer, card=None)


def _sees(options: Options, giver: Seat, receiver: Seat, seat: Seat | None) -> bool:
    return not options.return_private or seat in (giver, receiver)
