"""How much a match of each game takes in the log and in memory: `python -m bench.sizes`."""

from __future__ import annotations

import gc
import statistics
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from audit.playing import NOW, opened_table
from audit.playing import Table as Played
from spielwerk.audit.bots import choice_of
from spielwerk.audit.replaying import match_at
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, BotInformation, BotPolicy
from spielwerk.log.append import stored_headers
from spielwerk.log.port import Stored
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import match_id_of
from spielwerk.match import decide
from spielwerk.match.model import Bot, CauseKind, Phase

MATCHES = 3
_FIGURES = ("records", "log kB", "B/record", "RAM kB")
_FRAME = 34
"""Bytes that JetStream's file store adds to a message: length, sequence, time, subject's and
headers' lengths, checksum."""
_A_SEQUENCE = 100_000


@dataclass(frozen=True, slots=True)
class Size:
    """One whole match: records, bytes in the log's files, bytes of its folded state in memory."""

    records: int
    stored: int
    memory: int


def main() -> None:
    """Measure all games and print a table."""
    figures = (
        Column(name, justify="right") for name in ("records", "log kB", "B/record", "RAM kB")
    )
    table = Table("game", "seats", *figures, title="a match with the usual house rules", box=SIMPLE)
    for key in track(sorted(registry.GAMES), "playing", transient=True):
        game = registry.newest(key)
        seats = seats_of(game)
        sizes = [measure(game, seats, seed) for seed in range(MATCHES)]
        table.add_row(key, str(seats), *cells(sizes))
    Console().print(table)


def seats_of(game: AnyGame) -> int:
    """Two, or the fewest that the game needs."""
    return max(2, min(game.seats))


def measure(game: AnyGame, seats: int, seed: int) -> Size:
    """Play one match among bots and weigh it."""
    table = played_by_bots(game, seats, seed)
    return Size(len(table.stored), sum(map(bytes_of, table.stored)), folded_bytes(table))


def played_by_bots(game: AnyGame, seats: int, seed: int) -> Played:
    """A whole match with the usual options, each seat choosing as the bots service does."""
    policy = policy_of(game)
    bot = Bot.of(policy)
    table = opened_table(game, [bot] * seats, game.options(), seed)
    while table.now.phase is not Phase.ENDED:
        match = table.now
        seat = min(match.turns)
        command, key = choice_of(match, seat, bot, policy), match.turns[seat].key
        number, now = f"{seed:016x}{len(table.stored):016x}", NOW + 1_000 * len(table.stored)
        table.append(decide.submit(match, CauseKind.BOT, seat, number, command, key, now))
    return table


def policy_of(game: AnyGame) -> BotPolicy[Any, Any]:
    """The usual bot of the game, or the last one that sees no more than a player."""
    fair = [bot for bot in game.bots.values() if bot.information is BotInformation.OWN_VIEW]
    return game.bots.get("normal") or fair[-1]


def bytes_of(stored: Stored, stream: str = LogSettings().stream) -> int:
    """What a message takes in the files of the stream; its place there has six digits or so."""
    headers = stored_headers(match_id_of(stored.subject), stored.headers, _A_SEQUENCE, stream)
    return _FRAME + len(stored.subject) + len(headers) + len(stored.data)


def folded_bytes(table: Played) -> int:
    """Memory of the match as a rules process keeps it, one record before its end."""
    last = len(table.stored) - 1
    match_at(table.match_id, table.stored, registry.version, last)  # fills what is shared
    gc.collect()
    tracemalloc.start()
    match = match_at(table.match_id, table.stored, registry.version, last)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert match is not None
    return held


def cells(sizes: Sequence[Size]) -> tuple[str, ...]:
    """Medians of the matches, for one row."""
    records = statistics.median(size.records for size in sizes)
    stored = statistics.median(size.stored for size in sizes)
    memory = statistics.median(size.memory for size in sizes)
    each = statistics.median(size.stored / size.records for size in sizes)
    return f"{records:,.0f}", f"{stored / 1e3:,.1f}", f"{each:,.0f}", f"{memory / 1e3:,.1f}"


if __name__ == "__main__":
    main()
