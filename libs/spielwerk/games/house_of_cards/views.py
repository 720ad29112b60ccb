"""What each viewer may know of House of Cards: of the table (`view`) and of an event (`redact`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielwerk.games.game import Seat
from spielwerk.games.house_of_cards.course import alone
from spielwerk.games.house_of_cards.messages import (
    CardOpened,
    CardsReplaced,
    Event,
    FloorLaid,
    GameEnded,
    GameStarted,
    JokerDrawn,
    RoofBuilt,
)
from spielwerk.games.house_of_cards.model import (
    AnyCards,
    Ending,
    House,
    OpenCard,
    State,
    jokers,
)
from spielwerk.games.house_of_cards.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteView:
    """Everything that lies open before one seat."""

    open: tuple[OpenCard, ...]
    house: House
    stock: int
    """Cards left in the stock, jokers included."""
    jokers: int
    """Jokers left in the stock."""
    discarded: AnyCards
    used_ms: int
    """Of the time for the whole house."""
    ending: Ending | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """One seat as the viewer may see it; `site` None: only score and progress may be known."""

    seat: Seat
    score: int
    moves: int
    """Commands given."""
    ended: bool
    site: SiteView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The table as one viewer may see it (clause 8); None is a spectator."""

    seat: Seat | None
    options: Options
    seats: tuple[SeatView, ...]
    over: bool
    stock: AnyCards
    """The whole stock in its order; empty before the end of the match."""


def view(state: State, seat: Seat | None) -> View:
    """The table as the seat, or a spectator (None), may see it."""
    everything = alone(state) or state.over
    return View(
        seat=seat,
        options=state.options,
        seats=tuple(
            _seat_view(state, number, whole=everything or number == seat)
            for number in range(len(state.sites))
        ),
        over=state.over,
        stock=state.stock if state.over else (),
    )


def redact(options: Options, event: Event, seat: Seat | None) -> Event | None:  # noqa: ARG001
    """The event as the viewer may see it: nobody sees the stock, nobody the cards of others while
    they could still profit from them."""
    match event:
        case GameStarted():
            return replace(event, stock=())
        case (
            CardOpened() | FloorLaid() | CardsReplaced() | RoofBuilt() | JokerDrawn() | GameEnded()
        ) if event.seat != seat and not event.public:
            return _from_afar(event)
        case _:
            return event


def _from_afar(
    event: CardOpened | FloorLaid | CardsReplaced | RoofBuilt | JokerDrawn | GameEnded,
) -> Event | None:
    """What moves the score, without what it was built of."""
    match event:
        case RoofBuilt():
            return replace(event, storey=0, index=0, slots=(), cards=())
        case JokerDrawn() if event.points_lost:
            return replace(event, removed=None, cards_lost=0)
        case GameEnded():
            return replace(event, house=0, left=0, bonus=0)
        case _:
            return None


def _seat_view(state: State, seat: Seat, *, whole: bool) -> SeatView:
    site = state.sites[seat]
    return SeatView(
        seat=seat,
        score=site.score,
        moves=site.moves,
        ended=site.ending is not None,
        site=_site_view(state, seat) if whole else None,
    )


def _site_view(state: State, seat: Seat) -> SiteView:
    site, left = state.sites[seat], state.left_in_stock(seat)
    return SiteView(
        open=site.open,
        house=site.house,
        stock=len(left),
        jokers=jokers(left),
        discarded=site.discarded,
        used_ms=site.used_ms,
        ending=site.ending,
    )
