"""What happened at the Skat table, a line an event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from spielwerk.cards import Card
from spielwerk.games.skat.events import (
    Announced,
    AuctionWon,
    BidHeld,
    BidMade,
    CardPlayed,
    Conceded,
    DealPassedIn,
    DealScored,
    DealStarted,
    Discarded,
    Event,
    HandExposed,
    Passed,
    Resigned,
    SeriesEnded,
    SkatTaken,
    TimedOut,
    TrickTaken,
)
from spielwerk.games.skat.model import Contract, Outcome
from spielwerk_local.terminal.cards import named
from spielwerk_local.terminal.skat_words import SKAT
from spielwerk_local.terminal.words import Say, words


def tell(event: Event, names: Sequence[str], language: str) -> str | None:
    """One line, or None for what the table shows anyway."""
    say = words(SKAT, language)
    if isinstance(event, DealScored):
        return outcome_line(event.outcome, names, say)
    told = _TOLD.get(type(event))
    if told is None:
        return None
    key, facts = told
    return say(key, **facts(event, names, say))


def contract_name(contract: Contract, say: Say) -> str:
    """`Grand, hand, Schneider announced`."""
    parts = [say(contract.type.value)]
    parts += [say("in_hand")] if contract.hand else []
    parts += [say(word) for word in ("schneider", "schwarz", "ouvert") if getattr(contract, word)]
    return ", ".join(parts)


def outcome_line(outcome: Outcome, names: Sequence[str], say: Say) -> str | None:
    """Who won or lost a deal; None if it was passed in."""
    if outcome.declarer is None:
        return None
    result = "won" if outcome.won else "overbid" if outcome.overbid else "lost"
    return say(
        "tell_scored",
        name=names[outcome.declarer],
        result=say(result),
        points=outcome.points,
        score=outcome.list_score,
    )


def card_names(cards: Iterable[Card]) -> str:
    """Cards in a row."""
    return " ".join(named(card) for card in cards)


Facts = Callable[[Any, Sequence[str], Say], dict[str, object]]


def _none(_event: Any, _names: Sequence[str], _say: Say) -> dict[str, object]:
    return {}


def _name(event: Any, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.seat]}


def _value(event: BidMade, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.seat], "value": event.value}


def _trick(event: TrickTaken, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.winner], "number": event.number, "points": event.points}


_TOLD: Final[Mapping[type, tuple[str, Facts]]] = {
    DealStarted: ("tell_deal", lambda e, names, _: {"deal": e.deal_no, "name": names[e.dealer]}),
    BidMade: ("tell_bid", _value),
    BidHeld: ("tell_held", _name),
    Passed: ("tell_passed", _name),
    AuctionWon: ("tell_won", lambda e, names, _: {"name": names[e.declarer], "bid": e.bid}),
    DealPassedIn: ("tell_passed_in", _none),
    SkatTaken: ("tell_skat", _name),
    Discarded: ("tell_discarded", _name),
    Announced: (
        "tell_announced",
        lambda e, names, say: {
            "name": names[e.seat],
            "contract": contract_name(e.contract, say),
        },
    ),
    HandExposed: (
        "tell_exposed",
        lambda e, names, _: {"name": names[e.seat], "cards": card_names(e.cards)},
    ),
    CardPlayed: (
        "tell_played",
        lambda e, names, _: {"name": names[e.seat], "card": named(e.card)},
    ),
    TrickTaken: ("tell_trick", _trick),
    Conceded: ("tell_conceded", _name),
    TimedOut: ("tell_timeout", _name),
    Resigned: ("tell_resigned", _name),
    SeriesEnded: ("tell_end", _none),
}
"""What is said of an event, and the facts in it."""
