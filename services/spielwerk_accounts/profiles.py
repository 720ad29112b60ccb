"""Profiles of players: one key each, changed by revision, erased on request."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from spielwerk.errors import NotFound, Unavailable
from spielwerk_accounts.buckets import Bucket, Damaged

_TRIES: Final = 8
# Ids come from clients, and keys are subjects: no wildcards, no separators.
_PLAYER_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is stored of a player."""

    player_id: str
    name: str
    created_at_ms: int
    secret_hash: str
    """SHA-256 of the device secret, in hexadecimal."""
    claim: str = ""
    """Key of the request that made the account, while it is remembered."""


class Profiles:
    """All profiles of the installation."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    async def add(self, profile: Profile) -> None:
        """Store a new profile; one that is there already stays as it is."""
        await self._bucket.create(profile.player_id, _value(profile))

    async def get(self, player_id: str) -> Profile:
        """The profile; NotFound `account_unknown`, Damaged `account_damaged`."""
        profile, _ = await self._found(player_id)
        return profile

    async def rename(self, player_id: str, name: str) -> Profile:
        """Give it another name; NotFound `account_unknown`, Unavailable `busy`."""
        for _ in range(_TRIES):
            profile, revision = await self._found(player_id)
            renamed = replace(profile, name=name)
            if await self._bucket.update(player_id, _value(renamed), revision):
                return renamed
        raise Unavailable("busy", "the account is changed by others all the time")

    async def erase(self, player_id: str) -> None:
        """Remove all that is stored of a player; NotFound `account_unknown`."""
        await self._found(player_id)
        await self._bucket.erase(player_id)

    async def _found(self, player_id: str) -> tuple[Profile, int]:
        entry = None
        if _PLAYER_ID.fullmatch(player_id):
            entry = await self._bucket.get(player_id)
        if entry is None:
            raise NotFound("account_unknown", "there is no such account")
        return _read(player_id, entry.value), entry.revision


def _read(player_id: str, value: dict[str, Any]) -> Profile:
    match value:
        case {"name": str(name), "created_at_ms": int(made), "secret_hash": str(secret_hash)}:
            claim = str(value.get("claim", ""))
        case _:
            raise Damaged(player_id)
    return Profile(
        player_id=player_id, name=name, created_at_ms=made, secret_hash=secret_hash, claim=claim
    )


def _value(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        "created_at_ms": profile.created_at_ms,
        "secret_hash": profile.secret_hash,
        "claim": profile.claim,
    }
