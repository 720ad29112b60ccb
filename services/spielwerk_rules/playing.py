"""One Play stream: commands of many matches in, outcomes and updates out, joined into few
messages."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, Final

from spielwerk.api.v1 import match_pb2
from spielwerk.errors import InvalidArgument, Refused, ResourceExhausted
from spielwerk.log.subjects import check_match_id
from spielwerk.rpc.auth import Caller
from spielwerk.rpc.costs import cost_of
from spielwerk.rpc.errors import refusal_of
from spielwerk_rules.answers import fill_accepted
from spielwerk_rules.commands import Accepted
from spielwerk_rules.watching import Watching

Submit = Callable[[match_pb2.SubmitRequest, Caller], Coroutine[Any, Any, Accepted]]
HoldBack = Callable[[Caller, int], Awaitable[None]]
"""Returns when the caller may send so much more: until then nothing more is read."""

_BATCH: Final = 256
"""Outcomes and updates in one response at the most: responses stay far below the usual 4 MB."""
_COMMAND: Final = 1
_WATCH: Final = cost_of("/spielwerk.api.v1.MatchService/Watch")
_LONGEST_ID: Final = 256
"""Ids are told back; longer ones, which no match and no command can have, are not kept."""


class PlayStream:
    """Runs one stream. Commands of one match are taken in the order in which they came.

    A command has its place until its outcome is handed over, and so has each message of a watch,
    refusals too: a client that does not read is not listened to for long. Nor is one that sends
    more than `hold_back` lets pass, whatever it sends.
    """

    def __init__(
        self,
        caller: Caller,
        submit: Submit,
        watching: Watching,
        hold_back: HoldBack,
        *,
        in_flight: int,
        watches: int,
    ) -> None:
        self._caller = caller
        self._submit = submit
        self._watching = watching
        self._hold_back = hold_back
        self._in_flight = in_flight
        self._under_way = 0
        self._place_free = asyncio.Event()
        self._room = asyncio.Semaphore(4 * _BATCH)  # taken by `_push` alone, given by `_take`
        self._max_watches = watches
        self._full: deque[match_pb2.PlayResponse] = deque()
        self._filling = match_pb2.PlayResponse()
        self._ready = asyncio.Event()
        self._tasks: set[asyncio.Task[None] | None] = set()
        self._watches: dict[str, asyncio.Task[None]] = {}
        self._reading = True

    async def run(
        self, requests: AsyncIterator[match_pb2.PlayRequest]
    ) -> AsyncGenerator[match_pb2.PlayResponse, None]:
        """Responses until the client has closed its side and all its commands are answered."""
        reader = asyncio.create_task(self._read(requests))
        try:
            while True:
                await self._ready.wait()
                self._ready.clear()
                while response := self._take():
                    yield response
                if not self._reading and not self._tasks:
                    await reader  # raises what ended the reading
                    return
        finally:
            tasks = [reader, *filter(None, self._tasks), *self._watches.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _take(self) -> match_pb2.PlayResponse | None:
        """What is ready, joined; None if there is nothing."""
        if self._full:
            response = self._full.popleft()
        elif self._filling.outcomes or self._filling.updates:
            response, self._filling = self._filling, match_pb2.PlayResponse()
        else:
            return None
        self._under_way -= len(response.outcomes)
        self._place_free.set()
        for _ in response.updates:
            self._room.release()
        return response

    def _response(self) -> match_pb2.PlayResponse:
        """The one to be filled: outcomes are written in place, since a copy costs as much again."""
        filling = self._filling
        if len(filling.outcomes) >= _BATCH or len(filling.updates) >= _BATCH:
            self._full.append(filling)
            filling = self._filling = match_pb2.PlayResponse()
        return filling

    async def _read(self, requests: AsyncIterator[match_pb2.PlayRequest]) -> None:
        try:
            async for request in requests:
                if not (request.watches or request.commands):
                    await self._hold_back(self._caller, _COMMAND)
                for watch in request.watches:
                    await self._hold_back(self._caller, _WATCH)
                    await self._start_watch(watch)
                for command in request.commands:
                    await self._hold_back(self._caller, _COMMAND)
                    await self._start_command(command)
        finally:
            self._reading = False
            self._ready.set()

    async def _start_command(self, command: match_pb2.SubmitRequest) -> None:
        _check_length(command.match_id, "match_id")
        _check_length(command.command_id, "command_id")
        while self._under_way >= self._in_flight:
            self._place_free.clear()
            await self._place_free.wait()
        self._under_way += 1
        self._tasks.add(asyncio.create_task(self._answer(command)))

    async def _answer(self, command: match_pb2.SubmitRequest) -> None:
        outcome = None
        try:
            accepted = await self._submit(command, self._caller)
            outcome = self._outcome(command)
            fill_accepted(accepted, outcome.accepted)
        except Exception as error:  # one command's failure is its own answer, a bug's too
            outcome = outcome or self._outcome(command)
            outcome.refused.CopyFrom(refusal_of(error))
        finally:
            self._tasks.discard(asyncio.current_task())
            self._ready.set()

    def _outcome(self, command: match_pb2.SubmitRequest) -> match_pb2.CommandOutcome:
        outcome = self._response().outcomes.add()
        outcome.match_id, outcome.command_id = command.match_id, command.command_id
        return outcome

    async def _start_watch(self, request: match_pb2.WatchRequest) -> None:
        match_id = request.match_id
        _check_length(match_id, "match_id")
        if match_id in self._watches:
            return
        try:
            check_match_id(match_id)
            if len(self._watches) >= self._max_watches:
                raise ResourceExhausted("too_many_watches", limit=str(self._max_watches))
        except Refused as error:
            await self._push(_ended(match_id, error))
            return
        after = request.after_version if request.HasField("after_version") else None
        self._watches[match_id] = asyncio.create_task(self._watch(match_id, after))

    async def _watch(self, match_id: str, after: int | None) -> None:
        responses = self._watching.watch(match_id, self._caller, after)
        error: Exception | None = None
        try:
            async with aclosing(responses):
                async for response in responses:
                    await self._push(response)
        except Exception as failure:
            error = failure
        await self._push(_ended(match_id, error))
        self._watches.pop(match_id, None)

    async def _push(self, response: match_pb2.WatchResponse) -> None:
        await self._room.acquire()
        self._response().updates.append(response)
        self._ready.set()


def _check_length(text: str, field: str) -> None:
    if len(text) > _LONGEST_ID:
        raise InvalidArgument("bad_request", "too long to be told back", field=field)


def _ended(match_id: str, error: Exception | None) -> match_pb2.WatchResponse:
    response = match_pb2.WatchResponse()
    response.ended.match_id = match_id
    if error is not None:
        response.ended.error.CopyFrom(refusal_of(error))
    return response
