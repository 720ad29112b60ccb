"""Stands where rules stands: creates matches in the real log, and ends them as a test says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.types.v1 import result_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.errors import AlreadyExists, Unavailable
from spielwerk.log.headers import RecordHeaders
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Conflict, Kind


class WallClock:
    """The time of all instances of a test, which can be moved forward."""

    def __init__(self) -> None:
        self._ahead_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self._ahead_ms

    def advance(self, ms: int) -> None:
        self._ahead_ms += ms


@dataclass
class LogMatches:
    """`Matches` of matchmaking over the log; `before` may fail or hang an attempt."""

    log: JetStreamLog
    before: Callable[[match_pb2.CreateMatchRequest], object] | None = None
    created: dict[str, match_pb2.CreateMatchRequest] = field(default_factory=dict)
    attempts: int = 0
    now_ms: int | None = None
    """The time of the records to come; by default the present."""
    _ends: dict[str, int] = field(default_factory=dict)

    async def create(self, request: match_pb2.CreateMatchRequest) -> None:
        self.attempts += 1
        if self.before is not None:
            answer = self.before(request)
            if asyncio.iscoroutine(answer):
                await answer
        known = self.created.get(request.match_id)
        if known is not None:
            if known != request:
                raise AlreadyExists("match_exists")
            return
        self.created[request.match_id] = request
        event = match_pb2.MatchEvent(
            opened=match_pb2.Opened(
                game=request.game,
                options=request.options,
                occupants=request.occupants,
                watch=request.watch,
                rated=request.rated,
                origin=request.origin,
            )
        )
        try:
            await self._append(request.match_id, Kind.OPEN, event, expected=0)
        except Conflict:
            raise AlreadyExists("match_exists") from None
        except Unavailable:
            del self.created[request.match_id]
            raise

    async def end(self, match_id: str, reason: str, joined: Iterable[int] = ()) -> None:
        request = self.created[match_id]
        ended = match_pb2.Ended(
            reason=reason,
            game=request.game,
            occupants=request.occupants,
            origin=request.origin,
            joined=joined,
        )
        if reason == "finished":
            ended.result.CopyFrom(result_pb2.Result(reason=reason))
        last = await self.log.last(match_id)
        assert last is not None
        event = match_pb2.MatchEvent(ended=ended)
        await self._append(match_id, Kind.END, event, expected=last.sequence)

    def players(self, match_id: str) -> list[str]:
        return [o.human.player_id for o in self.created[match_id].occupants]

    async def _append(
        self, match_id: str, kind: Kind, event: match_pb2.MatchEvent, *, expected: int
    ) -> None:
        version = 1 if kind is Kind.OPEN else 2
        record = record_pb2.Record(match_id=match_id, version=version, events=[event])
        at_ms = WallClock().now_ms() if self.now_ms is None else self.now_ms
        headers = RecordHeaders("cribbage", version, at_ms, ()).write()
        await self.log.append(
            match_id, kind, record.SerializeToString(), headers, expected=expected
        )
