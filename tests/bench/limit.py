"""What the broker takes from one process: conditional appends and nothing else."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from itertools import cycle, islice

from bench.house import House
from bench.load import Run
from spielwerk.log.port import Kind, Stored
from spielwerk.log.subjects import new_match_id


async def raw_limit(house: House, records: Sequence[Stored], matches: int, seconds: float) -> Run:
    """Append copies of real records, with their headers, to so many matches at once."""
    run = Run()
    begin = time.perf_counter()
    until = begin + seconds

    async def append(start: int) -> None:
        match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
        expected = 0
        for record in islice(cycle(records), start, None):
            sent = time.perf_counter()
            if sent >= until:
                return
            expected = await house.log.append(
                match_id, Kind.MOVE, record.data, record.headers, expected=expected
            )
            run.latencies.append(time.perf_counter() - sent)

    await asyncio.gather(*[append(n) for n in range(matches)])
    run.seconds = time.perf_counter() - begin
    return run
