"""How long the plays of random Guandan hands take: `python -m bench.guandan_legal`."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from spielwerk.games.guandan.cards import LEVELS, PACK
from spielwerk.games.guandan.held import hold, pick
from spielwerk.games.guandan.options import Options
from spielwerk.games.guandan.plays import rank_plays

HAND = 27
OPTIONS = Options()


@dataclass(frozen=True, slots=True)
class Spent:
    """Milliseconds of processor time for one hand each, ascending, and how many plays it has."""

    what: str
    times: Sequence[float]
    plays: float

    def __str__(self) -> str:
        middle, late = (self.times[len(self.times) * p // 100] for p in (50, 95))
        return (
            f"{self.what:<34} median {middle:.3f} ms, p95 {late:.3f} ms, "
            f"max {self.times[-1]:.3f} ms, {self.plays:.0f} plays a hand"
        )


def measure(hands: int = 2000, seed: int = 1) -> list[Spent]:
    """Leading and following, by ranks and with cards chosen, as the rules list them."""
    return [
        _spent("leading, by ranks", hands, seed, leads=True, cards=False),
        _spent("following, by ranks", hands, seed, leads=False, cards=False),
        _spent("leading, with cards chosen", hands, seed, leads=True, cards=True),
        _spent("following, with cards chosen", hands, seed, leads=False, cards=True),
    ]


def _spent(what: str, hands: int, seed: int, *, leads: bool, cards: bool) -> Spent:
    rng = random.Random(seed)
    times, plays = [], 0
    for _ in range(hands):
        level = rng.choice(LEVELS)
        dealt = rng.sample(PACK, 2 * HAND)
        other = rank_plays(hold(dealt[HAND:], level), OPTIONS, None)
        top = None if leads else rng.choice(other).reading
        begin = time.thread_time()
        held = hold(dealt[:HAND], level)
        found = rank_plays(held, OPTIONS, top)
        for play in found if cards else ():
            pick(play, held, OPTIONS)
        times.append(1000 * (time.thread_time() - begin))
        plays += len(found)
    return Spent(what, sorted(times), plays / hands)


if __name__ == "__main__":
    for spent in measure():
        print(spent)
