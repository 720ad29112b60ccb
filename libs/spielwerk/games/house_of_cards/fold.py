"""How each event changes the table; it never refuses, draws nothing and reads no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from spielwerk.games.game import Seat
from spielwerk.games.house_of_cards.jokers import lost, without
from spielwerk.games.house_of_cards.messages import (
    CardOpened,
    CardsReplaced,
    Event,
    FloorLaid,
    GameEnded,
    GameStarted,
    JokerDrawn,
    MatchEnded,
    RoofBuilt,
    TimedOut,
)
from spielwerk.games.house_of_cards.model import (
    BuiltRoof,
    Ending,
    House,
    LaidFloor,
    OpenCard,
    Site,
    State,
)


def evolve(state: State, event: Event) -> State:
    """The state after the event."""
    match event:
        case GameStarted(stock):
            return replace(state, stock=stock)
        case MatchEnded():
            return replace(state, over=True)
        case _:
            site = _changed(state, state.sites[event.seat], event)
            return _with_site(state, event.seat, site)


def _changed(  # noqa: PLR0911 - an arm an event
    state: State,
    site: Site,
    event: CardOpened | JokerDrawn | RoofBuilt | FloorLaid | CardsReplaced | TimedOut | GameEnded,
) -> Site:
    match event:
        case CardOpened(_, slot, card):
            lying = sorted((*site.open, OpenCard(slot, card)), key=lambda item: item.slot)
            return replace(site, open=tuple(lying), drawn=site.drawn + 1)
        case JokerDrawn():
            return _joker_drawn(state, site, event)
        case RoofBuilt(_, storey, index, slots, cards, value):
            roof = BuiltRoof(storey, index, cards, value)
            house = House((*site.house.roofs, roof), site.house.floors)
            return _moved(site, slots, event.spent_ms, house)
        case FloorLaid(_, storey, index, slot, card, limit):
            floor = LaidFloor(storey, index, card, limit)
            house = House(site.house.roofs, (*site.house.floors, floor))
            return _moved(site, (slot,), event.spent_ms, house)
        case CardsReplaced(_, _, cards):
            slots = tuple([item.slot for item in site.open])
            after = _moved(site, slots, event.spent_ms, site.house)
            return replace(after, discarded=(*site.discarded, *cards))
        case GameEnded():
            return replace(site, ending=ending(event))
        case TimedOut():
            return site  # what follows from it is told by the event after it
        case _:
            assert_never(event)


def _joker_drawn(state: State, site: Site, event: JokerDrawn) -> Site:
    after = without(site.house, event.removed, state.options.joker_removes)
    joker = state.stock[site.drawn]
    fallen = lost(site.house, after).cards
    discarded = (*site.discarded, joker, *fallen)
    return replace(site, house=after, drawn=site.drawn + 1, discarded=discarded)


def ending(event: GameEnded) -> Ending:
    """How the event says that the seat's game ended."""
    return Ending(event.reason, event.house, event.left, event.bonus, event.score, event.credits)


def _moved(site: Site, slots: tuple[int, ...], spent_ms: int, house: House) -> Site:
    """After a command of the seat that emptied these slots."""
    return replace(
        site,
        open=tuple([item for item in site.open if item.slot not in slots]),
        house=house,
        moves=site.moves + 1,
        used_ms=site.used_ms + spent_ms,
    )


def _with_site(state: State, seat: Seat, site: Site) -> State:
    sites = (*state.sites[:seat], site, *state.sites[seat + 1 :])
    return State(state.options, sites, state.stock, state.over)
