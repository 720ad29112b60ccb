"""The course of a match that needs no command: deal, turns, taking cards, ends, next game."""

from __future__ import annotations

from typing import TypeAlias

from spielwerk.cards import Card, Rank
from spielwerk.chance import Chance
from spielwerk.games.game import Script, Seat
from spielwerk.games.maumau.cards import is_normal, pack, seven_cards
from spielwerk.games.maumau.messages import (
    CardsDrawn,
    DirectionChanged,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    PendingRaised,
    SeatLeft,
    SeatSkipped,
    SeriesEnded,
    TalonReshuffled,
    TurnStarted,
    UpcardTurned,
)
from spielwerk.games.maumau.model import (
    DrawReason,
    EndReason,
    Holding,
    LeftReason,
    State,
    Table,
)
from spielwerk.games.maumau.options import FirstUpcard
from spielwerk.games.maumau.points import game_places, hand_value, series_places

Steps: TypeAlias = Script[State, Event]


def begin_game(steps: Steps, chance: Chance) -> None:
    """Shuffle, deal one by one, turn the first card up and start turn 1 (clause 3)."""
    state = steps.state
    game = state.last.game + 1 if state.last else 1
    starter = _seat_from(state, (state.options.first_starter + game - 1) % state.seats, 1)
    deck = chance.shuffle(f"deal/{game}", pack(state.options.jokers))
    steps.emit(GameStarted(game, starter, deck))
    size = state.options.hand_size
    turn = state.active.index(starter)
    order = state.active[turn:] + state.active[:turn]
    for place, seat in enumerate(order):
        steps.emit(HandDealt(seat, size, deck[place : size * len(order) : len(order)]))
    _turn_upcard(steps)
    start_turn(steps, chance, _first_seat(steps, starter))


def next_seat(state: State, seat: Seat) -> Seat:
    """Who follows the seat in the direction of play; seats that left are passed over."""
    direction = table_of(state).direction
    return _seat_from(state, (seat + direction) % state.seats, direction)


def start_turn(steps: Steps, chance: Chance, seat: Seat, *, again: bool = False) -> None:
    """A fresh turn for the seat, or the end at the limit (clause 8.3)."""
    state = steps.state
    if table_of(state).turn_no >= state.options.max_turns:
        end_game(steps, chance, EndReason.TURN_LIMIT)
    else:
        steps.emit(TurnStarted(seat, again))


def pass_turn(steps: Steps, chance: Chance, seat: Seat) -> None:
    """The turn goes to the seat, unless nobody can move any more (clause 8.2)."""
    state = steps.state
    if set(state.active) <= set(table_of(state).idle):
        end_game(steps, chance, EndReason.BLOCKED)
    else:
        start_turn(steps, chance, seat)


def take(
    steps: Steps,
    chance: Chance,
    seat: Seat,
    asked: int,
    reason: DrawReason,
    *,
    auto: bool = False,
) -> None:
    """The seat takes so many cards, or as many as there are (clause 7)."""
    table = table_of(steps.state)
    below = table.pile[:-1]
    if len(table.talon) < asked and below:
        order = chance.shuffle(f"reshuffle/{table.game}/{table.reshuffles + 1}", below)
        steps.emit(TalonReshuffled(len(order), order))
    cards = table_of(steps.state).talon[:asked]
    steps.emit(CardsDrawn(seat, reason, asked, len(cards), cards, auto))


def leave(steps: Steps, chance: Chance, seat: Seat, reason: LeftReason) -> None:
    """The seat is out; the last one that stays has won (clause 9.3)."""
    table = table_of(steps.state)
    follower = next_seat(steps.state, seat)
    steps.emit(SeatLeft(seat, reason))
    active = steps.state.active
    if len(active) == 1:
        end_game(steps, chance, EndReason(reason.value), winner=active[0])
    elif table.turn == seat:
        pass_turn(steps, chance, follower)


def end_game(
    steps: Steps, chance: Chance, reason: EndReason, *, winner: Seat | None = None
) -> None:
    """Value the hands; start the next game if the match goes on (clauses 8 and 9)."""
    state, hands = steps.state, table_of(steps.state).hands
    # A winner has no penalty, also where the others gave up before its hand ran out.
    points = tuple(
        [
            0 if seat == winner else hand_value(hands[seat], state.options)
            for seat in range(state.seats)
        ]
    )
    holdings = tuple([Holding(seat, hands[seat]) for seat in range(state.seats)])
    places = game_places(points, winner, state.left)
    steps.emit(GameEnded(reason, winner, points, places, holdings))
    state = steps.state
    if table_of(state).game < state.options.games and len(state.active) > 1:
        begin_game(steps, chance)
        return
    if state.options.games > 1:
        places = series_places(state.totals, state.left)
    steps.emit(SeriesEnded(state.totals, places))


def table_of(state: State) -> Table:
    """The table of the game at hand."""
    assert state.table is not None, "a game has started"
    return state.table


def _turn_upcard(steps: Steps) -> None:
    """Turn the first card; with `redraw` action cards and jokers go under the talon, unless
    nothing else is left."""
    talon, redraw = table_of(steps.state).talon, FirstUpcard.REDRAW
    if steps.state.options.first_upcard is redraw and any(map(is_normal, talon)):
        for card in talon:
            if is_normal(card):
                break
            steps.emit(UpcardTurned(card, put_under=True))
    steps.emit(UpcardTurned(table_of(steps.state).talon[0]))


def _first_seat(steps: Steps, starter: Seat) -> Seat:
    """Who is on turn first: the starter, unless an ace with effect lies open (clause 3.5)."""
    card, options = table_of(steps.state).upcard, steps.state.options
    if options.first_upcard is not FirstUpcard.EFFECT or not isinstance(card, Card):
        return starter
    if card.rank is Rank.SEVEN:
        steps.emit(PendingRaised(seven_cards(card, options)))
    elif card.rank is Rank.TEN:
        steps.emit(DirectionChanged(-1))
    elif card.rank is Rank.ACE:
        steps.emit(SeatSkipped(starter))
        return next_seat(steps.state, starter)
    return starter


def _seat_from(state: State, seat: Seat, direction: int) -> Seat:
    """The seat itself, or the next one in the direction that has not left."""
    while seat in state.left:
        seat = (seat + direction) % state.seats
    return seat
