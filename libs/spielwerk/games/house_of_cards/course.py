"""The course of a match that needs no command: opening cards, jokers, and the ends."""

from __future__ import annotations

from typing import TypeAlias

from spielwerk.cards import Joker
from spielwerk.games.game import Script, Seat
from spielwerk.games.house_of_cards.building import ROOF_PLACES
from spielwerk.games.house_of_cards.jokers import lost, top, without
from spielwerk.games.house_of_cards.messages import (
    Board,
    CardOpened,
    Event,
    GameEnded,
    JokerDrawn,
    MatchEnded,
)
from spielwerk.games.house_of_cards.model import Ending, EndReason, State
from spielwerk.games.house_of_cards.options import credits_of
from spielwerk.games.house_of_cards.placing import placements

Steps: TypeAlias = Script[State, Event]


def alone(state: State) -> bool:
    """Whether there is one seat only, from whose cards nobody could profit (clause 8)."""
    return len(state.sites) == 1


def refill(steps: Steps, seat: Seat) -> None:
    """Fill the empty slots, the lowest first; jokers act at once (clauses 3.2 and 5.1)."""
    taken = {item.slot for item in steps.state.sites[seat].open}
    for slot in range(steps.state.options.open):
        if slot not in taken:
            _open_card(steps, seat, slot)


def go_on(steps: Steps, seat: Seat) -> None:
    """After a command of the seat: the end of its house, or new cards, or nothing to build any
    more (clause 6.1)."""
    if len(steps.state.sites[seat].house.roofs) == len(ROOF_PLACES):
        end_game(steps, seat, EndReason.COMPLETE)
        return
    refill(steps, seat)
    state, site = steps.state, steps.state.sites[seat]
    limit_ms = state.options.time_limit_ms
    if not state.left_in_stock(seat) and next(placements(site), None) is None:
        end_game(steps, seat, EndReason.STUCK)
    elif limit_ms and site.used_ms >= limit_ms:
        end_game(steps, seat, EndReason.TIME)


def end_game(steps: Steps, seat: Seat, reason: EndReason) -> None:
    """Close the seat's game; the last one closes the match and lays everything open."""
    state = steps.state
    end = _ending(state, seat, reason)
    steps.emit(
        GameEnded(
            seat=seat,
            reason=end.reason,
            house=end.house,
            left=end.left,
            bonus=end.bonus,
            score=end.score,
            credits=end.credits,
            public=alone(state),
        )
    )
    boards = _boards(steps.state)
    if len(boards) == len(state.sites):
        steps.emit(MatchEnded(state.stock, boards))


def _open_card(steps: Steps, seat: Seat, slot: int) -> None:
    """The next card that is no joker, if there is one."""
    for card in steps.state.left_in_stock(seat):
        if not isinstance(card, Joker):
            steps.emit(CardOpened(seat, slot, card, alone(steps.state)))
            return
        _joker(steps, seat)


def _joker(steps: Steps, seat: Seat) -> None:
    removes = steps.state.options.joker_removes
    house = steps.state.sites[seat].house
    removed = top(house, removes)
    fallen = lost(house, without(house, removed, removes))
    steps.emit(
        JokerDrawn(
            seat=seat,
            removed=removed,
            cards_lost=len(fallen.cards),
            points_lost=fallen.points,
            public=alone(steps.state),
        )
    )


def _ending(state: State, seat: Seat, reason: EndReason) -> Ending:
    """The score (clauses 6.3 to 6.6)."""
    options, site = state.options, state.sites[seat]
    left = len(state.left_in_stock(seat)) + (len(site.open) if options.bonus_counts_open else 0)
    bonus = options.bonus_per_card * left if reason is EndReason.COMPLETE else 0
    score = site.house.points + bonus
    return Ending(
        reason=reason,
        house=site.house.points,
        left=left,
        bonus=bonus,
        score=score,
        credits=credits_of(score, options.credits),
    )


def _boards(state: State) -> tuple[Board, ...]:
    """The sites whose games have ended."""
    return tuple(
        Board(seat, site.house, site.open, site.ending)
        for seat, site in enumerate(state.sites)
        if site.ending is not None
    )
