"""Ends of matches from the log, decoded and counted; what is none is reported and skipped."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice
from typing import cast

from spielwerk.log.port import Batch, Kind, Stored, Tail
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk_scoring.results import Damaged, Outcome, read_outcome

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Ends:
    """Outcomes in stream order; `caught_up`: the last ones of the stream at that moment."""

    outcomes: tuple[Outcome, ...]
    caught_up: bool


class Reader:
    """Follows the ends of matches in one stream; `tag` tells it from others of the same log."""

    def __init__(self, log: Tail, metrics: Metrics, tag: str = "") -> None:
        self.log = log
        self.tag = tag
        self._metrics = metrics

    async def follow(self, after: int, chunk: int) -> AsyncGenerator[Ends, None]:
        """Endless, at most `chunk` outcomes at a time; close it with `aclose`."""
        following = self.log.follow([Kind.END], after=after, headers_only=False)
        async with aclosing(cast(AsyncGenerator[Batch, None], following)) as batches:
            async for batch in batches:
                outcomes = self._read(iter(batch.messages))
                while part := tuple(islice(outcomes, chunk)):
                    yield Ends(part, caught_up=False)
                if batch.caught_up:
                    yield Ends((), caught_up=True)

    def _read(self, messages: Iterator[Stored]) -> Iterator[Outcome]:
        for stored in messages:
            try:
                yield read_outcome(stored)
            except Damaged as damaged:
                self._metrics.foreign_messages.inc()
                _log.warning(
                    "message skipped",
                    subject=stored.subject,
                    sequence=stored.sequence,
                    why=str(damaged),
                )
