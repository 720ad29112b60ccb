"""Clause 5: the play."""

from __future__ import annotations

from typing import Any

import pytest

from games.cribbage.scripted import cards, kept, rows
from spielwerk.cards import Card
from spielwerk.errors import Illegal
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    CountReset,
    Event,
    Go,
    GoDeclared,
    HandCounted,
    Play,
    Scored,
)
from spielwerk.games.cribbage.model import PIPS, COUNT_VALUE, PlayPoints, ScoredFor
from spielwerk.games.cribbage.pegging import play_points

NOTHING = PlayPoints()


def points_of(names: str) -> list[int]:
    """Points of each of these cards laid one after another."""
    return [points.total for points in each(names)]


def each(names: str) -> list[PlayPoints]:
    laid = cards(names)
    pips = [PIPS[card.rank] for card in laid]
    counts = [sum(COUNT_VALUE[card.rank] for card in laid[: n + 1]) for n in range(len(laid))]
    return [play_points(pips[: n + 1], count) for n, count in enumerate(counts)]


def scorings(events: tuple[Event, ...]) -> list[tuple[int, ScoredFor, int]]:
    return [(e.seat, e.why, e.points) for e in events if isinstance(e, Scored)]


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

    for play in row["plays"]:
        assert match.state.table.turn == play["seat"]
        events = before_show(match.play(play["card"]))
        found = told(events, play["seat"])
        assert found == {name: play[name] for name in found}
        totals[play["seat"]] += found["points"]

    assert totals == row["totals"]


def told(events: tuple[Event, ...], seat: int) -> dict[str, Any]:
    """What the events say of one play, in the words of the vectors."""
    played = next(e for e in events if isinstance(e, CardPlayed))
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
        "reset": any(isinstance(e, CountReset) for e in events),
        "points": sum(e.points for e in scored),
    }


@pytest.mark.parametrize("row", rows("legality.jsonl"), ids=lambda row: row["id"])
def test_legality_vector(row: dict[str, Any]) -> None:
    match = kept(*row["hands"], dealer=row["dealer"], **row.get("options", {}))
    attempt = row["attempt"]
    for name in row["played"]:
        say_go_if_needed(match, Card.parse(name))
        match.play(name)
    if attempt["seat"] != match.state.table.turn:
        say_go_if_stuck(match)
    assert match.state.table.count == row["count"]
    command = Go() if attempt["cmd"] == "go" else Play(Card.parse(attempt["card"]))

    assert outcome(match, attempt["seat"], command) == row["code"]
    assert (row["expect"] == "ok") == (row["code"] is None)


def say_go_if_needed(match: Any, card: Card) -> None:
    """With auto_go off: every go that must have been said before this card could be laid."""
    while card not in match.state.table.hand[match.state.table.turn]:
        match.give(match.state.table.turn, Go())
    while not match.state.options.auto_go and not match.state.table.playable(
        match.state.table.turn
    ):
        match.give(match.state.table.turn, Go())


def say_go_if_stuck(match: Any) -> None:
    table = match.state.table
    if not match.state.options.auto_go and not table.playable(table.turn):
        match.give(table.turn, Go())


def outcome(match: Any, seat: int, command: Any) -> str | None:
    try:
        GAME.decide(match.state, seat, command, match.context)
    except Illegal as refusal:
        return refusal.reason
    return None
