"""The recorded matches show what they are recorded for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from games.notation import read
from spielwerk.cards import Rank
from spielwerk.games.guandan.cards import strength
from spielwerk.games.guandan.messages import (
    EVENTS,
    CardReturned,
    DealEnded,
    DealStarted,
    MatchRestarted,
    MatchWon,
    RestartProposed,
    TributeCancelled,
    TributePaid,
    TrickEnded,
)
from spielwerk.games.guandan.model import LeadReason

GOLDEN = Path(__file__).parents[1] / "golden"


def events(variant: str) -> list[Any]:
    """Everything that happened in the recorded match."""
    lines = (GOLDEN / f"guandan-1-{variant}.txt").read_text("utf-8").splitlines()
    told = [line for line in lines[3:] if line.startswith("  ") and line[2].isupper()]
    return [read(line.strip(), EVENTS) for line in told]


def of(kind: type[Any], variant: str = "ace") -> list[Any]:
    return [event for event in events(variant) if isinstance(event, kind)]


def tributes() -> list[tuple[Rank, list[TributePaid]]]:
    """Level and payments of each deal of the long match."""
    found: list[tuple[Rank, list[TributePaid]]] = []
    for event in events("ace"):
        if isinstance(event, DealStarted):
            found.append((event.level, []))
        if isinstance(event, TributePaid):
            found[-1][1].append(event)
    return found


def test_the_long_match_shows_single_double_equal_and_cancelled_tributes() -> None:
    paid = tributes()
    doubles = [(level, pair) for level, pair in paid if len(pair) == 2]
    equal = [
        pair for level, pair in doubles if len({strength(one.card, level) for one in pair}) == 1
    ]

    assert len(doubles) > len(equal) >= 1
    assert any(len(single) == 1 for _, single in paid)
    assert of(TributeCancelled)


@pytest.mark.parametrize("reason", LeadReason)
def test_the_long_match_shows_the_wind_and_every_other_lead(reason: LeadReason) -> None:
    assert reason in {event.reason for event in of(TrickEnded)}


def test_the_long_match_shows_partners_first_and_second_and_a_failed_and_a_won_ace() -> None:
    ended = of(DealEnded)
    at_ace = [(event.step, event.next_level) for event in ended if event.ace_failures[0]]

    assert 3 in {event.step for event in ended}
    assert at_ace[0] == (1, Rank.ACE)
    assert ended[-1].next_level is None
    assert of(MatchWon)[-1].team == 0


def test_a_proposal_to_restart_is_withdrawn_once_and_carried_once() -> None:
    kinds = [type(event) for event in events("restart")]

    assert kinds.count(RestartProposed) == 6
    assert kinds.count(MatchRestarted) == 1
    restarted = kinds.index(MatchRestarted)
    assert kinds[restarted - 1] is RestartProposed
    assert any(
        one is RestartProposed and other is not RestartProposed
        for one, other in pairwise(kinds[: restarted - 1])
    )


def test_the_customs_are_played_with_private_returns() -> None:
    text = (GOLDEN / "guandan-1-customs.txt").read_text("utf-8")

    assert of(CardReturned, "customs")
    assert '    spectator: CardReturned {"from_seat"' in text
    assert '"card": null' in text
