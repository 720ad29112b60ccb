"""All streams of an installation: opened together, and never in another number than before."""

from __future__ import annotations

import asyncio
from typing import Final

from spielwerk.errors import Unavailable
from spielwerk.log.api import STREAM_NOT_FOUND, ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.known_stream import open_stream, read_known
from spielwerk.log.port import StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import SUBJECTS, LogForeign, stream_identity
from spielwerk.log.subjects import SHARDS
from spielwerk.telemetry.logs import get_logger

_API_TIMEOUT_S: Final = 5.0
_AGAIN_S: Final = 1.0
_WAIT_S: Final = 0.5

_log = get_logger(__name__)


async def open_streams(connection: Connection, settings: LogSettings) -> tuple[StreamIdentity, ...]:
    """Each stream as by `open_stream`; LogForeign if marker files or broker have another number."""
    _check_names(f"the marker file {settings.marker_file}", marked(settings), settings)
    await check_number(connection, settings)
    return tuple([await open_stream(connection, part) for part in settings.parts])


async def until_streams(connection: Connection, settings: LogSettings) -> None:
    """Wait for all streams: rules makes them when it first starts, perhaps later than its readers.

    LogForeign if there is another number of them.
    """
    waiting = list(settings.parts)
    while waiting:
        try:
            await check_number(connection, settings)
            await stream_identity(connection, waiting[0])
        except LogForeign:
            raise
        except Unavailable as error:
            _log.warning("waiting for the log", stream=waiting[0].stream, reason=error.reason)
            await asyncio.sleep(_WAIT_S)
        else:
            waiting.pop(0)


async def check_number(connection: Connection, settings: LogSettings) -> None:
    """LogForeign if the broker keeps matches in other streams; Unavailable without an answer."""
    body = {"subject": SUBJECTS}
    try:
        answer = await ask(
            connection, "STREAM.NAMES", body, timeout=_API_TIMEOUT_S, again_s=_AGAIN_S
        )
        found = set(answer["streams"] or ())
        _check_names("the broker", found, settings)
        for name in found if settings.streams > 1 else ():
            await _check_shards(connection, name, settings)
    except ApiError as error:
        raise unavailable(error) from error


def marked(settings: LogSettings) -> set[str]:
    """Streams that the marker files name, whatever their number."""
    marker = settings.marker_file
    if marker is None:
        return set()
    numbered = marker.parent.glob(f"{marker.stem}-[0-9]*{marker.suffix}")
    known = [read_known(path) for path in (marker, *numbered)]
    return {identity.name for identity in known if identity is not None}


async def _check_shards(connection: Connection, name: str, settings: LogSettings) -> None:
    """MATCHES_0 of two streams has other shards than MATCHES_0 of four."""
    try:
        info = await ask(
            connection, f"STREAM.INFO.{name}", None, timeout=_API_TIMEOUT_S, again_s=_AGAIN_S
        )
    except ApiError as error:
        if error.code == STREAM_NOT_FOUND:  # gone since its name was asked for
            return
        raise
    subjects = info["config"]["subjects"]
    if len(subjects) * settings.streams != SHARDS:
        raise _other_number("the broker", f"{name} with {len(subjects)} shards", settings)


def _check_names(place: str, found: set[str], settings: LogSettings) -> None:
    wanted = {part.stream for part in settings.parts}
    if found - wanted:
        raise _other_number(place, ", ".join(sorted(found)), settings)


def _other_number(place: str, found: str, settings: LogSettings) -> LogForeign:
    wanted = ", ".join(part.stream for part in settings.parts)
    why = (
        f"{place} has {found}, but the settings (log.streams = {settings.streams}) want {wanted}: "
        "the number of streams is fixed for an installation"
    )
    # Lines about exceptions hold only their reason; the operator must read the rest, too.
    _log.critical("not the log of this installation", why=why)
    return LogForeign(why)
