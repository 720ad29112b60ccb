"""The command line: `spielwerk up | serve | play | verify | backup | restore | rankings | …`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import uvloop

from spielwerk.errors import SpielwerkError
from spielwerk.rpc.settings import Misconfigured
from spielwerk.service import BAD_SETTINGS, FAILED
from spielwerk_local import commands
from spielwerk_local.exporting import export
from spielwerk_local.founding import new_log
from spielwerk_local.replaying import replay
from spielwerk_local.restoring import backup, repair, restore
from spielwerk_local.verifying import date, verify

SERVICES = ("rules", "matchmaking", "timer", "scoring", "bots", "accounts")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; exits with 0, 1 for a failure (or a match that does not verify), 2 for
    misuse or wrong settings."""
    options = _parser().parse_args(arguments)
    run: Callable[[Any], Any] = options.run
    try:
        if asyncio.iscoroutinefunction(run):
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                code = runner.run(run(options))
        else:
            code = run(options)
    except KeyboardInterrupt:
        code = 130
    except SpielwerkError as error:
        trace = f", trace {error.trace_id}" if error.trace_id else ""
        print(f"spielwerk: {error.message} ({error.reason}{trace})", file=sys.stderr)
        code = FAILED
    except Misconfigured as error:
        print(f"settings: {error}", file=sys.stderr)
        code = BAD_SETTINGS
    sys.exit(code or 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spielwerk", description="Hosted turn-based card and dice games."
    )
    sub = parser.add_subparsers(required=True, metavar="command")
    _up(sub.add_parser("up", help="host everything in this process, with its own broker and store"))
    _serve(sub.add_parser("serve", help="run one service, configured by SPIELWERK_ variables"))
    _play(sub.add_parser("play", help="play against a bot in this terminal"))
    _deck(sub.add_parser("deck", help="check a deck file of Quartett"))
    _replay(sub.add_parser("replay", help="step through a match in this terminal"))
    _verify(sub.add_parser("verify", help="recompute matches from their stored records"))
    _export(sub.add_parser("export", help="write a match's stored records to a file"))
    _rankings(sub.add_parser("rankings", help="maintain the rankings"))
    _new_log(sub.add_parser("new-log", help="make the log of a new installation"))
    _backup(sub.add_parser("backup", help="save matches and accounts in a folder"))
    _restore(sub.add_parser("restore", help="put a backup into an empty broker"))
    _repair(sub.add_parser("repair", help="after a restore: make anew what follows from the log"))
    _token(sub.add_parser("token", help="issue a token with the installation's key"))
    return parser


def _up(parser: argparse.ArgumentParser) -> None:
    _data(parser)
    parser.add_argument("--listen", default="127.0.0.1:7700", help="address of the API")
    parser.add_argument("--demo", action="store_true", help="play and verify a match first")
    parser.add_argument("--game", default="cribbage", help="game of the demo")
    parser.add_argument("--once", action="store_true", help="end after the demo")
    parser.add_argument("--fast", action="store_true", help="leave flushing to the broker")
    parser.set_defaults(run=commands.up)


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("service", choices=SERVICES)
    parser.set_defaults(run=commands.serve)


def _play(parser: argparse.ArgumentParser) -> None:
    _data(parser)
    parser.add_argument("game", nargs="?", default="cribbage")
    parser.add_argument("--target", default="127.0.0.1:7700", help="address of the API")
    parser.add_argument(
        "--tls", action="store_true", help="encrypt; SPIELWERK_API_TLS__CA names an authority"
    )
    parser.add_argument("--bot", default="", help="strength of the other side; the usual one")
    parser.add_argument("--seat", type=int, default=0)
    parser.add_argument("--points", type=int, help="points to win, where the game has a target")
    parser.add_argument("--deck", help="Quartett: an installed deck or a deck file")
    parser.add_argument("--lang", choices=("en", "de"), default="en")
    parser.set_defaults(run=commands.play)


def _deck(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="JSON, or TOML if it ends with .toml")
    parser.set_defaults(run=commands.deck)


def _replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", help="a match id, or an exported file")
    parser.add_argument("--version", type=int, help="begin here (default: 1)")
    parser.add_argument(
        "--as", dest="viewer", default="all", help="a seat, spectator or all (default)"
    )
    parser.add_argument("--lang", choices=("en", "de"), default="en")
    _brokers(parser)
    parser.set_defaults(run=replay)


def _verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", nargs="?", help="a match id, or an exported file")
    parser.add_argument("--all", action="store_true", help="every match of the log")
    parser.add_argument("--since", type=date, help="with --all: opened on this date or later")
    parser.add_argument("--bots", action="store_true", help="recompute the bots' choices, too")
    _brokers(parser)
    parser.set_defaults(run=verify)


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match_id")
    parser.add_argument("-o", "--output", type=Path, help="default: the standard output")
    _brokers(parser)
    parser.set_defaults(run=export)


def _rankings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("rebuild",), help="recompute all boards from the log")
    _brokers(parser)
    parser.set_defaults(run=commands.rankings)


def _new_log(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "At the broker of SPIELWERK_NATS__URL, as SPIELWERK_LOG__ says."
    parser.set_defaults(run=new_log)


def _backup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="a new or empty folder")
    _data(parser)
    parser.epilog = "Saves the broker of SPIELWERK_NATS__URL, else the one in --data."
    parser.set_defaults(run=backup)


def _restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="what `backup` wrote")
    _data(parser)
    parser.epilog = (
        "Stop the services first, and move the old log away (the folder `nats` in --data, or the "
        "broker's volume): nothing is overwritten."
    )
    parser.set_defaults(run=restore)


def _repair(parser: argparse.ArgumentParser) -> None:
    _data(parser)
    parser.epilog = "Needed where the log was restored by other means, or replaced by a new one."
    parser.set_defaults(run=repair)


def _token(parser: argparse.ArgumentParser) -> None:
    _data(parser)
    parser.add_argument("--role", required=True, help="auditor, operator or service:<name>")
    parser.add_argument("--subject", required=True)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.set_defaults(run=commands.token)


def _data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="folder of all that is kept"
    )


def _brokers(parser: argparse.ArgumentParser) -> None:
    _data(parser)
    parser.epilog = (
        "Reads the brokers of SPIELWERK_NATS__URL and SPIELWERK_REDIS__URL, else those that run in "
        "--data."
    )


if __name__ == "__main__":
    main()
