"""What happened at the Mau-Mau table, a line an event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from spielwerk.cards import AnyCard, Card
from spielwerk.games.maumau.messages import (
    AnnouncementMissed,
    CardPlayed,
    CardsDrawn,
    DirectionChanged,
    Event,
    GameEnded,
    GameStarted,
    LastCardAnnounced,
    MauMau,
    PendingRaised,
    SeatLeft,
    SeatSkipped,
    TalonReshuffled,
    TurnStarted,
    UpcardTurned,
)
from spielwerk_local.terminal.cards import named
from spielwerk_local.terminal.maumau_words import MAUMAU
from spielwerk_local.terminal.words import Say, words

Facts = Callable[[Any, Sequence[str], Say], dict[str, object]]


def tell(event: Event, names: Sequence[str], language: str) -> str | None:
    """One line, or None for what the table shows anyway."""
    told = _TOLD.get(type(event))
    if told is None or (isinstance(event, TurnStarted) and not event.again):
        return None
    key, facts = told
    say = words(MAUMAU, language)
    if isinstance(event, CardPlayed) and event.wish is not None:
        key = "tell_wished"
    return say(key, **facts(event, names, say))


def card_name(card: AnyCard, say: Say) -> str:
    """`5♥` or the joker."""
    return named(card) if isinstance(card, Card) else say("joker")


def points_of(points: Iterable[int]) -> str:
    """`12 : 0 : 31`."""
    return " : ".join(map(str, points))


def _name(event: Any, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.seat]}


def _played(event: CardPlayed, names: Sequence[str], say: Say) -> dict[str, object]:
    suit = say(event.wish.name.lower()) if event.wish else ""
    return {"name": names[event.seat], "card": card_name(event.card, say), "suit": suit}


def _drawn(event: CardsDrawn, names: Sequence[str], say: Say) -> dict[str, object]:
    why = say(f"why_{event.reason.value}")
    return {"name": names[event.seat], "count": event.count, "why": why}


_TOLD: Final[Mapping[type, tuple[str, Facts]]] = {
    GameStarted: ("tell_game", lambda e, names, _say: {"game": e.game, "name": names[e.starter]}),
    UpcardTurned: ("tell_upcard", lambda e, _names, say: {"card": card_name(e.card, say)}),
    TurnStarted: ("tell_again", _name),
    CardPlayed: ("tell_played", _played),
    PendingRaised: ("tell_pending", lambda e, _names, _say: {"total": e.total}),
    DirectionChanged: ("tell_direction", lambda _event, _names, _say: {}),
    SeatSkipped: ("tell_skipped", _name),
    CardsDrawn: ("tell_drawn", _drawn),
    TalonReshuffled: ("tell_reshuffled", lambda e, _names, _say: {"count": e.count}),
    LastCardAnnounced: ("tell_announced", _name),
    AnnouncementMissed: ("tell_missed", _name),
    MauMau: ("tell_mau_mau", _name),
    SeatLeft: ("tell_left", _name),
    GameEnded: ("tell_ended", lambda e, _names, _say: {"points": points_of(e.points)}),
}
"""What is said of an event, and the facts in it."""
