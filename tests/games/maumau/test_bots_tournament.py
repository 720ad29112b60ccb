"""How strong the bots of Mau-Mau are: normal wins more often than the beginner."""

from __future__ import annotations

import pytest

from spielwerk.testing.pairings import Pairing, compare


@pytest.mark.parametrize(("seats", "games"), [(2, 300), (4, 200)])
def test_normal_wins_a_small_tournament(seats: int, games: int) -> None:
    """The seed is fixed, so this is no matter of luck."""
    comparison = compare(Pairing("maumau", "normal", "beginner", seats), games, seed=7)

    assert comparison.games >= games
    assert comparison.share >= 0.6


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_normal_wins_three_of_five_games(seats: int) -> None:
    comparison = compare(Pairing("maumau", "normal", "beginner", seats), 4000, seed=1, processes=2)

    assert comparison.share - 3 * comparison.error >= 0.6


@pytest.mark.slow
@pytest.mark.parametrize("strength", ["normal", "beginner"])
def test_a_bot_decides_within_ten_milliseconds(strength: str) -> None:
    thinking = compare(Pairing("maumau", "normal", "beginner", 4), 40, seed=8).thinking[strength]

    assert thinking[len(thinking) * 99 // 100] < 10
