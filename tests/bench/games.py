"""What the rules of each game cost: `python -m bench.games [--matches N]`.

Random legal matches; a step is decide, evolve, turns and the views of all seats, without the choice
of the command. Processor time, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from games.playing import Playing
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, Seat


@dataclass
class Cost:
    """Milliseconds a step of one game; a deal of Skat, Guandan or Cribbage is many steps."""

    game: str
    steps: list[float] = field(default_factory=list)
    matches: int = 0
    deals: int = 0

    @property
    def total(self) -> float:
        return sum(self.steps)


def measure(game: AnyGame, matches: int) -> Cost:
    """Play random matches with the default options and as few seats as the game allows."""
    cost = Cost(game.key)
    for seed in range(matches):
        playing = Playing(game, game.options(), game.seats[0], seed)
        rng = random.Random(seed)
        while not playing.over:
            _step(playing, rng, cost)
        cost.matches += 1
    return cost


def _step(playing: Playing, rng: random.Random, cost: Cost) -> None:
    seat = rng.choice(sorted(playing.turns))
    command = rng.choice(list(playing.game.legal(playing.state, seat)))
    began = time.process_time()
    events = _act(playing, seat, command)
    cost.steps.append(1000 * (time.process_time() - began))
    cost.deals += sum(isinstance(event, playing.game.deal_ends) for event in events)


def _act(playing: Playing, seat: Seat, command: object) -> tuple[object, ...]:
    events = playing.give(seat, command)
    playing.game.turns(playing.state)
    for viewer in range(playing.seats):
        playing.game.view(playing.state, viewer)
    return events


def main() -> None:
    """Measure every registered game and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=3)
    matches = parser.parse_args().matches
    table = Table("game", "steps", "ms a step", "p99 ms", "ms a deal", title="rules, random play")
    for versions in registry.GAMES.values():
        cost = measure(next(iter(versions.values())), matches)
        late = sorted(cost.steps)[len(cost.steps) * 99 // 100]
        deal = f"{cost.total / cost.deals:.2f}" if cost.deals else "-"
        mean = cost.total / len(cost.steps)
        table.add_row(cost.game, str(len(cost.steps)), f"{mean:.3f}", f"{late:.3f}", deal)
    Console().print(table)


if __name__ == "__main__":
    main()
