"""Matches that one stream follows, and what was read of them."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from spielwerk.api.v1 import match_pb2
from spielwerk.client.fairness import CommitmentBroken
from spielwerk.client.in_flight import OPEN_CODES
from spielwerk.client.match import MatchClient
from spielwerk.client.progress import Progress, Verdict
from spielwerk.client.retrying import Backoff, Patience
from spielwerk.client.values import Watched
from spielwerk.errors import SpielwerkError
from spielwerk.rpc.errors import error_of

QUEUED: Final = 4096
"""Updates that wait for a reader; what comes then is read again later."""


@dataclass(eq=False, slots=True)
class _Followed:
    match: MatchClient
    progress: Progress
    backoff: Backoff


class FollowedMatches:
    """Keeps for each match how far it was read; what does not fit into the queue is read again.

    `ready` is set whenever there is something to ask for; `reopen` makes the stream start anew.
    """

    def __init__(
        self,
        patience: Patience,
        ready: asyncio.Event,
        reopen: Callable[[], None],
        capacity: int,
    ) -> None:
        self._patience = patience
        self._ready = ready
        self._reopen = reopen
        self._capacity = capacity
        self._matches: dict[str, _Followed] = {}
        self._to_ask: deque[_Followed] = deque()
        self._items: asyncio.Queue[Watched | SpielwerkError | None] = asyncio.Queue()
        self._behind = False

    def add(self, match: MatchClient, after_version: int | None) -> None:
        """Follow a match from a version on; one that is followed already stays as it is."""
        followed = _Followed(match, Progress(after_version), Backoff(self._patience))
        if self._matches.setdefault(match.match_id, followed) is followed:
            self._ask(followed)

    def again(self) -> None:
        """On a new connection: ask for all matches from where they are."""
        self._to_ask = deque(self._matches.values())
        self._ready.set()

    def fill(self, request: match_pb2.PlayRequest, count: int) -> None:
        """Move watches into the request, up to a number."""
        while self._to_ask and len(request.watches) < count:
            followed = self._to_ask.popleft()
            request.watches.append(followed.progress.request(followed.match.match_id))

    def take(self, message: match_pb2.WatchResponse) -> None:
        """Queue what comes next; drop what is known, and what cannot be queued now."""
        kind = message.WhichOneof("message")
        followed = self._matches.get(getattr(message, kind).match_id) if kind else None
        if followed is None:
            return
        if kind == "ended":
            self._ended(followed, message.ended)
            return
        verdict = followed.progress.judge(message)
        if verdict is Verdict.GAP or self._items.qsize() >= self._capacity:
            self._behind = True
            self._catch_up()
        elif verdict is Verdict.NEXT:
            self._queue(followed, message)

    async def next(self) -> Watched:
        """The next item; raises what ended a watch, and StopAsyncIteration after `end`."""
        item = await self._items.get()
        self._catch_up()
        if item is None:
            self._items.put_nowait(None)
            raise StopAsyncIteration
        if isinstance(item, SpielwerkError):
            raise item
        return item

    def end(self, error: SpielwerkError | None) -> None:
        """Nothing more will come."""
        if error is not None:
            self._items.put_nowait(error)
        self._items.put_nowait(None)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to ask for."""
        return not self._to_ask

    def _queue(self, followed: _Followed, message: match_pb2.WatchResponse) -> None:
        try:
            self._items.put_nowait(followed.match.read(message))
        except CommitmentBroken as broken:  # the other matches of the stream go on
            del self._matches[followed.match.match_id]
            self._items.put_nowait(broken)
            return
        followed.progress.take(message)
        followed.backoff.reset()

    def _catch_up(self) -> None:
        """Once the reader has taken everything, what was dropped is read again."""
        if self._behind and self._items.empty():
            self._behind = False
            self._reopen()

    def _ended(self, followed: _Followed, ended: match_pb2.WatchEnded) -> None:
        match_id = followed.match.match_id
        if not ended.HasField("error"):
            if not self._behind:
                del self._matches[match_id]
            return
        error = error_of(ended.error)
        resumable = ended.error.code in OPEN_CODES or error.reason == "slow_reader"
        pause = followed.backoff.next_pause_s(error) if resumable else math.inf
        if math.isinf(pause):
            del self._matches[match_id]
            self._items.put_nowait(error)
        else:
            asyncio.get_running_loop().call_later(pause, self._ask, followed)

    def _ask(self, followed: _Followed) -> None:
        if self._matches.get(followed.match.match_id) is followed:
            self._to_ask.append(followed)
            self._ready.set()
