"""Remembers outside the broker which stream an installation has seen, to notice its loss."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from spielwerk.errors import Unavailable
from spielwerk.log.connect import Connection
from spielwerk.log.port import StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import LogForeign, LogMissing, ensure_stream
from spielwerk.telemetry.logs import get_logger

_log = get_logger(__name__)


class MarkerUnusable(Unavailable):
    """The marker file cannot be read or written where it must be."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__("marker_unusable", f"the marker file {path} {why}")


async def open_stream(connection: Connection, settings: LogSettings) -> StreamIdentity:
    """The stream of this installation, compared with its marker file, which is renewed.

    It is made if there is none and either the operator allows it or the marker file shows that
    this is the first start. Errors as of `ensure_stream`, and MarkerUnusable. A marker file that
    names this very stream already may stay as it is: only its end is older then.
    """
    marker = settings.marker_file
    known = read_known(marker) if marker else None
    first_start = marker is not None and known is None
    allow_new = settings.new_installation or first_start
    try:
        found = await ensure_stream(connection, settings, known=known, allow_new=allow_new)
    except (LogMissing, LogForeign) as loss:
        # Lines about exceptions hold only their reason; the operator must read what is lost.
        _log.critical("not the log of this installation", why=loss.message)
        raise
    if marker:
        await _renew(marker, known, found)
    return found


class MarkerFile:
    """The marker file while a process serves, which goes on without being able to write it.

    The old content stays in force: it names the same stream at an earlier end.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written: StreamIdentity | None = None
        self._failing = False

    async def keep(self, identity: StreamIdentity) -> None:
        """Write the stream as it is now, if that is news; said once if it fails, and once after."""
        if identity == self._written:
            return
        try:
            await asyncio.to_thread(write_known, self._path, identity)
        except OSError as error:
            if not self._failing:
                _log.warning("marker file not written", path=str(self._path), why=str(error))
            self._failing = True
            return
        if self._failing:
            _log.info("marker file written again", path=str(self._path))
        self._written, self._failing = identity, False


def read_known(path: Path) -> StreamIdentity | None:
    """The stream of the last start; None if there was none. MarkerUnusable for damaged content."""
    try:
        return StreamIdentity(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise _unusable(path, f"cannot be read: {error}") from error


def write_known(path: Path, identity: StreamIdentity) -> None:
    """Replace the file in one step, on disk before this returns; OSError leaves all as it was.

    Several instances may do so at once, each by way of a file of its own. Everybody may read it:
    a restore may run as another user than the service.
    """
    handle, name = tempfile.mkstemp(prefix=f"{path.name}-", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(handle, 0o644)
            json.dump(asdict(identity), file, indent=2)
            file.flush()
            os.fsync(handle)
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


async def _renew(path: Path, known: StreamIdentity | None, found: StreamIdentity) -> None:
    try:
        await asyncio.to_thread(write_known, path, found)
    except OSError as error:
        if known is None or (known.name, known.created) != (found.name, found.created):
            # The next start could not tell a lost log from a first start.
            raise _unusable(path, f"cannot be written: {error}") from error
        _log.warning("marker file not written", path=str(path), why=str(error))


def _unusable(path: Path, why: str) -> MarkerUnusable:
    # Lines about exceptions hold only their reason; the operator must read which file it is.
    unusable = MarkerUnusable(path, why)
    _log.critical("marker file unusable", why=unusable.message)
    return unusable
