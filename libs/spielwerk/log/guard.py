"""Notices, while a process runs, that the log was lost, replaced or set back under it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from spielwerk.errors import Unavailable
from spielwerk.log.connect import Connection
from spielwerk.log.known_stream import MarkerFile
from spielwerk.log.port import StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import LogForeign, LogMissing, check_known, stream_identity
from spielwerk.telemetry.logs import get_logger

_PERIOD_S: Final = 5.0
# A cluster that has just started may not know its streams yet.
_MISSING_FOR_S: Final = 10.0

_log = get_logger(__name__)


async def guard_stream(
    connection: Connection,
    settings: LogSettings,
    known: StreamIdentity,
    *,
    period_s: float = _PERIOD_S,
) -> None:
    """Compare the stream with what was seen of it before, for ever, at once after each return.

    The marker file follows, so that the next start knows as much; one that cannot be written stays
    as it is. Raises LogMissing or LogForeign, whose message names the loss: what this process
    holds in memory may be of no use any more.
    """
    marker = MarkerFile(settings.marker_file) if settings.marker_file else None
    returned = asyncio.Event()
    forget = connection.on_return(returned.set)
    try:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(period_s):
                    await returned.wait()
            returned.clear()
            known = await _compared(connection, settings, known)
            if marker is not None:
                await marker.keep(known)
    except (LogMissing, LogForeign) as loss:
        _log.critical("the log was lost under this process", why=loss.message)
        raise
    finally:
        forget()


async def _compared(
    connection: Connection, settings: LogSettings, known: StreamIdentity
) -> StreamIdentity:
    """The stream as it is now; as it was known while the broker does not answer."""
    try:
        found = await _found(connection, settings)
    except LogMissing as missing:
        raise LogMissing(
            f"{missing.message}; records up to {known.last_sequence} were seen"
        ) from missing
    except Unavailable:
        return known
    check_known(found, known)
    return found


async def _found(connection: Connection, settings: LogSettings) -> StreamIdentity:
    until = asyncio.get_running_loop().time() + _MISSING_FOR_S
    while True:
        try:
            return await stream_identity(connection, settings)
        except LogMissing:
            if asyncio.get_running_loop().time() > until:
                raise
            await asyncio.sleep(0.5)
