"""How strong the bots of Cribbage are: each wins more often than the weaker ones."""

from __future__ import annotations

import pytest

from spielwerk.testing.pairings import Pairing, compare


@pytest.mark.parametrize(
    ("first", "second", "games", "least"),
    [
        ("expert", "normal", 40, 0.5),
        ("expert", "beginner", 20, 0.7),
        ("normal", "beginner", 60, 0.7),
    ],
)
def test_the_stronger_bot_wins_a_small_tournament(
    first: str, second: str, games: int, least: float
) -> None:
    """The seed is fixed, so this is no matter of luck; the margins are those of few games."""
    comparison = compare(Pairing("cribbage", first, second), games, seed=7)
    assert comparison.games == games
    assert comparison.share > least


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("first", "second", "target", "least"),
    [
        ("expert", "normal", 121, 0.56),
        ("expert", "beginner", 121, 0.88),
        ("normal", "beginner", 121, 0.82),
        ("expert", "normal", 61, 0.55),
        ("expert", "beginner", 61, 0.79),
        ("normal", "beginner", 61, 0.72),
    ],
)
def test_each_strength_wins_its_share_of_a_thousand_games(
    first: str, second: str, target: int, least: float
) -> None:
    pairing = Pairing("cribbage", first, second, options={"target": str(target)})
    comparison = compare(pairing, 1000, seed=7, processes=2)
    assert comparison.share >= least


@pytest.mark.slow
def test_the_expert_decides_within_a_tenth_of_a_second() -> None:
    thinking = compare(Pairing("cribbage", "expert", "normal"), 20, seed=8).thinking["expert"]
    assert thinking[-1] < 100
