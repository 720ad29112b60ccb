"""What a player reached in one game and period: exact integers, folded from finished matches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from spielwerk.games.game import Aggregate


@dataclass(frozen=True, slots=True)
class Entry:
    """What one finished match brings to one player's rankings.

    `n_milli` in thousandths; `games`: how many it stands for (a series brings all of its games at
    once); `ended_at_ms`: the recorded time of the match's last event, which decides the periods.
    """

    game: str
    player_id: str
    n_milli: int
    games: int
    ended_at_ms: int
    extras: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Total:
    """N in thousandths, G, and the named sums that a game keeps beside them (e.g. credits)."""

    n_milli: int
    games: int
    extras: Mapping[str, int] = field(default_factory=dict)

    def write(self) -> str:
        """The stored form, e.g. `[341000,10,{"credits":55}]`; equal totals, equal text."""
        parts: list[object] = [self.n_milli, self.games]
        if self.extras:
            parts.append(dict(self.extras))
        return json.dumps(parts, separators=(",", ":"), sort_keys=True)


def read_total(text: str) -> Total:
    """The total of a stored form."""
    n_milli, games, *rest = json.loads(text)
    return Total(n_milli, games, rest[0] if rest else {})


def add(total: Total | None, entry: Entry, aggregate: Aggregate) -> Total:
    """One more entry: N is summed, or the best single one kept; games and extras are summed."""
    if total is None:
        return Total(entry.n_milli, entry.games, dict(entry.extras))
    extras = dict(total.extras)
    for name, amount in entry.extras.items():
        extras[name] = extras.get(name, 0) + amount
    n_milli = _joined(total.n_milli, entry.n_milli, aggregate)
    return Total(n_milli, total.games + entry.games, extras)


def _joined(old: int, new: int, aggregate: Aggregate) -> int:
    return max(old, new) if aggregate is Aggregate.MAXIMUM else old + new
