"""What the places of a deal bring: levels, the next deal's level, the match (clause 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spielwerk.cards import Rank
from spielwerk.games.game import Seat
from spielwerk.games.guandan.cards import KIND_OF_LEVEL, LEVELS, TOP_LEVEL
from spielwerk.games.guandan.model import FIRST_LEVELS, Progress, partner_of, team_of
from spielwerk.games.guandan.options import Options

LAST_PLACE = 4


@dataclass(frozen=True, slots=True)
class Promotion:
    """The outcome of a deal; pairs are by team."""

    team: int
    partner_place: int
    step: int
    levels: tuple[Rank, ...]
    next_level: Rank | None
    ace_failures: tuple[int, ...]

    @property
    def match_winner(self) -> int | None:
        """The team that has won the match; then there is no next level."""
        return self.team if self.next_level is None else None


def promote(order: Sequence[Seat], before: Progress, options: Options) -> Promotion:
    """The promotion for places 1 to 4 of a deal that began at `before`."""
    team = team_of(order[0])
    partner_place = order.index(partner_of(order[0])) + 1
    step = 5 - partner_place
    tried = [_may_win(side, before, options) for side in (0, 1)]
    if tried[team] and partner_place != LAST_PLACE:
        return Promotion(team, partner_place, step, before.levels, None, before.ace_failures)
    levels = list(before.levels)
    levels[team] = _raised(levels[team], step)
    failures = [n + tried[side] for side, n in enumerate(before.ace_failures)]
    for side in (0, 1):
        if options.ace_fail_limit and failures[side] >= options.ace_fail_limit:
            levels[side], failures[side] = FIRST_LEVELS[side], 0
    return Promotion(team, partner_place, step, tuple(levels), levels[team], tuple(failures))


def _may_win(team: int, before: Progress, options: Options) -> bool:
    """Whether the deal is the team's chance to win the match: at the ace, and at it before."""
    if before.level is not TOP_LEVEL or before.levels[team] is not TOP_LEVEL:
        return False
    return not options.ace_declarer_only or before.declarer == team


def _raised(level: Rank, step: int) -> Rank:
    return LEVELS[min(KIND_OF_LEVEL[level] + step, KIND_OF_LEVEL[TOP_LEVEL])]
