"""Let the bots of a game play each other and print how often each strength wins, and by how much.

python -m spielwerk.testing.tournament cribbage --games 1000 --seed 7 --option target=61
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from spielwerk.games.game import AnyGame
from spielwerk.games.registry import GAMES, newest
from spielwerk.testing.pairings import Comparison, Pairing, compare, percentile

_SHORT: Final[Mapping[str, Mapping[str, str]]] = {"skat": {"series_length": "3"}}
"""House rules that make short matches, so that figures come sooner; `--option` overrides them."""


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line; prints a table with one line a pairing."""
    chosen = _parser().parse_args(arguments)
    pairings = _pairings(newest(chosen.game), chosen)
    console = Console()
    table = Table(
        "pairing", "games", "first wins", "std. error", "points a game", "thinking p50/p99/max, ms"
    )
    with Progress(console=console) as progress:
        for pairing in pairings:
            bar = progress.add_task(_name(pairing), total=chosen.games)
            comparison = compare(
                pairing,
                chosen.games,
                chosen.seed,
                processes=chosen.processes,
                progress=partial(progress.advance, bar),
            )
            table.add_row(*_row(comparison))
    console.print(table)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tournament", description="Bots of a game at one table.")
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("--games", type=int, default=1000, help="for each pairing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seats", type=int, help="two, or what the game needs")
    parser.add_argument("--strengths", nargs="+", metavar="STRENGTH", help="default: all")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="a house rule"
    )
    return parser


def _pairings(game: AnyGame, chosen: argparse.Namespace) -> list[Pairing]:
    strengths = chosen.strengths or tuple(reversed(list(game.bots)))
    seats = chosen.seats or max(2, min(game.seats))
    options = dict(_SHORT.get(game.key, {}))
    options |= dict(text.split("=", 1) for text in chosen.option)
    return [
        Pairing(game.key, first, second, seats, options)
        for first, second in combinations(strengths, 2)
    ]


def _name(pairing: Pairing) -> str:
    return f"{pairing.first} - {pairing.second}"


def _row(comparison: Comparison) -> tuple[str, ...]:
    return (
        _name(comparison.pairing),
        str(comparison.games),
        f"{comparison.share:.1%}",
        f"{comparison.error:.1%}",
        f"{comparison.margin:+.2f} ± {comparison.margin_error:.2f}",
        "\n".join(
            f"{name} {percentile(times, 50):.2f}/{percentile(times, 99):.1f}/{times[-1]:.1f}"
            for name, times in comparison.thinking.items()
        ),
    )


if __name__ == "__main__":
    main()
