"""Commands that were sent on a stream and have no answer yet."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from spielwerk.api.v1 import match_pb2
from spielwerk.client.fairness import CommitmentBroken
from spielwerk.client.match import MatchClient
from spielwerk.client.retrying import OPEN_OUTCOME, Backoff, Patience, asked_to_wait
from spielwerk.client.values import Update
from spielwerk.client.window import Window
from spielwerk.errors import SpielwerkError, retold
from spielwerk.rpc.errors import error_of

OPEN_CODES: Final = frozenset(code.value[0] for code in OPEN_OUTCOME)
_UNANSWERED: Final = 1024


@dataclass(eq=False, slots=True)
class _Command:
    match: MatchClient
    request: match_pb2.SubmitRequest
    answer: asyncio.Future[Update]
    window: Window
    """Lives as long as a command of its match is open."""
    backoff: Backoff


class InFlight:
    """Sends each command until it is answered, given up by its caller, or too old.

    `ready` is set whenever there is something to send.
    """

    def __init__(self, patience: Patience, ready: asyncio.Event) -> None:
        self._patience = patience
        self._ready = ready
        self._room = asyncio.Semaphore(_UNANSWERED)
        self._windows: WeakValueDictionary[str, Window] = WeakValueDictionary()
        self._commands: dict[tuple[str, str], _Command] = {}
        self._outbox: deque[_Command] = deque()

    async def add(
        self, match: MatchClient, request: match_pb2.SubmitRequest
    ) -> asyncio.Future[Update]:
        """Queue a command; waits while very many are without an answer, or an old one of its
        match that could not be repeated after this one."""
        key = request.match_id, request.command_id
        if key in self._commands:
            return self._commands[key].answer
        window = self._windows.setdefault(request.match_id, Window())
        async with window.turn:
            await window.room()
            if key in self._commands:  # it came while this one waited
                return self._commands[key].answer
            await self._room.acquire()
            answer: asyncio.Future[Update] = asyncio.get_running_loop().create_future()
            window.add(answer)
        command = _Command(match, request, answer, window, Backoff(self._patience))
        self._commands[key] = command
        answer.add_done_callback(lambda _: self._forget(key))
        self._queue(command)
        return answer

    def again(self) -> None:
        """On a new connection: send everything that has no answer."""
        self._outbox = deque(self._commands.values())
        self._ready.set()

    def fill(self, request: match_pb2.PlayRequest, count: int, size: int) -> None:
        """Move commands into the request, up to a number and a size in bytes."""
        while self._outbox and len(request.commands) < count and size > 0:
            command = self._outbox.popleft()
            if not command.answer.done():
                request.commands.append(command.request)
                size -= command.request.ByteSize()

    def settle(self, outcome: match_pb2.CommandOutcome) -> None:
        """Answer a command, or send it again later if its outcome is open."""
        command = self._commands.get((outcome.match_id, outcome.command_id))
        if command is None or command.answer.done():
            return
        if outcome.HasField("accepted"):
            try:
                command.answer.set_result(command.match.read_update(outcome.accepted.update))
            except CommitmentBroken as broken:
                command.answer.set_exception(broken)
            return
        error = error_of(outcome.refused)
        repeatable = outcome.refused.code in OPEN_CODES or asked_to_wait(error)
        if not repeatable or not self._later(command, error):
            command.answer.set_exception(error)

    def fail(self, error: SpielwerkError, *, overdue_only: bool = False) -> None:
        """Answer what is open, or only what has waited too long, with an error."""
        for command in list(self._commands.values()):
            if not command.answer.done() and (command.backoff.over or not overdue_only):
                command.answer.set_exception(retold(error))

    @property
    def empty(self) -> bool:
        """Whether nothing waits to be sent."""
        return not self._outbox

    def _later(self, command: _Command, error: SpielwerkError) -> bool:
        pause = command.backoff.next_pause_s(error)
        if math.isinf(pause):
            return False
        asyncio.get_running_loop().call_later(pause, self._queue, command)
        return True

    def _queue(self, command: _Command) -> None:
        self._outbox.append(command)
        self._ready.set()

    def _forget(self, key: tuple[str, str]) -> None:
        self._commands.pop(key, None)
        self._room.release()
