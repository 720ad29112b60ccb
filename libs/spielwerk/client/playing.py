"""The fast path: commands of many matches in batches on one stream, and updates."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Final

import grpc

from spielwerk.api.v1 import match_pb2
from spielwerk.client.connection import AnyCall, Connection, NoToken
from spielwerk.client.followed import QUEUED, FollowedMatches
from spielwerk.client.in_flight import InFlight
from spielwerk.client.match import MatchClient
from spielwerk.client.retrying import Backoff
from spielwerk.client.values import Update, Watched
from spielwerk.errors import SpielwerkError, Unavailable
from spielwerk.rpc.errors import error_of

_BATCH: Final = 128
_BATCH_BYTES: Final = 32_768
"""Half of what a server takes in one message."""


class PlayStream(AsyncIterator[Watched]):
    """Use it as a context manager; iterate over it for the updates of the matches it follows.

    The stream comes back by itself: commands without an answer are sent again under their ids,
    matches are followed from their last version. A slow reader loses nothing: what it could not
    take is read again later. On exit open answers fail with Unavailable (`client_closed`).
    """

    def __init__(self, connection: Connection, capacity: int = QUEUED) -> None:
        self._connection = connection
        self._ready = asyncio.Event()
        self._commands = InFlight(connection.calls, self._ready)
        self._followed = FollowedMatches(connection.streams, self._ready, self._reopen, capacity)
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
        """Send a command; the future is the version it became, or fails with a SpielwerkError.

        Commands of one match are taken in the order in which they were sent. Waits while very many
        commands are without an answer, or while the oldest one of its match without one could not
        be repeated after this one (see `window`).
        """
        request = await match.request(command, turn_key, command_id)
        answer = await self._commands.add(match, request)
        if self._runner is None or self._runner.done():
            self._commands.fail(Unavailable("client_closed"))
        return answer

    async def watch(self, match: MatchClient, after_version: int | None = None) -> None:
        """Follow a match on this stream; see `MatchClient.watch`."""
        if after_version is not None:
            await match.game()
        self._followed.add(match, after_version)

    async def __anext__(self) -> Watched:
        return await self._followed.next()

    async def __aenter__(self) -> PlayStream:
        self._runner = asyncio.create_task(self._keep_open(), name="play stream")
        self._runner.add_done_callback(self._ended)
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
        if not self._runner.cancelled() and not isinstance(
            self._runner.exception(), SpielwerkError
        ):
            self._runner.result()

    def _ended(self, runner: asyncio.Task[None]) -> None:
        """However it ended, even before it began: nobody waits for an answer any more."""
        error = None if runner.cancelled() else runner.exception()
        known = error if isinstance(error, SpielwerkError) else None
        self._commands.fail(known or Unavailable("client_closed"))
        self._followed.end(known)

    async def _keep_open(self) -> None:
        backoff = Backoff(self._connection.streams)
        while True:
            token = self._connection.session.token()
            try:
                await self._session(backoff)
                await backoff.pause(Unavailable("stream_ended"))
            except grpc.aio.AioRpcError as failed:
                self._commands.fail(error_of(failed), overdue_only=True)
                await self._connection.recover(failed, token, backoff)
            except NoToken as no_token:
                self._commands.fail(no_token, overdue_only=True)
                await backoff.pause(no_token)

    async def _session(self, backoff: Backoff) -> None:
        """One call: ask for everything open, then read until it breaks or is to be renewed."""
        self._commands.again()
        self._followed.again()
        async with self._connection.stream(self._connection.matches.Play) as call:
            self._call = call
            writer = asyncio.create_task(self._write(call), name="play stream writer")
            try:
                async for response in call:
                    backoff.reset()
                    self._take(response)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                renewed = self._call is None and task is not None and not task.cancelling()
                if not renewed:
                    raise
            finally:
                self._call = None
                writer.cancel()
                await asyncio.wait({writer})

    def _reopen(self) -> None:
        """End the call; another one follows."""
        call, self._call = self._call, None
        if call is not None:
            call.cancel()

    async def _write(self, call: AnyCall) -> None:
        """Send what is ready; a broken call is the reader's business."""
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while True:
                await self._ready.wait()
                self._ready.clear()
                while not (self._commands.empty and self._followed.empty):
                    request = match_pb2.PlayRequest()
                    self._followed.fill(request, _BATCH)
                    self._commands.fill(request, _BATCH, _BATCH_BYTES)
                    await call.write(request)

    def _take(self, response: match_pb2.PlayResponse) -> None:
        for outcome in response.outcomes:
            self._commands.settle(outcome)
        for update in response.updates:
            self._followed.take(update)
