"""What happened at the Cribbage table, a line an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CribDiscarded,
    CutForDeal,
    DealerChosen,
    DealStarted,
    Event,
    GameEnded,
    GoDeclared,
    HandCounted,
    Resigned,
    Scored,
    StarterCut,
    TimedOut,
)
from spielwerk.games.cribbage.model import Counted
from spielwerk_local.terminal.cards import named
from spielwerk_local.terminal.words import CRIBBAGE, Say, words


def tell(event: Event, names: Sequence[str], language: str) -> str | None:
    """One line, or None for what the table shows anyway."""
    told = _TOLD.get(type(event))
    if told is None or (isinstance(event, Scored) and not event.pegged):
        return None
    key, facts = told
    say = words(CRIBBAGE, language)
    return say(key, **facts(event, names, say))


def _why(event: Scored, say: Say) -> str:
    """What a played card scored for, or the kind of scoring."""
    if event.items is None:
        return say(f"why_{event.why.value}")
    reached = [field.name for field in fields(event.items) if getattr(event.items, field.name)]
    return ", ".join(say(name) for name in reached)


def _name(event: Any, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.seat]}


def _card(event: Any, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.seat], "card": named(event.card)}


def _show(event: HandCounted, names: Sequence[str], say: Say) -> dict[str, object]:
    what = "shown_crib" if event.what is Counted.CRIB else "shown_hand"
    return {"name": names[event.seat], "what": say(what), "total": event.total}


def _end(event: GameEnded, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.winner], "scores": ":".join(map(str, event.scores))}


Facts = Callable[[Any, Sequence[str], Say], dict[str, object]]

_TOLD: Final[Mapping[type, tuple[str, Facts]]] = {
    CutForDeal: ("tell_cut", _card),
    DealerChosen: ("tell_dealer", _name),
    DealStarted: ("tell_deal", lambda e, names, _: {"deal": e.deal_no, "name": names[e.dealer]}),
    CribDiscarded: ("tell_discard", _name),
    StarterCut: ("tell_starter", lambda e, _names, _say: {"card": named(e.card)}),
    CardPlayed: ("tell_play", lambda e, names, say: _card(e, names, say) | {"count": e.count}),
    GoDeclared: ("tell_go", _name),
    Scored: (
        "tell_scored",
        lambda e, names, say: {
            "name": names[e.seat],
            "points": e.pegged,
            "why": _why(e, say),
        },
    ),
    HandCounted: ("tell_show", _show),
    Resigned: ("tell_resigned", _name),
    TimedOut: ("tell_timeout", _name),
    GameEnded: ("tell_end", _end),
}
"""What is said of an event, and the facts in it."""
