"""How strong the bots of Skat are: each gains more Seeger-Fabian points a deal than the weaker.

Every series of three deals is played in six seatings with the same cards: each strength has each
seat three times.
"""

from __future__ import annotations

import pytest

from spielwerk.testing.pairings import Pairing, compare

SERIES = {"series_length": "3"}


@pytest.mark.parametrize(
    ("first", "second", "series", "least"),
    [("normal", "beginner", 60, 8.0), ("expert", "normal", 12, 0.0)],
)
def test_the_stronger_bot_wins_a_small_tournament(
    first: str, second: str, series: int, least: float
) -> None:
    """The seed is fixed, so this is no matter of luck; the margins are those of few deals."""
    comparison = compare(Pairing("skat", first, second, 3, SERIES), series, seed=7)
    assert comparison.games == series
    assert comparison.margin > least


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("first", "second", "series", "least"),
    [
        ("expert", "normal", 360, 5.0),
        ("expert", "beginner", 360, 18.0),
        ("normal", "beginner", 1800, 15.0),
    ],
)
def test_each_strength_gains_its_points(first: str, second: str, series: int, least: float) -> None:
    comparison = compare(Pairing("skat", first, second, 3, SERIES), series, seed=7, processes=2)
    assert comparison.margin - 2 * comparison.margin_error > least


@pytest.mark.slow
def test_the_expert_decides_within_half_a_second() -> None:
    thinking = compare(Pairing("skat", "expert", "normal", 3, SERIES), 60, seed=8).thinking
    assert thinking["expert"][-1] < 500
