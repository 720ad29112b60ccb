"""`spielwerk verify`: recomputes matches of the log or of exported files."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from spielwerk.audit.bots import BotChoices
from spielwerk.audit.checking import StoredVerifier, Verified
from spielwerk.audit.export import BadExport
from spielwerk.audit.replaying import steps
from spielwerk.games import registry
from spielwerk.log.census import unfinished
from spielwerk.log.port import Kind, MatchLog, Tail
from spielwerk.log.subjects import made_at_ms, match_id_of
from spielwerk.match.verify import Mismatch
from spielwerk_local.sources import OpenLog, Source, from_log, open_log, opened

_TELL_EVERY: Final = 64
_SHOWN_FOREIGN: Final = 5

console = Console(highlight=False, soft_wrap=True)


@dataclass(slots=True)
class Figures:
    """What was checked; times in seconds."""

    matches: int = 0
    running: int = 0
    records: int = 0
    foreign: int = 0
    wrong: int = 0
    spent_s: float = 0.0
    bots: int = 0
    bots_s: float = 0.0
    unknown: Counter[str] = field(default_factory=Counter)


class Checker:
    """Checks sources one after another, shows progress, and adds figures up."""

    def __init__(self, progress: Progress, *, bots: bool) -> None:
        self.figures = Figures()
        self._progress = progress
        self._bots = bots

    @contextmanager
    def whole(self, name: str, size: int) -> Iterator[Callable[[int], None]]:
        """A bar over many matches; yields what tells how far it is."""
        task = self._progress.add_task(name, total=size)
        yield lambda reached: self._progress.update(task, completed=reached)
        self._progress.remove_task(task)

    def check(self, source: Source, *, may_run: bool = False) -> Verified:
        """One match; `may_run`: it need not have ended. Raises Mismatch or BadExport."""
        begin = time.perf_counter()
        try:
            verified = self._records(source, may_run=may_run)
        finally:
            self.figures.spent_s += time.perf_counter() - begin
        self.figures.matches += 1
        self.figures.records += verified.records
        self.figures.foreign += len(verified.foreign)
        if self._bots:
            self._choices(source, verified.records)
        return verified

    def _records(self, source: Source, *, may_run: bool) -> Verified:
        verifier = StoredVerifier(source.match_id, registry.version)
        task = self._progress.add_task("records", total=source.size)
        try:
            for number, (position, message) in enumerate(source.read()):
                verifier.feed(message)
                if number % _TELL_EVERY == 0:
                    self._progress.update(task, completed=position)
        except BadExport as bad:
            if verifier.match is not None and verifier.match.ended is not None:
                raise
            raise Mismatch(verifier.due, str(bad)) from bad
        finally:
            self._progress.remove_task(task)
        so_far = verifier.so_far()
        return so_far if may_run and so_far is not None else verifier.close()

    def _choices(self, source: Source, records: int) -> None:
        begin, choices = time.perf_counter(), BotChoices()
        task = self._progress.add_task("bots' choices", total=records)
        try:
            for step in steps(source.match_id, source.messages(), registry.version):
                choices.check(step)
                self._progress.update(task, completed=step.record.version)
        finally:
            self._progress.remove_task(task)
            self.figures.bots += choices.recomputed
            self.figures.unknown += choices.unknown
            self.figures.bots_s += time.perf_counter() - begin


async def verify(options: argparse.Namespace) -> int:
    """0: everything verifies, 1: something does not, 2: misuse."""
    if options.all == bool(options.match):
        return _misuse("give a match id, an exported file, or --all")
    if options.since and not options.all:
        return _misuse("--since belongs to --all")
    with _progress() as progress:
        checker = Checker(progress, bots=options.bots)
        if options.all:
            async with open_log(options.data) as found:
                await _check_all(found, checker, options.since)
            return _told(checker.figures)
        try:
            async with opened(options.match, options.data) as source:
                return await _check_one(source, checker)
        except BadExport as bad:
            return _failed(options.match, bad)
        except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
            return _misuse(f"{options.match} is neither a match id nor a file: {error.strerror}")


async def verify_match(log: MatchLog, match_id: str) -> Verified:
    """Recompute a finished match of the log; raises Mismatch at the first wrong record."""
    source = await from_log(log, match_id)
    with _progress() as progress:
        return await asyncio.to_thread(Checker(progress, bots=False).check, source)


def print_verified(match_id: str, verified: Verified) -> None:
    """What was found of one match."""
    console.print(
        f"match {match_id} verified: {verified.records} records, "
        "chain, decisions, draws, digests and result recomputed",
        style="bold green",
    )
    if verified.foreign:
        shown = ", ".join(map(str, verified.foreign[:_SHOWN_FOREIGN]))
        more = " ..." if len(verified.foreign) > _SHOWN_FOREIGN else ""
        count = len(verified.foreign)
        console.print(f"{count} foreign messages were skipped: {shown}{more}", style="yellow")


async def _check_one(source: Source, checker: Checker) -> int:
    try:
        verified = await asyncio.to_thread(checker.check, source)
    except Mismatch as mismatch:
        return _failed(f"match {source.match_id}", mismatch)
    print_verified(source.match_id, verified)
    _print_bots(checker.figures)
    return 0


async def _check_all(found: OpenLog, checker: Checker, since: datetime | None) -> None:
    """Stream by stream each match that has ended, in the order of the ends, then what goes on."""
    figures, since_ms = checker.figures, since.timestamp() * 1000 if since else 0.0
    ends = [(await part.identity()).last_sequence for part in found.log.parts]
    with checker.whole("the log", sum(ends)) as reached:
        async for match_id, passed, running in _matches(found, ends):
            reached(passed)
            if made_at_ms(match_id) < since_ms:
                continue
            source = await from_log(found.log, match_id)
            try:
                await asyncio.to_thread(checker.check, source, may_run=running)
                figures.running += running
            except Mismatch as mismatch:
                figures.wrong += 1
                _failed(f"match {match_id}", mismatch)


async def _matches(found: OpenLog, ends: Sequence[int]) -> AsyncIterator[tuple[str, int, bool]]:
    """Match ids, how many messages of the log are passed with each, and whether it goes on."""
    parts = zip(found.log.parts, found.settings.parts, strict=True)
    for number, (log, settings) in enumerate(parts):
        before = sum(ends[:number])
        async for match_id, sequence in _ended(log):
            yield match_id, before + sequence, False
        census = await unfinished(found.connection, settings)
        for message in census.messages:
            yield match_id_of(message.subject), before + message.sequence, True


async def _ended(log: Tail) -> AsyncIterator[tuple[str, int]]:
    batches = log.follow([Kind.END], after=0, headers_only=True)
    async with aclosing(batches):  # type: ignore[type-var]
        async for batch in batches:
            for place in {match_id_of(m.subject): m.sequence for m in batch.messages}.items():
                yield place
            if batch.caught_up:
                return


def _told(figures: Figures) -> int:
    rate = figures.records / figures.spent_s if figures.spent_s else 0.0
    running = f" ({figures.running} of them still running)" if figures.running else ""
    console.print(
        f"{figures.matches} matches verified{running}, {figures.wrong} not: "
        f"{figures.records} records, {rate:.0f} a second",
        style="bold red" if figures.wrong else "bold green",
    )
    if figures.foreign:
        console.print(f"{figures.foreign} foreign messages were skipped", style="yellow")
    _print_bots(figures)
    return 1 if figures.wrong else 0


def _print_bots(figures: Figures) -> None:
    if not figures.bots_s:
        return
    rate = figures.bots / figures.bots_s
    console.print(f"{figures.bots} choices of bots recomputed, {rate:.0f} a second", style="green")
    for policy, count in sorted(figures.unknown.items()):
        text = f"{count} choices of {policy} not recomputed: the policy is not known here"
        console.print(text, style="yellow")


def _failed(what: str, why: Exception) -> int:
    console.print(f"{what} does NOT verify: {why}", style="bold red")
    return 1


def _misuse(why: str) -> int:
    print(f"spielwerk verify: {why}", file=sys.stderr)
    return 2


def _progress() -> Progress:
    """On the standard error, gone when it is done; nothing where that is no terminal."""
    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    shown = errors.is_terminal
    return Progress(
        *columns, TimeElapsedColumn(), console=errors, transient=True, disable=not shown
    )


def date(text: str) -> datetime:
    """An ISO date or time of the command line; UTC where it names no zone."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
