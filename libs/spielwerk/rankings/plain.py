"""Rankings by plain folding and sorting, without a store: what every board must agree with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from zoneinfo import ZoneInfo

from spielwerk.games.game import Ranking
from spielwerk.rankings.periods import Period, periods_at
from spielwerk.rankings.score import score
from spielwerk.rankings.totals import Entry, Total, add

Board: TypeAlias = tuple[str, Period]
"""Game and period."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a board; score in 10^-24, ranks shared as in 1, 2, 2, 4."""

    rank: int
    player_id: str
    total: Total
    score: int


def totals(
    entries: Iterable[Entry], rankings: Mapping[str, Ranking], zone: ZoneInfo
) -> dict[Board, dict[str, Total]]:
    """Every player's total in every board that the entries touch."""
    boards: dict[Board, dict[str, Total]] = {}
    for entry in entries:
        for period in periods_at(entry.ended_at_ms, zone):
            players = boards.setdefault((entry.game, period), {})
            aggregate = rankings[entry.game].aggregate
            players[entry.player_id] = add(players.get(entry.player_id), entry, aggregate)
    return boards


def standings(ranking: Ranking, players: Mapping[str, Total]) -> tuple[Row, ...]:
    """The board of some totals, best first; equal ones in descending order of the player ids."""

    def worth(player_id: str) -> tuple[int, int, int]:
        total = players[player_id]
        points = score(ranking, total.n_milli, total.games)
        return points, ranking.sign * total.n_milli, total.games

    ranked = [player_id for player_id, total in players.items() if total.games]
    ranked.sort(key=lambda player_id: (worth(player_id), player_id), reverse=True)
    rows: list[Row] = []
    for position, player_id in enumerate(ranked):
        shares = position > 0 and worth(ranked[position - 1]) == worth(player_id)
        rank = rows[-1].rank if shares else position + 1
        rows.append(Row(rank, player_id, players[player_id], worth(player_id)[0]))
    return tuple(rows)
