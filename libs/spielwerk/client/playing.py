"""The fast path: commands of many matches in batches on one stream, a future for each, and updates."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

import grpc

from spielwerk.api.v1 import match_pb2
from spielwerk.client.connection import AnyCall, Connection
from spielwerk.client.match import MatchClient
from spielwerk.client.progress import Progress, Verdict
from spielwerk.client.reading import read_update
from spielwerk.client.retrying import OPEN_OUTCOME, Backoff
from spielwerk.client.values import Update, Watched
from spielwerk.errors import SpielwerkError, Unavailable
from spielwerk.rpc.errors import error_of

_BATCH: Final = 128
_BATCH_BYTES: Final = 32_768
"""Half of what a server takes in one message."""
_UNANSWERED: Final = 1024
_QUEUED: Final = 4096
_OPEN_CODES: Final = frozenset(code.value[0] for code in OPEN_OUTCOME)


@dataclass(eq=False, slots=True)
class _Pending:
    """A command without an answer."""

    match: MatchClient
    request: match_pb2.SubmitRequest
    answer: asyncio.Future[Update]
    backoff: Backoff


@dataclass(eq=False, slots=True)
class _Followed:
    match: MatchClient
    progress: Progress
    backoff: Backoff


class PlayStream(AsyncIterator[Watched]):
    """Use it as a context manager; iterate over it for the updates of the matches it follows.

    The stream comes back by itself: commands without an answer are sent again under their ids,
    matches are followed from the last version. A reader that is too slow loses nothing, but what
    it has not taken is read again later. On exit open answers fail with Unavailable.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pending: dict[tuple[str, str], _Pending] = {}
        self._room = asyncio.Semaphore(_UNANSWERED)
        self._followed: dict[str, _Followed] = {}
        self._outbox: deque[_Pending] = deque()
        self._to_watch: deque[_Followed] = deque()
        self._ready = asyncio.Event()
        self._items: asyncio.Queue[Watched | SpielwerkError | None] = asyncio.Queue()
        self._behind = False
        self._call: AnyCall = None
        self._runner: asyncio.Task[None] | None = None

    async def submit(
        self,
        match: MatchClient,
        command: Any,
        turn_key: str | None = None,
        *,
        command_id: str | None = None,
    ) -> asyncio.Future[Update]:
        """Send a command; the future is the version it became, or an exception of `spielwerk.errors`.

        Commands of one match are taken in the order in which they were sent. Waits only while very
        many commands are without an answer.
        """
        request = await match.request(command, turn_key, command_id)
        await self._room.acquire()
        answer: asyncio.Future[Update] = asyncio.get_running_loop().create_future()
        if self._runner is None or self._runner.done():
            self._room.release()
            raise Unavailable("client_closed")
        pending = _Pending(match, request, answer, Backoff(self._connection.calls))
        answer.add_done_callback(lambda _: self._room.release())
        self._pending[request.match_id, request.command_id] = pending
        self._queue(pending)
        return answer

    def watch(self, match: MatchClient, after_version: int | None = None) -> None:
        """Follow a match on this stream; see `MatchClient.watch`."""
        followed = _Followed(match, Progress(after_version), Backoff(self._connection.streams))
        if self._followed.setdefault(match.match_id, followed) is followed:
            self._to_watch.append(followed)
            self._ready.set()

    async def __anext__(self) -> Watched:
        item = await self._items.get()
        if self._behind and self._items.empty():
            self._behind = False
            self._reopen()
        if item is None:
            self._items.put_nowait(None)
            raise StopAsyncIteration
        if isinstance(item, SpielwerkError):
            raise item
        return item

    async def __aenter__(self) -> PlayStream:
        self._runner = asyncio.create_task(self._run(), name="play stream")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._runner is not None
        self._runner.cancel()
        await asyncio.wait({self._runner})
        self._fail(Unavailable("client_closed"))
        if not self._runner.cancelled():
            self._runner.exception()

    async def _run(self) -> None:
        backoff = Backoff(self._connection.streams)
        while True:
            token = self._connection.session.token()
            try:
                try:
                    await self._session(backoff)
                    await backoff.pause(Unavailable("stream_ended"))
                except grpc.aio.AioRpcError as failed:
                    self._drop_overdue(error_of(failed))
                    await self._connection.recover(failed, token, backoff)
            except SpielwerkError as error:
                self._fail(error)
                return

    async def _session(self, backoff: Backoff) -> None:
        """One connection: say what is open, then read answers until it breaks or must be renewed."""
        self._outbox = deque(self._pending.values())
        self._to_watch = deque(self._followed.values())
        self._ready.set()
        async with self._connection.stream(self._connection.matches.Play) as call:
            self._call = call
            writer = asyncio.create_task(self._write(call))
            try:
                async for response in call:
                    backoff.reset()
                    await self._take(response)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.cancelling() or self._call is not None:
                    raise
            finally:
                self._call = None
                writer.cancel()
                await asyncio.wait({writer})

    def _reopen(self) -> None:
        """End the call; the runner opens another one."""
        call, self._call = self._call, None
        if call is not None:
            call.cancel()

    async def _write(self, call: AnyCall) -> None:
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while True:
                await self._ready.wait()
                self._ready.clear()
                for request in self._batches():
                    await call.write(request)

    def _batches(self) -> Iterator[match_pb2.PlayRequest]:
        while self._outbox or self._to_watch:
            request = match_pb2.PlayRequest()
            size = 0
            while self._to_watch and len(request.watches) < _BATCH:
                followed = self._to_watch.popleft()
                request.watches.append(followed.progress.request(followed.match.match_id))
            while self._outbox and len(request.commands) < _BATCH and size < _BATCH_BYTES:
                pending = self._outbox.popleft()
                if not pending.answer.done():
                    request.commands.append(pending.request)
                    size += pending.request.ByteSize()
            yield request

    async def _take(self, response: match_pb2.PlayResponse) -> None:
        for outcome in response.outcomes:
            await self._settle(outcome)
        for update in response.updates:
            await self._follow(update)

    async def _settle(self, outcome: match_pb2.CommandOutcome) -> None:
        key = outcome.match_id, outcome.command_id
        pending = self._pending.get(key)
        if pending is None:
            return
        if outcome.HasField("refused"):
            error = error_of(outcome.refused)
            if outcome.refused.code in _OPEN_CODES and self._later(pending, error):
                return
            self._answer(key, error)
        else:
            self._answer(key, read_update(await pending.match.game(), outcome.accepted.update))

    def _later(self, pending: _Pending, error: SpielwerkError) -> bool:
        """Send it again after a pause; False if there is no time left."""
        pause = pending.backoff.next_pause_s(error)
        if math.isinf(pause):
            return False
        asyncio.get_running_loop().call_later(pause, self._queue, pending)
        return True

    def _queue(self, pending: _Pending) -> None:
        self._outbox.append(pending)
        self._ready.set()

    def _answer(self, key: tuple[str, str], result: Update | SpielwerkError) -> None:
        answer = self._pending.pop(key).answer
        if answer.done():
            return
        if isinstance(result, SpielwerkError):
            answer.set_exception(result)
        else:
            answer.set_result(result)

    def _drop_overdue(self, error: SpielwerkError) -> None:
        for key, pending in list(self._pending.items()):
            if pending.backoff.over:
                self._answer(key, error)

    async def _follow(self, message: match_pb2.WatchResponse) -> None:
        kind = message.WhichOneof("message")
        followed = self._followed.get(getattr(message, kind).match_id) if kind else None
        if followed is None:
            return
        if kind == "ended":
            self._watch_ended(followed, message.ended)
            return
        verdict = followed.progress.judge(message)
        if verdict is Verdict.GAP or self._items.qsize() >= _QUEUED:
            # Read again once the reader has taken everything.
            self._behind = True
            if self._items.empty():
                self._behind = False
                self._reopen()
        elif verdict is Verdict.NEXT:
            item = await followed.match.read(message)
            followed.progress.take(message)
            followed.backoff.reset()
            self._items.put_nowait(item)

    def _watch_ended(self, followed: _Followed, ended: match_pb2.WatchEnded) -> None:
        match_id = followed.match.match_id
        if not ended.HasField("error"):
            if not self._behind:
                del self._followed[match_id]
            return
        error = error_of(ended.error)
        again = ended.error.code in _OPEN_CODES or error.reason == "slow_reader"
        pause = followed.backoff.next_pause_s(error) if again else math.inf
        if math.isinf(pause):
            del self._followed[match_id]
            self._items.put_nowait(error)
        else:
            asyncio.get_running_loop().call_later(pause, self._watch_again, followed)

    def _watch_again(self, followed: _Followed) -> None:
        if self._followed.get(followed.match.match_id) is followed:
            self._to_watch.append(followed)
            self._ready.set()

    def _fail(self, error: SpielwerkError) -> None:
        for key in list(self._pending):
            self._answer(key, error)
        if error.reason != "client_closed":
            self._items.put_nowait(error)
        self._items.put_nowait(None)
