"""The perfect game, of which several tests need the end."""

from __future__ import annotations

import pytest

from games.house_of_cards.scripted import Match, perfect_game


@pytest.fixture
def perfect() -> Match:
    """524 points."""
    return perfect_game()
