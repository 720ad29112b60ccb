"""What the suites over all games must know of Skat."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from games.playing import Playing
from spielwerk.chance import HmacChance
from spielwerk.games.game import Actor, Seat, TimeOut
from spielwerk.games.skat import GAME
from spielwerk.games.skat.cards import PACK, Cards, ContractType
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
from spielwerk.games.skat.events import CardsDealt, DealStarted, Discarded, SkatTaken, TimedOut
from spielwerk.games.skat.model import Phase, State
from spielwerk.games.skat.options import LossFee, NullBelowBid, Options

HIDES_CARDS = True

LISTS_ALL_COMMANDS = True
"""`legal` is complete, but for Resign, Concede out of turn, announcements that leave out what they
imply, and the order of the two cards of a discard."""

_SHORT = {"series_length": 3}

GOLDEN: Mapping[str, dict[str, Any]] = {
    "won": _SHORT,
    "lost": _SHORT | {"loss_fee": (LossFee(1, 500), LossFee(2, 1000))},
    "overbid": _SHORT,
    "passed_in": _SHORT,
    "null_ouvert": _SHORT | {"null_below_bid": NullBelowBid.ISKO},
    "hand_ouvert": _SHORT | {"early_end": False},
    "timeout": _SHORT,
    "abandoned": _SHORT,
    "conceded": _SHORT | {"claims": True},
    "resigned": _SHORT,
}
"""Options of the recorded matches."""


def pack(state: State) -> Cards:
    """All cards that there are."""
    return PACK if state.deal else ()


def places(state: State) -> Mapping[str, Cards]:
    """Where each card lies now."""
    deal, table = state.deal, state.table
    if deal is None:
        return {}
    gone = tuple(card for trick in table.tricks for card in trick.cards)
    return {
        **{f"hand {seat}": hand for seat, hand in enumerate(table.hands)},
        "skat": () if deal.skat_taken else deal.skat,
        "discarded": deal.discarded,
        "trick": table.trick,
        "tricks": gone,
    }


def told(options: Options, event: Any, viewer: Seat | None) -> Any:  # noqa: ARG001 - the suite asks every game
    """So much of an event, at the most, the rules tell the viewer."""
    match event:
        case DealStarted():
            return None
        case CardsDealt(hands):
            return [hand for hand in hands if hand.seat == viewer]
        case SkatTaken(seat) | Discarded(seat) if seat != viewer:
            return None
    return event


# What is done in the recorded matches


def golden_move(variant: str, match: Playing, rng: random.Random) -> tuple[Actor, Any] | None:
    """The next command of a recorded match; None leaves it to chance."""
    (seat,) = match.turns
    return _PLANS[variant](match, seat, rng) if variant in _PLANS else None


def _bot(match: Playing, seat: Seat) -> tuple[Actor, Command]:
    chance = HmacChance(bytes([seat]) * 32, match.turns[seat].key)
    view, legal = GAME.view(match.state, seat), GAME.legal(match.state, seat)
    return seat, GAME.bots["normal"].choose(view, legal, chance)


def _by_bots(match: Playing, seat: Seat, _rng: random.Random) -> tuple[Actor, Command]:
    return _bot(match, seat)


def _at_18(announce: Announce, bid: int = 18) -> Callable[..., tuple[Actor, Command]]:
    """The middlehand gets the game at the bid and announces this; cards fall by chance."""

    def plan(match: Playing, seat: Seat, rng: random.Random) -> tuple[Actor, Command]:
        state: State = match.state
        assert state.deal is not None
        hand_game = announce.ouvert and announce.type is not ContractType.NULL
        legal = GAME.legal(state, seat)
        match state.phase:
            case Phase.AUCTION:
                middlehand = (state.deal.forehand + 1) % 3
                speaks = seat == middlehand and Bid(bid) in legal
                return seat, Bid(bid) if speaks else Pass()
            case Phase.SKAT:
                return seat, announce if hand_game else TakeSkat()
            case Phase.ANNOUNCE:
                return seat, announce
            case _:
                return seat, rng.choice(legal)

    return plan


def _pass(_match: Playing, seat: Seat, _rng: random.Random) -> tuple[Actor, Command]:
    return seat, Pass()


def _late_once(match: Playing, seat: Seat, rng: random.Random) -> tuple[Actor, Any]:
    """Each deal ends by a timeout, in another phase; never twice in a row of one seat."""
    state: State = match.state
    assert state.deal is not None
    late = (Phase.AUCTION, Phase.ANNOUNCE, Phase.PLAY)[state.deal.number - 1]
    told = [event for event in match.events if isinstance(event, TimedOut)]
    if state.phase is late and len(told) < state.deal.number and not state.series.timeouts[seat]:
        return None, TimeOut(seat, match.turns[seat].key)
    return _at_18(Announce(ContractType.HEARTS))(match, seat, rng)


def _leave(match: Playing, seat: Seat, rng: random.Random) -> tuple[Actor, Any]:
    """The forehand lets the auction pass, then its first card."""
    state: State = match.state
    assert state.deal is not None
    if seat == state.deal.forehand:
        return None, TimeOut(seat, match.turns[seat].key)
    return _at_18(Announce(ContractType.GRAND))(match, seat, rng)


def _concede(match: Playing, seat: Seat, rng: random.Random) -> tuple[Actor, Command]:
    """The first deal by a declarer, the others by both defenders."""
    state: State = match.state
    assert state.deal is not None
    if state.phase is not Phase.PLAY:
        return _at_18(Announce(ContractType.SPADES))(match, seat, rng)
    declares, first = seat == state.deal.declarer, state.deal.number == 1
    if len(state.table.tricks) > 2 and declares is first:
        partner = 3 - seat - (state.deal.declarer or 0)
        waits = first or state.table.conceded[partner]
        return seat if waits else partner, Concede()
    cards = [c for c in GAME.legal(state, seat) if isinstance(c, Play)]
    return seat, rng.choice(cards)


def _hold_once(match: Playing, seat: Seat, rng: random.Random) -> tuple[Actor, Command]:
    """The forehand holds 18 and loses with any cards."""
    state: State = match.state
    assert state.deal is not None
    legal = GAME.legal(state, seat)
    if state.phase is Phase.AUCTION:
        if Hold() in legal:
            return seat, Hold()
        return seat, Bid(18) if Bid(18) in legal else Pass()
    if state.phase is Phase.DISCARD:
        return seat, rng.choice([c for c in legal if isinstance(c, Discard)])
    return seat, rng.choice(legal)


_PLANS: Mapping[str, Callable[[Playing, Seat, random.Random], tuple[Actor, Any]]] = {
    "won": _by_bots,
    "lost": _hold_once,
    "overbid": _at_18(Announce(ContractType.DIAMONDS), bid=120),
    "passed_in": _pass,
    "null_ouvert": _at_18(Announce(ContractType.NULL, ouvert=True)),
    "hand_ouvert": _at_18(Announce(ContractType.GRAND, True, True, True)),
    "timeout": _late_once,
    "abandoned": _leave,
    "conceded": _concede,
}
