"""What the platform asks of an event log; implemented by JetStream and, for tests, in memory.

MatchLog   append and read one match: rules is its only writer
LiveFeed   what is being appended to one match, as it happens; may lose messages (compare with
`last`) Tail       everything of some kinds, in stream order, from a position on: timer, bots,
scoring, matchmaking
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from spielwerk.errors import Unavailable


class Kind(StrEnum):
    """Last token of a subject: what a record means for its match."""

    OPEN = "open"
    MOVE = "move"
    END = "end"


@dataclass(frozen=True, slots=True)
class Stored:
    """One message of the log; `data` is empty where only headers were asked for."""

    sequence: int
    subject: str
    headers: Mapping[str, str]
    data: bytes


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages of a tail in stream order.

    `position` is the stream sequence up to which nothing of the asked kinds is missing (to be kept
    as a checkpoint); `caught_up` tells that this was the end of the stream when the batch was read.
    `waiting` messages were known to follow then.
    """

    messages: Sequence[Stored]
    position: int
    caught_up: bool
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class StreamIdentity:
    """Which stream this is: a checkpoint of another one, or from beyond its end, must not be
    used."""

    name: str
    created: str
    first_sequence: int
    last_sequence: int


class Conflict(Exception):
    """Somebody else appended to the match first; read on and decide again."""


class OutcomeUnknown(Unavailable):
    """The append may or may not have happened: the match's last record tells."""

    def __init__(self) -> None:
        super().__init__("outcome_unknown", "the log did not answer in time")


class MatchLog(Protocol):
    """Append and read one match."""

    async def append(
        self, match_id: str, kind: Kind, data: bytes, headers: Mapping[str, str], *, expected: int
    ) -> int:
        """Store one record if the match's last stream sequence is `expected` (0: none); returns its
        sequence.

        Raises Conflict, OutcomeUnknown, ResourceExhausted (log_full), Unavailable (log_unavailable:
        not stored).
        """
        ...

    async def read(self, match_id: str, *, after: int = 0) -> Sequence[Stored]:
        """All messages of the match with a stream sequence above `after`, in order, foreign ones
        included."""
        ...

    async def last(self, match_id: str) -> Stored | None:
        """The match's last message, from the leader: at least as new as every acknowledged
        append."""
        ...


class LiveFeed(Protocol):
    """Republished records of one match."""

    def live(self, match_id: str) -> AbstractAsyncContextManager[AsyncIterator[Stored]]:
        """Subscribed on entry; iterate to receive. The iterator ends or raises Unavailable when
        messages were lost."""
        ...


class Tail(Protocol):
    """Everything of some kinds from a position on."""

    async def identity(self) -> StreamIdentity:
        """The stream as it is now; raises Unavailable (log_missing) if there is none."""
        ...

    def follow(
        self, kinds: Sequence[Kind], *, after: int, headers_only: bool
    ) -> AsyncIterator[Batch]:
        """Endless: batches in stream order without gap or repeat, over broker restarts and
        reconnects.

        The first batch comes at once, empty if nothing is there. Close it with `aclose`.
        """
        ...
