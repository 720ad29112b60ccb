"""What each command of the command line does; the parser is in cli.py."""

from __future__ import annotations

import argparse
import asyncio
import os
import runpy
import signal
from pathlib import Path

from rich.console import Console
from rich.table import Table

from spielwerk.audit.checking import Verified
from spielwerk.client import Spielwerk
from spielwerk.errors import InvalidArgument
from spielwerk.log.port import MatchLog
from spielwerk.match.model import Human, Match
from spielwerk.match.verify import Mismatch
from spielwerk.service import read_settings, spare_collector
from spielwerk.settings import CommonSettings, NatsSettings, TelemetrySettings
from spielwerk.telemetry import logs
from spielwerk.tls import NamedTls
from spielwerk_accounts.keys import SigningKeys, load
from spielwerk_accounts.settings import AccountsSettings, KeySettings
from spielwerk_local.app import SETTINGS, Installation, UpSettings, installation
from spielwerk_local.decks import check_file, report
from spielwerk_local.sources import log_at, running_in
from spielwerk_local.verifying import print_verified, verify_match
from spielwerk_scoring.settings import Settings as ScoringSettings

console = Console()


async def up(options: argparse.Namespace) -> int:
    """Host everything; with --demo a match is played and verified first, with --once that is
    all."""
    settings = read_settings(UpSettings)
    for kind in SETTINGS:  # before anything is started
        read_settings(kind)
    logs.configure(_quiet_unless_asked(settings.telemetry))
    spare_collector()
    stop = _stopped_by_signals()
    async with installation(
        options.data, listen=options.listen, sync_always=not options.fast
    ) as running:
        _print_addresses(running, sync_always=not options.fast)
        if options.demo and not await _demo(running, options.game):
            return 1
        if options.once:
            return 0
        console.print("Serving until Ctrl-C.", style="bold")
        await stop.wait()
    return 0


def serve(options: argparse.Namespace) -> int:
    """Run one service in this process."""
    runpy.run_module(f"spielwerk_{options.service}", run_name="__main__")
    return 0


async def play(options: argparse.Namespace) -> int:
    """A person at this terminal against a bot."""
    from spielwerk_local.terminal.play import play as play_game  # noqa: PLC0415 - slow to load

    return await play_game(
        options.target,
        options.game,
        tls=read_settings(CommonSettings).api_tls or (NamedTls() if options.tls else None),
        bot=options.bot,
        seat=options.seat,
        points=options.points,
        deck=options.deck,
        language=options.lang,
        data=options.data,
    )


def deck(options: argparse.Namespace) -> int:
    """Tell everything that is wrong or odd about a deck file."""
    try:
        checked = check_file(options.file)
    except (OSError, UnicodeError) as error:
        raise InvalidArgument("bad_deck", str(error)) from error
    for line in report(checked):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 1 if checked.deck is None else 0


async def rankings(options: argparse.Namespace) -> int:
    """Recompute all boards from the log, then swap them in."""
    from spielwerk_scoring.rebuild import main as rebuild  # noqa: PLC0415 - slow to load

    read_settings(ScoringSettings)
    running = running_in(options.data)
    nats_url, redis_url = (running.nats_url, running.redis_url) if running else (None, None)
    print(await rebuild(nats_url, redis_url))
    return 0


def token(options: argparse.Namespace) -> int:
    """Print a token for a role."""
    print(_keys(options.data).issue(options.subject, options.role, options.hours * 3600))
    return 0


def _keys(data: Path) -> SigningKeys:
    """The configured signing key, else the development key of the data folder."""
    settings = read_settings(AccountsSettings)
    configured = settings.keys.file or settings.keys.pem
    keys = settings.keys if configured else KeySettings(data=data / "accounts")
    return load(keys, settings.auth, settings.mode)


def _quiet_unless_asked(telemetry: TelemetrySettings) -> TelemetrySettings:
    """Beside a drawn table only warnings are of use."""
    if "level" in telemetry.model_fields_set:
        return telemetry
    return telemetry.model_copy(update={"level": "warning"})


async def _demo(running: Installation, game: str) -> bool:
    from spielwerk_local.terminal.demo import demo  # noqa: PLC0415 - slow to load

    match_id = await demo(running.api, game=game, console=console)
    async with log_at(NatsSettings(url=running.nats_url)) as found:
        verified = await _verify(found.log, match_id)
    if verified is not None:
        await _print_board(running, verified.match)
    return verified is not None


async def _verify(log: MatchLog, match_id: str) -> Verified | None:
    try:
        verified = await verify_match(log, match_id)
    except Mismatch as mismatch:
        console.print(f"match {match_id} does NOT verify: {mismatch}", style="bold red")
        return None
    print_verified(match_id, verified)
    return verified


async def _print_board(running: Installation, match: Match) -> None:
    """The all-time ranking, once scoring has counted the match."""
    game, (first, *_) = match.opened.game, match.opened.occupants
    token = _keys(running.data).issue("local", "auditor", 60)
    async with Spielwerk.connect(running.api, token=token) as client, asyncio.timeout(30):
        while isinstance(first, Human) and not await _ranked(client, game, first.player_id):
            await asyncio.sleep(0.05)
        board = await client.rankings.board(game, size=10)
    table = Table(title=f"All-time ranking of {game} ({board.players} players)", title_style="bold")
    for heading in ("rank", "player", "games", "score"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for entry in board.entries:
        score = f"{entry.score_milli / 1000:.3f}"
        table.add_row(str(entry.rank), entry.player_id, str(entry.games), score)
    console.print(table)


async def _ranked(client: Spielwerk, game: str, player_id: str) -> bool:
    return any(stats.entry for stats in await client.rankings.stats(game, player_id))


def _print_addresses(running: Installation, *, sync_always: bool) -> None:
    flush = "every record flushed to disk" if sync_always else "flushed by the broker's schedule"
    console.print(f"[bold]Spielwerk[/bold] (process {os.getpid()}), data in {running.data}")
    console.print(f"  API     {running.api}   gRPC, with reflection and health")
    broker = NatsSettings(url=running.nats_url).printable
    console.print(f"  broker  {broker}   {flush}")
    console.print(f"  store   {running.redis_url}")
    console.print("  play    spielwerk play cribbage")


def _stopped_by_signals() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
