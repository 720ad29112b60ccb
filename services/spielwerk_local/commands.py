"""What each command of the command line does; the parser is in cli.py."""

from __future__ import annotations

import argparse
import asyncio
import os
import runpy
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console

from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.match.verify import Mismatch
from spielwerk.settings import CommonSettings, NatsSettings
from spielwerk.telemetry import logs
from spielwerk_accounts.keys import load
from spielwerk_accounts.settings import AccountsSettings, KeySettings
from spielwerk_local.app import Installation, installation, read_runtime
from spielwerk_local.verifying import Verified, verify_match

console = Console()


async def up(options: argparse.Namespace) -> int:
    """Host everything; with --demo a match is played and verified first, with --once that is
    all."""
    logs.configure(CommonSettings().telemetry)
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
        bot=options.bot,
        seat=options.seat,
        points=options.points,
        language=options.lang,
        data=options.data,
    )


async def verify(options: argparse.Namespace) -> int:
    """Recompute a finished match."""
    async with _log(options.data) as log:
        return 0 if await _verify(log, options.match_id) else 1


async def rankings(options: argparse.Namespace) -> int:
    """Recompute all boards from the log, then swap them in."""
    from spielwerk_scoring.rebuild import main as rebuild  # noqa: PLC0415 - slow to load

    running = read_runtime(options.data)
    await rebuild(running.nats_url if running else None, running.redis_url if running else None)
    return 0


def token(options: argparse.Namespace) -> int:
    """Print a token for a role."""
    settings = AccountsSettings()
    keys = settings.keys
    if keys.file is None:
        keys = KeySettings(data=options.data / "accounts")
    signing = load(keys, settings.auth, settings.mode)
    print(signing.issue(options.subject, options.role, options.hours * 3600))
    return 0


async def _demo(running: Installation, game: str) -> bool:
    from spielwerk_local.terminal.demo import demo  # noqa: PLC0415 - slow to load

    match_id = await demo(running.api, game=game, console=console)
    async with _log(running.data) as log:
        return await _verify(log, match_id)


async def _verify(log: JetStreamLog, match_id: str) -> bool:
    try:
        verified = await verify_match(log, match_id)
    except Mismatch as mismatch:
        console.print(f"match {match_id} does NOT verify: {mismatch}", style="bold red")
        return False
    _print_verified(match_id, verified)
    return True


@asynccontextmanager
async def _log(data: Path) -> AsyncIterator[JetStreamLog]:
    running = read_runtime(data)
    settings = CommonSettings()
    nats = NatsSettings(url=running.nats_url) if running else settings.nats
    async with connect(nats) as connection:
        yield JetStreamLog(connection, settings.log)


def _print_verified(match_id: str, verified: Verified) -> None:
    console.print(
        f"match {match_id} verified: {verified.records} records, "
        "chain, decisions, draws, digests and result recomputed",
        style="bold green",
    )
    if verified.foreign:
        console.print(f"{verified.foreign} foreign messages were skipped", style="yellow")


def _print_addresses(running: Installation, *, sync_always: bool) -> None:
    flush = "every record flushed to disk" if sync_always else "flushed by the broker's schedule"
    console.print(f"[bold]Spielwerk[/bold] (process {os.getpid()}), data in {running.data}")
    console.print(f"  API     {running.api}   gRPC, with reflection and health")
    console.print(f"  broker  {running.nats_url}   {flush}")
    console.print(f"  store   {running.redis_url}")
    console.print("  play    spielwerk play cribbage")


def _stopped_by_signals() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
