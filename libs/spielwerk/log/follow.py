"""The tail of the log: everything of some kinds in order, whatever happens to the broker."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from typing import Final

from spielwerk.errors import Unavailable
from spielwerk.log.api import ApiError
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.port import Batch, Kind, StreamIdentity
from spielwerk.log.pull import Interrupted, pulling
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import LogForeign, LogMissing, check_known, stream_identity
from spielwerk.telemetry.logs import get_logger

_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 2.0
# A cluster that has just started may not know its streams yet.
_MISSING_FOR_S: Final = 10.0

_log = get_logger(__name__)


async def follow(
    connection: Connection,
    settings: LogSettings,
    kinds: Sequence[Kind],
    *,
    after: int,
    headers_only: bool,
) -> AsyncIterator[Batch]:
    """See Tail.follow; an empty batch also tells, after an interruption, that nothing was missed.

    Raises LogMissing or LogForeign if the stream does not hold what was read from it before.
    """
    progress = _Progress(connection, settings, after)
    pause = _FIRST_PAUSE_S
    while True:
        await connection.until_connected()
        try:
            await progress.check_stream()
            first = progress.position + 1
            async with pulling(connection, settings, kinds, first, headers_only) as pull:
                pause = _FIRST_PAUSE_S
                if pull.nothing_waits:
                    yield Batch((), progress.position, True)
                while True:
                    batch = await pull.next()
                    progress.position = batch.position
                    yield batch
        except (LogForeign, LogMissing):
            raise
        except (Interrupted, Unavailable, ApiError) as error:
            _log.warning("tail interrupted", position=progress.position, error=str(error))
        await asyncio.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(2 * pause, _LONGEST_PAUSE_S)


class _Progress:
    """How far the reader is, and in which stream: a lost log must not be taken for a quiet one."""

    def __init__(self, connection: Connection, settings: LogSettings, after: int) -> None:
        self.position = after
        self._connection = connection
        self._settings = settings
        self._stream: StreamIdentity | None = None
        self._missing_since: float | None = None

    async def check_stream(self) -> None:
        now = asyncio.get_running_loop().time()
        try:
            found = await stream_identity(self._connection, self._settings)
        except LogMissing as error:
            self._missing_since = self._missing_since or now
            if now - self._missing_since > _MISSING_FOR_S:
                raise
            raise unavailable(error) from error
        self._missing_since = None
        created = self._stream.created if self._stream else found.created
        known = StreamIdentity(found.name, created, found.first_sequence, self.position)
        check_known(found, known)
        self._stream = found
