"""AuditService: translates between messages and use cases, nothing else."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

import grpc

from spielwerk.api.v1 import audit_pb2, audit_pb2_grpc, match_pb2
from spielwerk.codec.match import fill_view
from spielwerk.errors import InvalidArgument
from spielwerk.log.headers import shown_headers
from spielwerk.log.port import Stored
from spielwerk.match.canonical import canonical, digest
from spielwerk.match.model import Match
from spielwerk.rpc.auth import current_caller
from spielwerk_rules.audit import AsEverything, AsSeat, AsSpectator, Audit, Viewer
from spielwerk_rules.audit_listing import Listed, Listing, Wanted

Context = grpc.aio.ServicerContext[Any, Any]

_PAGE: Final = 50
_MAX_PAGE: Final = 100
_RESPONSE_BYTES: Final = 512 * 1024


class AuditServicer(audit_pb2_grpc.AuditServiceServicer):
    """See audit.proto for callers and errors."""

    def __init__(self, audit: Audit, listing: Listing) -> None:
        self._audit = audit
        self._listing = listing

    async def GetRecords(
        self, request: audit_pb2.GetRecordsRequest, context: Context
    ) -> AsyncGenerator[audit_pb2.GetRecordsResponse, None]:
        """What is stored."""
        after, caller = request.after_sequence, current_caller()
        for part in _parts(await self._audit.records(request.match_id, after, caller)):
            yield audit_pb2.GetRecordsResponse(messages=part)

    async def Replay(
        self, request: audit_pb2.ReplayRequest, context: Context
    ) -> audit_pb2.ReplayResponse:
        """The match at a version."""
        version = request.version if request.HasField("version") else None
        viewer, caller = _viewer(request), current_caller()
        match, last = await self._audit.replay(request.match_id, version, viewer, caller)
        response = audit_pb2.ReplayResponse(last_version=last)
        if isinstance(viewer, AsEverything):
            _fill_full(match, response.full)
        else:
            fill_view(match, viewer.seat if isinstance(viewer, AsSeat) else None, response.view)
        return response

    async def Verify(
        self, request: audit_pb2.VerifyRequest, context: Context
    ) -> audit_pb2.VerifyResponse:
        """Recomputes it."""
        verdict = await self._audit.verify(request.match_id, current_caller())
        response = audit_pb2.VerifyResponse(
            records=verdict.records, foreign_sequences=verdict.foreign, running=verdict.running
        )
        if verdict.mismatch is not None:
            response.fault.version = verdict.mismatch.version
            response.fault.why = verdict.mismatch.why
        return response

    async def ListMatches(
        self, request: audit_pb2.ListMatchesRequest, context: Context
    ) -> audit_pb2.ListMatchesResponse:
        """Matches in pages."""
        wanted = Wanted(
            game=request.game,
            player_id=request.player_id,
            from_ms=request.from_ms if request.HasField("from_ms") else None,
            until_ms=request.until_ms if request.HasField("until_ms") else None,
        )
        size = min(request.page_size or _PAGE, _MAX_PAGE)
        after = _positions(request.page_token)
        page = await self._listing.page(wanted, after, size, current_caller())
        return audit_pb2.ListMatchesResponse(
            matches=map(_summary, page.matches),
            next_page_token=".".join(map(str, page.next_after or ())),
        )


def _parts(stored: Sequence[Stored]) -> list[list[audit_pb2.StoredMessage]]:
    """Messages joined to responses of a size that every client takes."""
    parts: list[list[audit_pb2.StoredMessage]] = []
    room = 0
    for message in stored:
        if len(message.data) > room or not parts:
            parts.append([])
            room = _RESPONSE_BYTES
        room -= len(message.data)
        parts[-1].append(
            audit_pb2.StoredMessage(
                sequence=message.sequence,
                subject=message.subject,
                headers=shown_headers(message.headers),
                data=message.data,
            )
        )
    return parts


def _viewer(request: audit_pb2.ReplayRequest) -> Viewer | None:
    match request.WhichOneof("viewer"):
        case "seat":
            return AsSeat(request.seat)
        case "spectator":
            return AsSpectator()
        case "everything":
            return AsEverything()
        case None:
            return None


def _fill_full(match: Match, message: audit_pb2.FullState) -> None:
    fill_view(match, None, message.view)
    if match.state is not None:
        message.state = canonical(match.state)
        message.state_sha256 = digest(match.state)


def _positions(token: str) -> list[int]:
    """The sequence of each stream behind which a page begins; none for the first page."""
    parts = token.split(".") if token else []
    if not all(part.isascii() and part.isdecimal() and len(part) < 20 for part in parts):
        raise InvalidArgument("bad_page_token", field="page_token")
    return [int(part) for part in parts]


def _summary(listed: Listed) -> audit_pb2.MatchSummary:
    opened: match_pb2.Opened = listed.opened
    return audit_pb2.MatchSummary(
        match_id=listed.match_id,
        sequence=listed.sequence,
        opened_at_ms=listed.opened_at_ms,
        game=opened.game,
        rules_version=opened.rules_version,
        occupants=opened.occupants,
        watch=opened.watch,
        rated=opened.rated,
        origin=opened.origin,
        ended_at_ms=listed.ended_at_ms,
    )
