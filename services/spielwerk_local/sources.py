"""Where the command line reads matches from: the log of an installation, or an exported file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from spielwerk.audit.export import Export
from spielwerk.errors import NotFound, SpielwerkError
from spielwerk.log.connect import Connection, connect
from spielwerk.log.port import MatchLog, Stored
from spielwerk.log.settings import LogSettings
from spielwerk.log.sharded import ShardedLog
from spielwerk.log.streams import check_number
from spielwerk.log.subjects import check_match_id
from spielwerk.service import read_settings
from spielwerk.settings import CommonSettings, NatsSettings
from spielwerk_local.app import Installation, read_runtime


@dataclass(frozen=True, slots=True)
class Source:
    """The stored messages of one match, to be read as often as needed.

    `read` yields how far it is, out of `size`, with each message.
    """

    match_id: str
    size: int
    read: Callable[[], Iterator[tuple[int, Stored]]]

    def messages(self) -> Iterator[Stored]:
        """The messages alone."""
        return (message for _, message in self.read())


@dataclass(frozen=True, slots=True)
class OpenLog:
    """The log of an installation and its connection."""

    log: ShardedLog
    connection: Connection
    settings: LogSettings


def running_in(data: Path) -> Installation | None:
    """The installation that the folder tells of; None where the environment names a broker."""
    named = "url" in read_settings(CommonSettings).nats.model_fields_set
    return None if named else read_runtime(data)


@asynccontextmanager
async def open_log(data: Path) -> AsyncIterator[OpenLog]:
    """The log at the broker of SPIELWERK_NATS__URL, else of what runs in the data folder."""
    running = running_in(data)
    nats = NatsSettings(url=running.nats_url) if running else read_settings(CommonSettings).nats
    async with log_at(nats) as found:
        yield found


@asynccontextmanager
async def log_at(nats: NatsSettings) -> AsyncIterator[OpenLog]:
    """The log at this broker."""
    settings = read_settings(CommonSettings).log
    async with connect(nats) as connection:
        await check_number(connection, settings)
        yield OpenLog(ShardedLog(connection, settings), connection, settings)


async def from_log(log: MatchLog, match_id: str) -> Source:
    """A match of the log; NotFound (no_such_match)."""
    stored = await log.read(match_id)
    if not stored:
        raise NotFound("no_such_match", f"the log has no match {match_id}")
    return Source(match_id, len(stored), lambda: enumerate(stored, start=1))


def from_file(path: Path) -> Source:
    """An exported match; BadExport if it is none, OSError if it cannot be read.

    Needs neither server nor settings, and holds one line at a time.
    """

    def read() -> Iterator[tuple[int, Stored]]:
        with Export(path) as export:
            for message in export.messages():
                yield export.position, message

    with Export(path) as export:
        match_id = export.match_id
    return Source(match_id, path.stat().st_size, read)


def is_match_id(text: str) -> bool:
    """Whether a match of the log is meant, not a file."""
    try:
        check_match_id(text)
    except SpielwerkError:
        return False
    return True


@asynccontextmanager
async def opened(text: str, data: Path) -> AsyncIterator[Source]:
    """The match or file that was named on the command line."""
    if not is_match_id(text):
        yield from_file(Path(text))
        return
    async with open_log(data) as found:
        yield await from_log(found.log, text)
