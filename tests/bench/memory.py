"""What a match in the cache of a rules process costs, and how long its first load takes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.house import PLAYERS, House
from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.log.port import Kind, Stored
from spielwerk.log.subjects import new_match_id

RECORDS = 36
"""In each cached match: with so many, both seats' memory of commands (16 each) is full."""
_WRITERS = 64
_LOADERS = 32


@dataclass(frozen=True, slots=True)
class Cached:
    """Resident megabytes of a rules process before and after it has loaded matches."""

    matches: int
    empty_mb: float
    full_mb: float

    @property
    def each_kb(self) -> float:
        """Of one match."""
        return (self.full_mb - self.empty_mb) * 1e3 / self.matches


async def cached(
    house: House, original: Sequence[Stored], matches: int, progress: Callable[[str], None]
) -> Cached:
    """Write copies of a match into the log, load them all, and look at the process."""
    progress(f"{matches} matches of {len(original)} records are written")
    ids = [new_match_id(time.time_ns() // 1_000_000, os.urandom(10)) for _ in range(matches)]
    await _shared(ids, _WRITERS, lambda match_id: _write_copy(house, original, match_id))
    async with house.rules(cached=matches) as rules, house.channel(rules, PLAYERS[0]) as channel:
        stub = MatchServiceStub(channel)
        await _view(stub, ids[0])
        empty = rules.process.rss_mb()
        progress("and loaded")
        await _shared(ids, _LOADERS, lambda match_id: _view(stub, match_id))
        return Cached(matches, empty, rules.process.rss_mb())


@dataclass(frozen=True, slots=True)
class Loads:
    """Seconds of GetView, by match: the first load, and the same again from the cache."""

    records: int
    cold: Sequence[float]
    warm: Sequence[float]


async def cold_loads(house: House, ids: Sequence[str]) -> Loads:
    """Ask a fresh process for matches that it has never seen, one after another."""
    records = min([len(await house.log.read(match_id)) for match_id in ids])
    async with house.rules() as rules, house.channel(rules, PLAYERS[0]) as channel:
        stub = MatchServiceStub(channel)
        await _view(stub, ids[0])  # the first call also makes the connection
        cold, warm = [[await _view(stub, match_id) for match_id in ids[1:]] for _ in range(2)]
        return Loads(records, cold, warm)


async def _view(stub: Any, match_id: str) -> float:
    begin = time.perf_counter()
    await stub.GetView(pb.GetViewRequest(match_id=match_id))
    return time.perf_counter() - begin


async def _write_copy(house: House, original: Sequence[Stored], match_id: str) -> None:
    """The same match under another id; folding draws nothing, so the seed may stay."""
    sequence, sha256 = 0, b""
    for stored in original:
        record = record_pb2.Record.FromString(stored.data)
        record.match_id, record.previous_sha256 = match_id, sha256
        data = record.SerializeToString()
        sha256 = hashlib.sha256(data).digest()
        kind = Kind.MOVE if sequence else Kind.OPEN
        sequence = await house.log.append(match_id, kind, data, stored.headers, expected=sequence)


async def _shared(
    ids: Sequence[str], workers: int, work: Callable[[str], Awaitable[object]]
) -> None:
    waiting = iter(ids)

    async def worker() -> None:
        for match_id in waiting:
            await work(match_id)

    await asyncio.gather(*[worker() for _ in range(workers)])
