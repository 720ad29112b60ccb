"""What happened at the Guandan table, a line an event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from spielwerk.cards import AnyCard, Card
from spielwerk.games.guandan.messages import (
    CardReturned,
    CombinationPlayed,
    DealEnded,
    DealStarted,
    Event,
    LeadAssigned,
    LeaderDrawn,
    MatchRestarted,
    MatchStarted,
    MatchWon,
    Passed,
    PlayerFinished,
    Resigned,
    RestartProposed,
    TributeCancelled,
    TributePaid,
)
from spielwerk_local.terminal.cards import named
from spielwerk_local.terminal.guandan_words import GUANDAN
from spielwerk_local.terminal.words import Say, words


def tell(event: Event, names: Sequence[str], language: str) -> str | None:
    """One line, or None for what the table shows anyway."""
    told = _TOLD.get(type(event))
    if told is None:
        return None
    key, facts = told
    say = words(GUANDAN, language)
    if isinstance(event, MatchWon) and event.team is None:
        return say("tell_drawn")
    return say(key, **facts(event, names, say))


def card_name(card: AnyCard | None, say: Say) -> str:
    """`5♥`, `RJ`, or what is said of a hidden card."""
    if card is None:
        return say("hidden")
    return named(card) if isinstance(card, Card) else str(card)


def card_names(cards: Iterable[AnyCard], say: Say) -> str:
    """Cards in a row."""
    return " ".join(card_name(card, say) for card in cards)


def combination_name(what: Any, say: Say) -> str:
    """A combination or reading in words."""
    main = "10" if what.main.value == "T" else what.main.value
    return say(what.shape.value, main=main, size=what.size)


def team_names(team: int, names: Sequence[str]) -> str:
    """Both partners."""
    return f"{names[team]}, {names[team + 2]}"


Facts = Callable[[Any, Sequence[str], Say], dict[str, object]]


def _none(_event: Any, _names: Sequence[str], _say: Say) -> dict[str, object]:
    return {}


def _name(event: Any, names: Sequence[str], _say: Say) -> dict[str, object]:
    return {"name": names[event.seat]}


def _moved(event: Any, names: Sequence[str], say: Say) -> dict[str, object]:
    return {
        "name": names[event.from_seat],
        "other": names[event.to_seat],
        "card": card_name(event.card, say),
    }


def _played(event: CombinationPlayed, names: Sequence[str], say: Say) -> dict[str, object]:
    return {
        "name": names[event.seat],
        "what": combination_name(event, say),
        "cards": card_names(event.cards, say),
    }


def _ended(event: DealEnded, names: Sequence[str], _say: Say) -> dict[str, object]:
    level = event.levels[event.team] if event.next_level is None else event.next_level
    return {"names": team_names(event.team, names), "step": event.step, "level": level.value}


_TOLD: Final[Mapping[type, tuple[str, Facts]]] = {
    MatchStarted: ("tell_started", _none),
    DealStarted: (
        "tell_deal",
        lambda e, _names, _say: {"deal": e.deal_no, "level": e.level.value},
    ),
    LeaderDrawn: ("tell_leads", _name),
    LeadAssigned: ("tell_leads", _name),
    TributeCancelled: ("tell_cancelled", lambda e, names, _say: {"name": names[e.leader]}),
    TributePaid: ("tell_paid", _moved),
    CardReturned: ("tell_returned", _moved),
    CombinationPlayed: ("tell_played", _played),
    Passed: ("tell_passed", _name),
    PlayerFinished: (
        "tell_finished",
        lambda e, names, _say: {"name": names[e.seat], "place": e.place},
    ),
    DealEnded: ("tell_ended", _ended),
    MatchWon: ("tell_won", lambda e, names, _say: {"names": team_names(e.team, names)}),
    RestartProposed: ("tell_proposed", _name),
    MatchRestarted: ("tell_restarted", _none),
    Resigned: ("tell_resigned", _name),
}
"""What is said of an event, and the facts in it."""
