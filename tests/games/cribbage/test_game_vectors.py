"""Whole games with every score and peg on the way."""

from __future__ import annotations

from typing import Any

import pytest

from games.cribbage.scripted import FIRST_DEALER, Match, cards, deck, rows
from spielwerk.cards import Card
from spielwerk.games.cribbage import GAME
from spielwerk.games.cribbage.messages import (
    CardPlayed,
    Discard,
    GameEnded,
    HandCounted,
    Play,
    Scored,
)
from spielwerk.games.cribbage.options import Options


def ended(match: Match) -> list[GameEnded]:
    return [event for event in match.events if isinstance(event, GameEnded)]


@pytest.mark.parametrize("row", rows("games.jsonl"), ids=lambda row: row["id"])
def test_game_vector(row: dict[str, Any]) -> None:
    deals = row["deals"]
    decks = {
        f"deal/1/{number}": deck(
            deal["dealer"], [cards(six) for six in deal["hands"]], Card.parse(deal["starter"])
        )
        for number, deal in enumerate(deals, start=1)
    }
    first = FIRST_DEALER[deals[0]["dealer"]]
    match = Match(
        Options(target=row["target"], first_dealer=first, heels=row["options"]["heels"]),
        decks=decks,
    )
    for deal in deals:
        replay(match, deal)

    result = GAME.result(match.state)
    assert result is not None
    assert match.state.series.winner == row["winner"]
    assert list(match.state.front) == row["final"]
    assert pegs(match) == row["pegs"]
    assert nominal(match) == row["final_uncapped"]
    assert match.state.deal is not None
    assert match.state.deal.number == row["end"]["deal"] + 1
    assert last_scored(match).why == row["end"]["phase"]
    assert len(ended(match)) == 1


def replay(match: Match, deal: dict[str, Any]) -> None:
    """Play a deal of a vector and compare every score and peg on the way."""
    dealer = deal["dealer"]
    match.give(1 - dealer, Discard(cards(deal["discards"][1 - dealer])))
    events = match.give(dealer, Discard(cards(deal["discards"][dealer])))
    heels = [e.points for e in events if isinstance(e, Scored)]
    assert sum(heels) == deal["heels"]
    assert list(match.state.front) == deal["scores_after_starter"]
    for play in deal["plays"]:
        assert match.state.table.turn == play["seat"]
        before = match.state
        events = match.give(play["seat"], Play(Card.parse(play["card"])))
        compare(before, events, play, deal.get("show", []))


def compare(state: Any, events: Any, play: dict[str, Any], show: list[dict[str, Any]]) -> None:
    """Fold the events of one play, comparing after the play itself and after each count."""
    items: dict[str, int] = {}
    counts = iter(show)
    current: dict[str, Any] | None = None
    for event in events:
        if isinstance(event, HandCounted):
            if current is None:
                assert items == play["points"]
                assert board(state) == (play["scores"], play["pegs"])
            current = next(counts)
            assert (event.seat, event.what, event.total) == tuple(
                current[name] for name in ("seat", "what", "total")
            )
            assert nonzero(event.items) == current["points"]
        state = GAME.evolve(state, event)
        if isinstance(event, CardPlayed):
            assert event.count == play["count"]
        elif isinstance(event, Scored) and current is not None:
            assert board(state) == (current["scores"], current["pegs"])
        elif isinstance(event, Scored):
            items |= nonzero(event.items) if event.items else {event.why.value: event.points}
    if current is None:
        assert items == play["points"]
        assert board(state) == (play["scores"], play["pegs"])
    else:
        assert next(counts, None) is None


def nonzero(points: Any) -> dict[str, int]:
    names = type(points).__dataclass_fields__
    return {name: getattr(points, name) for name in names if getattr(points, name)}


def board(state: Any) -> tuple[list[int], list[list[int]]]:
    return list(state.front), [[state.front[s], state.back[s]] for s in (0, 1)]


def pegs(match: Match) -> list[list[int]]:
    return board(match.state)[1]


def nominal(match: Match) -> list[int]:
    scored = [event for event in match.events if isinstance(event, Scored)]
    return [sum(event.points for event in scored if event.seat == seat) for seat in (0, 1)]


def last_scored(match: Match) -> Scored:
    return [event for event in match.events if isinstance(event, Scored)][-1]
