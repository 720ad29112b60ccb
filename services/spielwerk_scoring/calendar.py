"""What turns results into boards: the formula of each game, and the zone of the periods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from spielwerk.games import registry
from spielwerk.games.game import Ranking
from spielwerk.rankings.periods import load_zone


@dataclass(frozen=True, slots=True)
class Calendar:
    """The rankings by game, and the time zone of their days."""

    rankings: Mapping[str, Ranking]
    zone: ZoneInfo


def installed(zone: str) -> Calendar:
    """All games of this installation; a game's newest rules give the formula of its boards."""
    rankings = {game: registry.newest(game).ranking for game in registry.GAMES}
    return Calendar(rankings, load_zone(zone))
