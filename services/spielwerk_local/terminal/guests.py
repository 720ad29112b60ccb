"""The guest that plays at this terminal, kept in a file that only its owner can read."""

from __future__ import annotations

import getpass
import json
import os
from pathlib import Path
from typing import Final

from spielwerk.client import Device, Spielwerk
from spielwerk.errors import InvalidArgument, NotFound, Unauthenticated

_FILE: Final = "guests.json"
_FALLBACK: Final = "Guest"


async def become_guest(client: Spielwerk, data: Path, target: str) -> None:
    """Act as the guest known for this address, or as a new one."""
    known = _read(data / _FILE).get(target)
    if known is not None:
        client.accounts.become(Device(known["player_id"], known["secret"]))
        try:
            await client.accounts.profile()
            return
        except (Unauthenticated, NotFound):  # deleted, or the installation was set up anew
            client.accounts.become(None)
    device = await _new_guest(client)
    _keep(data / _FILE, target, device)


async def _new_guest(client: Spielwerk) -> Device:
    try:
        return await client.create_guest(_user())
    except InvalidArgument:  # not every login is a name
        return await client.create_guest(_FALLBACK)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without a user's name
        return _FALLBACK


def _read(file: Path) -> dict[str, dict[str, str]]:
    try:
        known: dict[str, dict[str, str]] = json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return known


def _keep(file: Path, target: str, device: Device) -> None:
    known = _read(file) | {target: {"player_id": device.player_id, "secret": device.secret}}
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as writer:
        json.dump(known, writer)
    fresh.replace(file)
