"""What each viewer may know of Quartett: of the table (`view`) and of an event (`redact`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielwerk.games.game import Seat
from spielwerk.games.quartett.comparing import allowed, forbidden
from spielwerk.games.quartett.messages import Event, StackDealt, TopShown
from spielwerk.games.quartett.model import CardIds, EndReason, Past, Phase, State
from spielwerk.games.quartett.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The table as one viewer may see it (clause 8); pairs are by seat, None is a spectator.

    It holds the order of no stack, not even as far as the duels would tell it.
    """

    seat: Seat | None
    options: Options
    phase: Phase
    game_no: int
    round: int
    turn: Seat | None
    counts: tuple[int, ...]
    pot: CardIds
    top: str | None = None
    """The card on top of the viewer's stack."""
    allowed: tuple[str, ...] = ()
    """Categories that the viewer's top card may choose, when it is on turn."""
    forbidden: tuple[str, ...] = ()
    """Categories where its value stands out; allowed all the same if they are all of them."""
    duels: tuple[Past, ...]
    """All duels of this game, in order."""
    wins: tuple[int, ...]
    """Games won in the series."""
    draws: int
    games: int
    """Games that have ended."""
    timeouts: tuple[int, ...]
    winner: Seat | None
    """Of the latest game that ended."""
    end_reason: EndReason | None


def view(state: State, seat: Seat | None) -> View:
    """The table as the seat, or a spectator (None), may see it."""
    series = state.series
    seen = View(
        seat=seat,
        options=state.options,
        phase=state.phase,
        game_no=state.game_no,
        round=state.round,
        turn=state.turn,
        counts=state.counts,
        pot=state.pot,
        duels=state.duels,
        wins=series.wins,
        draws=series.draws,
        games=series.games,
        timeouts=state.timeouts,
        winner=series.winner,
        end_reason=series.end_reason,
    )
    if seat is None or state.phase is not Phase.CHOOSE:
        return seen
    deck, forbid = state.options.deck, state.options.forbid
    card = deck.card(state.stacks[seat].cards[0])
    return replace(
        seen,
        top=card.id,
        allowed=allowed(deck, card, forbid),
        forbidden=forbidden(deck, card, forbid),
    )


def redact(options: Options, event: Event, seat: Seat | None) -> Event | None:  # noqa: ARG001
    """The event as the viewer may see it: nobody sees a stack, each seat its own top card."""
    match event:
        case StackDealt():
            return replace(event, cards=())
        case TopShown(owner) if owner != seat:
            return None
        case _:
            return event
