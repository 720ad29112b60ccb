"""How strong the bots of Yatzee are: their points alone, and against each other."""

from __future__ import annotations

import hashlib
import statistics

import pytest

from spielwerk.games.yatzee import GAME
from spielwerk.games.yatzee.options import Options
from spielwerk.testing.pairings import Pairing, compare, play_match


def mean_points(games: int) -> dict[str, float]:
    """Means over games in which one bot of each strength plays."""
    points: dict[str, list[int]] = {name: [] for name in GAME.bots}
    for game in range(games):
        seed = hashlib.sha256(f"points {game}".encode()).digest()
        played = play_match(GAME, Options(), list(GAME.bots.values()), seed, "m")
        for name, standing in zip(points, played.result.standings, strict=True):
            points[name].append(standing.score_milli // 1000)
    return {name: statistics.fmean(reached) for name, reached in points.items()}


def test_each_strength_reaches_more_points_than_the_weaker_one() -> None:
    """The seed is fixed, so this is no matter of luck; the margins are those of few games."""
    means = mean_points(15)

    assert means["beginner"] + 40 < means["normal"] < means["expert"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_points_of_a_thousand_games() -> None:
    """The expert's own expectation is 245.87, the standard error of the mean here 1.3."""
    means = mean_points(1000)

    assert means["expert"] == pytest.approx(245.87, abs=4)
    assert means["normal"] > 215
    assert means["beginner"] < 140


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("first", "second", "least"),
    [("expert", "normal", 0.6), ("expert", "beginner", 0.97), ("normal", "beginner", 0.95)],
)
def test_each_strength_wins_its_share_of_a_thousand_games(
    first: str, second: str, least: float
) -> None:
    assert compare(Pairing("yatzee", first, second), 1000, seed=7).share >= least


@pytest.mark.slow
def test_the_expert_decides_within_a_tenth_of_a_second() -> None:
    thinking = compare(Pairing("yatzee", "expert", "normal"), 20, seed=8).thinking["expert"]

    assert thinking[-1] < 100
