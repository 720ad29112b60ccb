"""How strong the bots of Guandan are: each wins more deals than the weaker ones."""

from __future__ import annotations

import pytest

from spielwerk.testing.pairings import Pairing, compare, percentile

ONE_DEAL = {"max_deals": "1"}
"""Whoever is first in the deal wins the match."""


@pytest.mark.parametrize(
    ("first", "second", "games", "least"),
    [("normal", "beginner", 60, 0.8), ("expert", "normal", 6, 0.6)],
)
def test_the_stronger_team_wins_a_small_tournament(
    first: str, second: str, games: int, least: float
) -> None:
    """The seed is fixed, so this is no matter of luck; the margins are those of few games."""
    pairing = Pairing("guandan", first, second, seats=4, options=ONE_DEAL)
    comparison = compare(pairing, games, seed=7)

    assert comparison.games == games
    assert comparison.share > least


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("first", "second", "games", "least"),
    [
        ("normal", "beginner", 1000, 0.85),
        ("expert", "normal", 300, 0.55),
        ("expert", "beginner", 100, 0.95),
    ],
)
def test_each_team_wins_its_share_of_the_deals(
    first: str, second: str, games: int, least: float
) -> None:
    pairing = Pairing("guandan", first, second, seats=4, options=ONE_DEAL)
    comparison = compare(pairing, games, seed=7, processes=2)

    assert comparison.share >= least


@pytest.mark.slow
def test_the_expert_decides_within_half_a_second() -> None:
    pairing = Pairing("guandan", "expert", "normal", seats=4, options={"max_deals": "3"})
    thinking = compare(pairing, 4, seed=8).thinking["expert"]

    assert thinking[-1] < 500
    assert percentile(thinking, 50) < 100
