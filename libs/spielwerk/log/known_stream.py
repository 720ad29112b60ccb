"""Remembers outside the broker which stream an installation has seen, to notice its loss."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

from spielwerk.log.connect import Connection
from spielwerk.log.port import StreamIdentity
from spielwerk.log.settings import LogSettings
from spielwerk.log.stream import LogForeign, LogMissing, ensure_stream
from spielwerk.telemetry.logs import get_logger

_log = get_logger(__name__)


async def open_stream(connection: Connection, settings: LogSettings) -> StreamIdentity:
    """The stream of this installation, compared with its marker file, which is renewed.

    It is made if there is none and either the operator allows it or the marker file shows that
    this is the first start. Errors as of `ensure_stream`.
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
        write_known(marker, found)
    return found


def read_known(path: Path) -> StreamIdentity | None:
    """The stream of the last start; None if there was none. Damaged content is an error."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return StreamIdentity(**json.loads(text))


def write_known(path: Path, identity: StreamIdentity) -> None:
    """Replace the file in one step, on disk before this returns.

    Several instances may do so at once, each by way of a file of its own. Everybody may read it:
    a restore may run as another user than the service.
    """
    handle, fresh = tempfile.mkstemp(prefix=f"{path.name}-", dir=path.parent)
    os.fchmod(handle, 0o644)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(identity), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    Path(fresh).replace(path)
