"""Skat: what each command leads to, who must act, and what is legal (clauses: README)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from spielwerk.chance import Chance
from spielwerk.errors import Illegal, StaleTurn
from spielwerk.games.game import Actor, Context, Resign, Script, Seat, TimeOut, Turn
from spielwerk.games.skat.announcing import announceable, announced
from spielwerk.games.skat.auction import By, Role
from spielwerk.games.skat.bidding import check_bid, check_hold, higher_values
from spielwerk.games.skat.cards import Cards, in_order, playable
from spielwerk.games.skat.commands import (
    Announce,
    Bid,
    Command,
    Concede,
    Discard,
    Hold,
    Pass,
    Play,
    TakeSkat,
)
from spielwerk.games.skat.course import (
    Steps,
    announce,
    concede,
    contract_of,
    deal_of,
    lay_card,
    settle_auction,
    start_deal,
)
from spielwerk.games.skat.events import (
    BidHeld,
    BidMade,
    Conceded,
    Discarded,
    Event,
    Passed,
    SkatTaken,
)
from spielwerk.games.skat.fold import evolve
from spielwerk.games.skat.leaving import resign, time_out
from spielwerk.games.skat.model import SEATS, Deal, Phase, State
from spielwerk.games.skat.options import Options


def setup(options: Options, seats: int) -> State:  # noqa: ARG001 - there are always three
    """The empty table."""
    return State(options)


def start(state: State, context: Context) -> tuple[Event, ...]:
    """Deal for the first time."""
    steps = Script(state, evolve)
    start_deal(steps, context.chance)
    return steps.events


def decide(state: State, actor: Actor, command: Command, context: Context) -> tuple[Event, ...]:
    """The events of an accepted command; raises Illegal with the reasons of clause 12.3."""
    if state.phase is Phase.SERIES_OVER:
        raise Illegal("match_over")
    steps = Script(state, evolve)
    if isinstance(command, TimeOut) and actor is None:
        _check_key(state, command)
        time_out(steps, context.chance, command.seat, command.turn_key)
        return steps.events
    if actor not in SEATS:
        raise Illegal("not_a_player")
    if isinstance(command, Resign):
        resign(steps, context.chance, actor)
        return steps.events
    phases, act = _ACTIONS.get(type(command), _NO_ACTION)
    if isinstance(command, Concede) and not state.options.claims:
        raise Illegal("bad_command", "conceding is switched off")
    if not phases:
        raise Illegal("bad_command")
    if state.phase not in phases:
        raise Illegal("wrong_phase")
    if not isinstance(command, Concede) and actor != to_act(state):
        raise Illegal("not_your_turn")
    act(steps, context.chance, actor, command)
    return steps.events


def to_act(state: State) -> Seat | None:
    """The one seat that must act, or None."""
    deal = state.deal
    if deal is None:
        return None
    if state.phase is Phase.PLAY:
        return state.table.turn
    if state.phase is Phase.AUCTION:
        return deal.auction.to_act
    return deal.declarer if state.phase in _DECLARING else None


def turns(state: State) -> Mapping[Seat, Turn]:
    """Who must act; the keys name the deal and the step in it."""
    seat = to_act(state)
    if seat is None or state.deal is None:
        return {}
    return {seat: Turn(_key(state, state.deal, seat), 1000 * state.options.move_seconds)}


def legal(state: State, seat: Seat) -> Sequence[Command]:
    """What the seat may do for its open turn, in canonical order.

    Announcements are listed in their normalised form. Resign, and Concede out of turn, are not
    listed.
    """
    deal = state.deal
    if deal is None or to_act(state) != seat:
        return ()
    match state.phase:
        case Phase.AUCTION:
            bids: tuple[Command, ...] = tuple(map(Bid, higher_values(deal.auction)))
            hold = (Hold(),) if deal.auction.role is Role.LISTENER else ()
            return (*bids, *hold, Pass())
        case Phase.SKAT:
            return (TakeSkat(), *announceable(deal, state.options))
        case Phase.DISCARD:
            return tuple(map(Discard, combinations(in_order(state.table.hands[seat]), 2)))
        case Phase.ANNOUNCE:
            return announceable(deal, state.options)
        case _:
            concession = (Concede(),) if _may_concede(state, seat) else ()
            return (*map(Play, _playable(state, seat)), *concession)


def _bid(steps: Steps, chance: Chance, seat: Seat, command: Bid) -> None:
    check_bid(deal_of(steps).auction, command.value)
    steps.emit(BidMade(seat, command.value))
    settle_auction(steps, chance)


def _hold(steps: Steps, _chance: Chance, seat: Seat, _command: Hold) -> None:
    auction = deal_of(steps).auction
    check_hold(auction)
    steps.emit(BidHeld(seat, auction.bid))


def _pass(steps: Steps, chance: Chance, seat: Seat, _command: Pass) -> None:
    steps.emit(Passed(seat, By.PLAYER))
    settle_auction(steps, chance)


def _take_skat(steps: Steps, _chance: Chance, seat: Seat, _command: TakeSkat) -> None:
    skat = deal_of(steps).skat
    steps.emit(SkatTaken(seat, skat, len(skat)))


def _discard(steps: Steps, _chance: Chance, seat: Seat, command: Discard) -> None:
    cards = command.cards
    if len(cards) != 2 or cards[0] == cards[1]:
        raise Illegal("bad_discard", "two different cards are laid away")
    hand = steps.state.table.hands[seat]
    if not all(card in hand for card in cards):
        raise Illegal("card_not_in_hand")
    steps.emit(Discarded(seat, in_order(cards), len(cards)))


def _announce(steps: Steps, chance: Chance, seat: Seat, command: Announce) -> None:
    contract = announced(command, deal_of(steps), steps.state.options)
    announce(steps, chance, seat, contract)


def _play(steps: Steps, chance: Chance, seat: Seat, command: Play) -> None:
    hand, card = steps.state.table.hands[seat], command.card
    if card not in hand:
        raise Illegal("card_not_in_hand")
    if card not in playable(contract_of(steps).type, hand, steps.state.table.trick):
        raise Illegal("must_follow")
    lay_card(steps, chance, seat, card)


def _concede(steps: Steps, chance: Chance, seat: Seat, _command: Concede) -> None:
    if steps.state.table.conceded[seat]:
        raise Illegal("already_conceded")
    steps.emit(Conceded(seat))
    concede(steps, chance, seat)


_DECLARING: Final = (Phase.SKAT, Phase.DISCARD, Phase.ANNOUNCE)

_Action = Callable[[Steps, Chance, Seat, Any], None]

_NO_ACTION: Final[tuple[tuple[Phase, ...], _Action]] = ((), _pass)

_ACTIONS: Final[Mapping[type, tuple[tuple[Phase, ...], _Action]]] = {
    Bid: ((Phase.AUCTION,), _bid),
    Hold: ((Phase.AUCTION,), _hold),
    Pass: ((Phase.AUCTION,), _pass),
    TakeSkat: ((Phase.SKAT,), _take_skat),
    Discard: ((Phase.DISCARD,), _discard),
    Announce: ((Phase.SKAT, Phase.ANNOUNCE), _announce),
    Play: ((Phase.PLAY,), _play),
    Concede: ((Phase.PLAY,), _concede),
}
"""The phases in which each command is possible, and what it does."""


def _playable(state: State, seat: Seat) -> Cards:
    assert state.deal is not None, "cards are played in a deal"
    assert state.deal.contract is not None, "the play follows the announcement"
    return playable(state.deal.contract.type, state.table.hands[seat], state.table.trick)


def _may_concede(state: State, seat: Seat) -> bool:
    return state.options.claims and not state.table.conceded[seat]


def _check_key(state: State, command: TimeOut) -> None:
    turn = turns(state).get(command.seat)
    if turn is None or turn.key != command.turn_key:
        raise StaleTurn(command.turn_key, turn.key if turn else None)


def _key(state: State, deal: Deal, seat: Seat) -> str:
    if state.phase is Phase.AUCTION:
        return f"{deal.number}.a{len(deal.auction.calls)}"
    if state.phase is not Phase.PLAY:
        return f"{deal.number}.{state.phase.value}"
    played = 3 * len(state.table.tricks) + len(state.table.trick)
    # Conceding leaves a defender on turn, so it must change the key.
    return f"{deal.number}.p{played}{'c' if state.table.conceded[seat] else ''}"
