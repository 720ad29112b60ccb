"""A backup of everything that must be kept: all streams of the broker in one folder.

    <folder>/<stream>.archive   matches, accounts, the auditors' trail: as the broker packs them
    <folder>/backup.json        what they are, with digests; written last, so a folder without it
                                is no backup

The signing keys are not in it: they are secrets, and kept elsewhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from spielwerk.errors import FailedPrecondition, InvalidArgument
from spielwerk.log.connect import Connection
from spielwerk.log.snapshots import Snapshot, restore_stream, save_stream, stream_names

_MANIFEST: Final = "backup.json"
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """One stream of a backup."""

    file: str
    sha256: str
    config: Mapping[str, Any]
    state: Mapping[str, Any]

    @property
    def stream(self) -> str:
        """The stream's name at the broker."""
        return str(self.config["name"])

    @property
    def messages(self) -> int:
        """How many messages it holds."""
        return int(self.state["messages"])


async def back_up(connection: Connection, folder: Path) -> tuple[Saved, ...]:
    """Save all streams, also while matches are played; each is of one moment.

    FailedPrecondition (folder_in_use) for a folder with content, (nothing_to_save) for an empty
    broker; Unavailable if the broker breaks off.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if any(folder.iterdir()):
        raise FailedPrecondition("folder_in_use", f"{folder} is not empty")
    names = await stream_names(connection)
    if not names:
        raise FailedPrecondition("nothing_to_save", "the broker holds no streams")
    saved = [await _saved(connection, name, folder) for name in names]
    _write_manifest(folder, saved)
    return tuple(saved)


async def put_back(connection: Connection, folder: Path) -> tuple[Saved, ...]:
    """Make all streams of a backup again at a broker that has none of them.

    InvalidArgument (bad_backup) for a damaged or incomplete folder and FailedPrecondition
    (stream_exists), both before anything is changed; Unavailable if the broker breaks off.
    """
    saved = read_backup(folder)
    there = {stream.stream for stream in saved} & set(await stream_names(connection))
    if there:
        raise FailedPrecondition("stream_exists", f"the broker already has {', '.join(there)}")
    for stream in saved:
        with (folder / stream.file).open("rb") as archive:
            await restore_stream(connection, Snapshot(stream.config, stream.state), archive)
    return saved


def read_backup(folder: Path) -> tuple[Saved, ...]:
    """What a folder holds, each archive compared with its digest; InvalidArgument (bad_backup)."""
    try:
        content = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        if content["format"] != _FORMAT:
            raise InvalidArgument("bad_backup", f"{folder} has the format {content['format']}")
        saved = tuple(Saved(**stream) for stream in content["streams"])
        damaged = [s.file for s in saved if _sha256(folder / Path(s.file).name) != s.sha256]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgument("bad_backup", f"{folder} holds no whole backup: {error}") from error
    if damaged:
        raise InvalidArgument("bad_backup", f"{folder}: damaged: {', '.join(damaged)}")
    return saved


async def _saved(connection: Connection, name: str, folder: Path) -> Saved:
    file = folder / f"{name}.archive"
    with file.open("xb") as archive:
        snapshot = await save_stream(connection, name, archive)
    return Saved(file.name, _sha256(file), snapshot.config, snapshot.state)


def _write_manifest(folder: Path, saved: Iterable[Saved]) -> None:
    content = {
        "format": _FORMAT,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "streams": [asdict(stream) for stream in saved],
    }
    fresh = folder / f"{_MANIFEST}.new"
    fresh.write_text(json.dumps(content, indent=2), encoding="utf-8")
    fresh.replace(folder / _MANIFEST)


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
