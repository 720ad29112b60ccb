"""The use cases of auditing: who may see what of a stored match, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import DecodeError

from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.audit.checking import StoredVerifier
from spielwerk.audit.replaying import steps
from spielwerk.errors import (
    FailedPrecondition,
    InvalidArgument,
    MatchDamaged,
    NotFound,
    PermissionDenied,
    SpielwerkError,
)
from spielwerk.games.game import Seat
from spielwerk.log.headers import is_marked
from spielwerk.log.port import MatchLog, Stored
from spielwerk.log.subjects import check_match_id
from spielwerk.match.fold import Registry
from spielwerk.match.model import Match
from spielwerk.match.verify import Mismatch
from spielwerk.rpc.auth import Caller
from spielwerk_rules.audit_trail import AuditTrail, Look

_AUDITOR: Final = "auditor"
_PRIVILEGED: Final = (_AUDITOR, "operator")
YIELD_EVERY: Final = 16
"""Records that are decoded or folded before others may run again."""
_HEAVY_AT_ONCE: Final = 2
"""Replays, verifications and listings that share the loop with the moves of players."""


@dataclass(frozen=True, slots=True)
class AsSeat:
    """A seat's view."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class AsSpectator:
    """What anybody may see who watches."""


@dataclass(frozen=True, slots=True)
class AsEverything:
    """All that there is."""


Viewer = AsSeat | AsSpectator | AsEverything


@dataclass(frozen=True, slots=True)
class Found:
    """A stored match, damaged or not; `last_version` is what its last record says it is."""

    match_id: str
    stored: Sequence[Stored]
    opened: match_pb2.Opened
    running: bool
    last_version: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a match verifies; `mismatch` None: all of it."""

    records: int
    foreign: tuple[int, ...]
    running: bool
    mismatch: Mismatch | None


class Audit:
    """Reads the log itself, so that also a damaged match can be looked at."""

    def __init__(self, log: MatchLog, find: Registry, trail: AuditTrail) -> None:
        self._log = log
        self._find = find
        self._trail = trail
        self.heavy = asyncio.Semaphore(_HEAVY_AT_ONCE)

    async def records(self, match_id: str, after: int, caller: Caller) -> Sequence[Stored]:
        """The stored messages behind a sequence; see audit.proto for errors."""
        found = await self._found(match_id, caller)
        await self._allow(found, caller, "GetRecords", "records", found.last_version)
        return [message for message in found.stored if message.sequence > after]

    async def replay(
        self, match_id: str, version: int | None, viewer: Viewer | None, caller: Caller
    ) -> tuple[Match, int]:
        """The match at a version, and its last version."""
        found = await self._found(match_id, caller)
        seats = len(found.opened.occupants)
        if viewer is None or (isinstance(viewer, AsSeat) and viewer.seat >= seats):
            raise InvalidArgument("bad_viewer", f"a seat below {seats}, spectator or everything")
        wanted = found.last_version if version is None else version
        if not 1 <= wanted <= found.last_version:
            raise NotFound("no_such_version", last_version=str(found.last_version))
        if not _sees_anyway(found, viewer, caller):
            await self._allow(found, caller, "Replay", _named(viewer), wanted)
        async with self.heavy:
            return await self._match_at(found, wanted), found.last_version

    async def verify(self, match_id: str, caller: Caller) -> Verdict:
        """Recompute the match as far as it goes."""
        found = await self._found(match_id, caller)
        if found.running and caller.role != _AUDITOR:
            raise FailedPrecondition("match_running")
        async with self.heavy:
            return await self._verdict(found)

    async def _found(self, match_id: str, caller: Caller) -> Found:
        """The match, if the caller may know of it."""
        found = found_in(match_id, await self._log.read(check_match_id(match_id)))
        if found is None or not may_know(found.opened, caller):
            raise PermissionDenied("no_such_match")
        return found

    async def _allow(
        self, found: Found, caller: Caller, method: str, viewer: str, version: int
    ) -> None:
        """Before the end only auditors, who leave a trace."""
        if not found.running:
            return
        if caller.role != _AUDITOR:
            raise FailedPrecondition("match_running", "everything is shown after the end")
        subject, role = caller.subject, caller.role
        await self._trail.write(Look(subject, role, method, found.match_id, version, viewer))

    async def _match_at(self, found: Found, version: int) -> Match:
        match: Match | None = None
        try:
            for number, step in enumerate(steps(found.match_id, found.stored, self._find)):
                match = step.after
                if match.version == version:
                    return match
                if number % YIELD_EVERY == 0:
                    await asyncio.sleep(0)  # players' moves go first
        except (SpielwerkError, MatchDamaged):
            raise
        except Exception as error:  # a manipulated record may break the rules' code anywhere
            reached = match.version + 1 if match else 1
            raise MatchDamaged(found.match_id, reached, f"folding failed: {error!r}") from error
        raise MatchDamaged(found.match_id, version, "it is missing")

    async def _verdict(self, found: Found) -> Verdict:
        verifier = StoredVerifier(found.match_id, self._find)
        mismatch: Mismatch | None = None
        try:
            for number, message in enumerate(found.stored):
                verifier.feed(message)
                if number % YIELD_EVERY == 0:
                    await asyncio.sleep(0)  # players' moves go first
            if not found.running:
                verifier.close()
        except Mismatch as wrong:
            mismatch = wrong
        so_far = verifier.so_far()
        if so_far is None:
            return Verdict(0, (), found.running, mismatch)
        records = so_far.records if mismatch is None else mismatch.version - 1
        return Verdict(records, so_far.foreign, found.running, mismatch)


def found_in(match_id: str, stored: Sequence[Stored]) -> Found | None:
    """What the records say of themselves; None if none of them opens a match."""
    opened: match_pb2.Opened | None = None
    last: record_pb2.Record | None = None
    for message in stored:
        record = own_record(message)
        if record is not None and record.match_id == match_id:
            last = record
            if opened is None and record.events and record.events[0].HasField("opened"):
                opened = record.events[0].opened
    if opened is None or last is None:
        return None
    ended = bool(last.events) and last.events[-1].HasField("ended")
    return Found(match_id, stored, opened, not ended, last.version)


def own_record(message: Stored) -> record_pb2.Record | None:
    """The record in a message; None for a foreign one."""
    if not is_marked(message.headers):
        return None
    try:
        return record_pb2.Record.FromString(message.data)
    except DecodeError:
        return None


def may_know(opened: match_pb2.Opened, caller: Caller) -> bool:
    """Whether the caller may watch the match; the same as in MatchService."""
    if caller.role in _PRIVILEGED or opened.watch == match_pb2.WATCH_POLICY_ANYONE:
        return True
    return _seat_of(opened, caller) is not None


def _seat_of(opened: match_pb2.Opened, caller: Caller) -> Seat | None:
    for seat, occupant in enumerate(opened.occupants):
        if occupant.HasField("human") and occupant.human.player_id == caller.subject:
            return seat
    return None


def _sees_anyway(found: Found, viewer: Viewer, caller: Caller) -> bool:
    """Whether MatchService shows the caller the same during play."""
    if isinstance(viewer, AsSeat):
        return viewer.seat == _seat_of(found.opened, caller)
    return isinstance(viewer, AsSpectator)


def _named(viewer: Viewer) -> str:
    return f"seat {viewer.seat}" if isinstance(viewer, AsSeat) else "everything"
