"""Faults by chance for as long as you like: `make chaos MINUTES=10 SEED=1`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

import uvloop

from faults.page import page
from faults.run import Report, run
from faults.schedule import schedule


def main() -> int:
    """0 if nothing was lost, doubled, leaked or unfair; else 1, and everything is kept."""
    options = _options()
    seed: int = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    print(f"seed {seed}, {options.minutes:g} minutes, {options.guests} guests", flush=True)
    faults = schedule(seed, options.minutes)
    folder = Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-"))
    logging.getLogger("grpc").setLevel(logging.ERROR)

    async def everything() -> Report:
        seconds = 60 * options.minutes
        return await run(
            folder, faults, seed=seed, seconds=seconds, guests=options.guests, tell=_tell
        )

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            report = runner.run(everything())
    except BaseException:
        print(f"kept: {folder}", flush=True)
        raise
    print(page(report))
    if report.found:
        print(f"NOT right, seed {seed}; history, logs and the broker's data are kept in {folder}")
        return 1
    print(f"right, seed {seed}")
    if options.keep:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="faults.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="decides everything; none: any")
    parser.add_argument("--guests", type=int, default=24)
    parser.add_argument("--keep", action="store_true", help="keep the data of a right run, too")
    return parser.parse_args()


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
