"""What a command must satisfy; the checks stand in the order of clause 10.1."""

from __future__ import annotations

from collections.abc import Sequence

from spielwerk.cards import AnyCard
from spielwerk.errors import Illegal
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import Cards
from spielwerk.games.guandan.combos import Reading, readings
from spielwerk.games.guandan.ladder import beats
from spielwerk.games.guandan.messages import Play
from spielwerk.games.guandan.model import Phase, State
from spielwerk.games.guandan.tribute import returnable


def check_turn(state: State, seat: Seat) -> None:
    """A play or pass: in the play, by the seat on turn."""
    if state.phase is not Phase.PLAY:
        raise Illegal("wrong_phase")
    if state.table.turn != seat:
        raise Illegal("not_your_turn")


def check_return(state: State, seat: Seat, card: AnyCard) -> None:
    """A return: of a card that the seat holds and may give back."""
    if state.phase is not Phase.RETURN:
        raise Illegal("wrong_phase")
    if all(transfer.to_seat != seat for transfer in state.tribute.due):
        raise Illegal("no_return_pending")
    if card not in state.table.hands[seat]:
        raise Illegal("cards_not_in_hand")
    if card not in returnable_by(state, seat):
        raise Illegal("illegal_return")


def check_next(state: State, seat: Seat) -> None:
    """The next deal: after a deal, by a seat that has a turn."""
    if state.phase is not Phase.DEAL_OVER:
        raise Illegal("wrong_phase")
    if seat not in state.people:
        raise Illegal("not_your_turn")


def check_restart(state: State, seat: Seat) -> None:
    """A restart: once a seat until a card is played; bots have agreed beforehand."""
    if seat in state.agreed or seat not in state.people:
        raise Illegal("already_agreed")


def reading_of(state: State, seat: Seat, play: Play) -> Reading:
    """The reading in which the cards are laid (clauses 5.3, 5.4)."""
    if not _owns(state.table.hands[seat], play.cards):
        raise Illegal("cards_not_in_hand")
    level, top = state.progress.level, state.table.top
    found = readings(play.cards, level, state.options)
    if not found:
        raise Illegal("not_a_combination")
    named = [
        reading
        for reading in found
        if play.shape in (None, reading.shape) and play.main in (None, reading.main)
    ]
    if not named:
        raise Illegal("bad_declaration", readings=_listed(found))
    allowed = [r for r in named if top is None or beats(r, top.combination.reading, level)]
    if not allowed:
        raise Illegal("does_not_beat")
    if len(allowed) > 1:
        raise Illegal("ambiguous", "name shape and main", readings=_listed(allowed))
    return allowed[0]


def returnable_by(state: State, seat: Seat) -> Cards:
    """The faces that the seat may give back for the tribute it got."""
    received = next(t.card for t in state.tribute.paid if t.to_seat == seat)
    hand = state.table.hands[seat]
    return returnable(hand, state.progress.level, state.options, received)


def _owns(hand: Cards, cards: Cards) -> bool:
    return all(cards.count(card) <= hand.count(card) for card in cards)


def _listed(found: Sequence[Reading]) -> str:
    return ", ".join(f"{reading.shape.value} {reading.main.value}" for reading in found)
