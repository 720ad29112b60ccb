"""Clause 5 on recorded deals, sequences and refused commands."""

from __future__ import annotations

from typing import Any

import pytest

from games.cribbage.scripted import Match, cards, kept, rows
from spielwerk.cards import Card
from spielwerk.errors import Illegal
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    Command,
    CountReset,
    Event,
    Go,
    GoDeclared,
    HandCounted,
    Play,
    Scored,
)
from spielwerk.games.cribbage.model import COUNT_VALUE, PIPS, PlayPoints, ScoredFor
from spielwerk.games.cribbage.pegging import play_points

NOTHING = PlayPoints()


def each(names: str) -> list[PlayPoints]:
    laid = cards(names)
    pips = [PIPS[card.rank] for card in laid]
    counts = [sum(COUNT_VALUE[card.rank] for card in laid[: n + 1]) for n in range(len(laid))]
    return [play_points(pips[: n + 1], count) for n, count in enumerate(counts)]


def before_show(events: tuple[Event, ...]) -> tuple[Event, ...]:
    for place, event in enumerate(events):
        if isinstance(event, HandCounted):
            return events[:place]
    return events


@pytest.mark.parametrize(
    "row", [r for r in rows("pegging.jsonl") if r["kind"] == "sequence"], ids=lambda r: r["id"]
)
def test_sequence_vector(row: dict[str, Any]) -> None:
    points = each(" ".join(row["sequence"]))

    last = points[-1]
    assert [p.total for p in points] == row["points_each"]
    assert [last.fifteen, last.thirtyone, last.pairs, last.run, last.total] == [
        row[name] for name in ("fifteen", "thirtyone", "pairs", "run", "points_last_card")
    ]


@pytest.mark.parametrize(
    "row", [r for r in rows("pegging.jsonl") if r["kind"] == "deal"], ids=lambda r: r["id"]
)
def test_deal_vector(row: dict[str, Any]) -> None:
    match = kept(*row["hands"], dealer=row["dealer"])
    totals = [0, 0]
    gone: set[int] = set()

    for play in row["plays"]:
        assert match.state.table.turn == play["seat"]
        events = before_show(match.play(play["card"]))
        found = told(events, play["seat"], gone)
        assert found == {name: play[name] for name in found}
        totals[play["seat"]] += found["points"]

    assert totals == row["totals"]


def told(events: tuple[Event, ...], seat: int, gone: set[int]) -> dict[str, Any]:
    """What the events say of one play, in the words of the vectors; `gone` have said go so far."""
    played = next(e for e in events if isinstance(e, CardPlayed))
    reset = any(isinstance(e, CountReset) for e in events)
    gone |= {event.seat for event in events if isinstance(event, GoDeclared)}
    opponent_go = 1 - seat in gone and played.count < 31
    if reset:
        gone.clear()
    scored = [e for e in events if isinstance(e, Scored)]
    items = next((e.items for e in scored if e.items), NOTHING)
    return {
        "count": played.count,
        "fifteen": items.fifteen,
        "thirtyone": items.thirtyone,
        "pairs": items.pairs,
        "run": items.run,
        "last": items.last,
        "go": sum(e.points for e in scored if e.why is ScoredFor.GO),
        "reset": reset,
        "opponent_go": opponent_go,
        "points": sum(e.points for e in scored),
    }


@pytest.mark.parametrize("row", rows("legality.jsonl"), ids=lambda row: row["id"])
def test_legality_vector(row: dict[str, Any]) -> None:
    match = kept(*row["hands"], dealer=row["dealer"], **row.get("options", {}))
    attempt = row["attempt"]
    for name in row["played"]:
        while Card.parse(name) not in match.state.table.playable(on_turn(match)):
            match.give(on_turn(match), Go())
        match.play(name)
    if attempt["seat"] != on_turn(match) and not match.state.table.playable(on_turn(match)):
        match.give(on_turn(match), Go())
    assert match.state.table.count == row["count"]
    command = Go() if attempt["cmd"] == "go" else Play(Card.parse(attempt["card"]))

    assert outcome(match, attempt["seat"], command) == row["code"]
    assert (row["expect"] == "ok") == (row["code"] is None)


def on_turn(match: Match) -> int:
    assert match.state.table.turn is not None
    return match.state.table.turn


def outcome(match: Match, seat: int, command: Command) -> str | None:
    try:
        GAME.decide(match.state, seat, command, match.context)
    except Illegal as refusal:
        return refusal.reason
    return None
