"""Who deleted the account: a bucket of bare player ids, written by accounts and read by scoring.

It is part of the log: whatever is derived from matches leaves these players out, also when it is
built anew. The first deletion may be long to come, so a bucket that is not there is an empty one.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from spielwerk.log.api import NO_MESSAGE, STREAM_NOT_FOUND, ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable

BUCKET: Final = "FORGOTTEN"
"""Key-value bucket: one key a player, whose value is an empty object: `{}`. Any other value is not
of accounts and deletes nobody."""

_STREAM: Final = f"KV_{BUCKET}"
_PREFIX: Final = f"$KV.{BUCKET}."
_SUBJECTS: Final = f"{_PREFIX}>"
_AT_ONCE: Final = 100
_TIMEOUT_S: Final = 5.0
_NAMES_TIMEOUT_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader has come, in the bucket that was made at this time."""

    created: str = ""
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Deletion:
    """A player that is gone, and the position behind this deletion."""

    player_id: str
    position: Position


class ForgottenPlayers:
    """Reads the bucket from its leader; Unavailable while the broker does not answer."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def everybody(self) -> tuple[frozenset[str], Position]:
        """All players that are gone, and a position behind which some of them may come again."""
        subjects, position = await self._subjects()
        gone: set[str] = set()
        for part in _parts(subjects):
            entries = await asyncio.gather(*map(self._last, part))
            gone.update(_player(entry) for entry in entries if entry and _is_deletion(entry))
        return frozenset(gone), position

    async def behind(self, position: Position) -> Deletion | None:
        """The next one; None if there is none. In another bucket, or one that lost its end by a
        restore, the first one."""
        answer = await self._asked("STREAM.INFO", None, _TIMEOUT_S)
        if answer is None:
            return None
        end = _end(answer)
        known = position.created == end.created and position.sequence <= end.sequence
        after = position.sequence if known else 0
        while after < end.sequence:
            entry = await self._entry({"seq": after + 1, "next_by_subj": _SUBJECTS})
            if entry is None:
                return None
            after = int(entry["seq"])
            if _is_deletion(entry):
                return Deletion(_player(entry), Position(end.created, after))
        return None

    async def _subjects(self) -> tuple[set[str], Position]:
        """The subjects of all entries, and a position behind which some of them may come again."""
        found: set[str] = set()
        position: Position | None = None
        while True:
            body = {"subjects_filter": _SUBJECTS, "offset": len(found)}
            answer = await self._asked("STREAM.INFO", body, _NAMES_TIMEOUT_S)
            if answer is None:
                return set(), Position()
            # Of the first page: what is recorded while the others are asked for is read later.
            position = position or _end(answer)
            page: dict[str, int] = answer["state"].get("subjects") or {}
            found.update(page)
            if not page or len(found) >= answer.get("total", 0):
                return found, position

    async def _last(self, subject: str) -> dict[str, Any] | None:
        return await self._entry({"last_by_subj": subject})

    async def _entry(self, question: dict[str, Any]) -> dict[str, Any] | None:
        answer = await self._asked("STREAM.MSG.GET", question, _TIMEOUT_S)
        return None if answer is None else answer["message"]

    async def _asked(
        self, verb: str, body: dict[str, Any] | None, timeout: float
    ) -> dict[str, Any] | None:
        """The broker's answer; None where there is no bucket or no message."""
        try:
            return await ask(self._connection, f"{verb}.{_STREAM}", body, timeout=timeout)
        except ApiError as error:
            if error.code in (STREAM_NOT_FOUND, NO_MESSAGE):
                return None
            raise unavailable(error) from error


def _end(answer: dict[str, Any]) -> Position:
    return Position(answer["created"], int(answer["state"]["last_seq"]))


def _player(entry: dict[str, Any]) -> str:
    subject: str = entry["subject"]
    return subject.removeprefix(_PREFIX)


def _is_deletion(entry: dict[str, Any]) -> bool:
    try:
        return bool(json.loads(base64.b64decode(entry.get("data", ""))) == {})
    except ValueError:
        return False


def _parts(subjects: Iterable[str]) -> Iterator[tuple[str, ...]]:
    rest = iter(subjects)
    while part := tuple(islice(rest, _AT_ONCE)):
        yield part
