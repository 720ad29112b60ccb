"""Plays open turns of bots: asks rules for the view, a process for the choice, and submits it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any, Final

import grpc

from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.client.retrying import Backoff, Patience, is_open
from spielwerk.errors import Refused, SpielwerkError, Unclear
from spielwerk.rpc.errors import error_of
from spielwerk.telemetry.logs import bound, get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import continued
from spielwerk_bots.deciding import Deciders
from spielwerk_bots.settings import BotsSettings
from spielwerk_bots.turns import BotTurn, OpenTurns

_CALLS: Final = Patience(attempt_s=5.0, total_s=10.0)
_TURNS: Final = Patience(total_s=float("inf"), first_pause_s=0.5, longest_pause_s=30.0)
# Nothing is left to do: the turn was played or timed out, the match is over, or a foreign message
# named a turn that never was.
_STALE: Final = frozenset(
    {"stale_turn", "match_over", "command_id_reused", "no_such_match", "not_a_bot"}
)

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Due:
    """A turn to be played now; `paused`: the pause that its house rules want is over."""

    turn: BotTurn
    backoff: Backoff
    paused: bool = False


class Player:
    """Plays each turn that it is offered, as often as it takes while the turn stays open.

    Any number of instances may play the same turn: the choice is the same, and so is the id of the
    command, and the turn's key makes a late one harmless.
    """

    def __init__(
        self, api: MatchServiceStub, deciders: Deciders, settings: BotsSettings, metrics: Metrics
    ) -> None:
        self.turns = OpenTurns()
        self._api = api
        self._deciders = deciders
        self._settings = settings
        self._metrics = metrics
        self._queue: asyncio.Queue[_Due] = asyncio.Queue()

    def offer(self, turn: BotTurn) -> None:
        """Play a turn that has just opened."""
        self._later(_Due(turn, Backoff(_TURNS)), self._settings.min_think_ms / 1000)

    async def run(self) -> None:
        """Play for ever; several may run at once."""
        while True:
            due = await self._queue.get()
            if due.turn in self.turns:
                turn = due.turn
                with continued(turn.trace), bound(match_id=turn.match_id, seat=turn.seat):
                    await self._attempt(due)

    async def _attempt(self, due: _Due) -> None:
        turn, outcome = due.turn, "played"
        try:
            question = await self._ask(turn)
            if question.pause_ms and not due.paused:
                self._later(replace(due, paused=True), question.pause_ms / 1000)
                return
            await self._play(turn, question)
        except SpielwerkError as error:
            outcome = "stale" if _is_stale(error) else "failed"
            if outcome == "failed":
                tell = _log.warning if isinstance(error, Unclear) else _log.error
                tell("bot_turn_failed", reason=error.reason, turn_key=turn.key)
                self._later(due, due.backoff.next_pause_s(error))
        except Exception as error:
            outcome = "failed"
            _log.error("bot_turn_failed", turn_key=turn.key, exc_info=error)
            self._later(due, _TURNS.longest_pause_s)
        self._metrics.bot_turns.labels(turn.game, outcome).inc()

    async def _ask(self, turn: BotTurn) -> match_pb2.GetBotTurnResponse:
        asked = match_pb2.GetBotTurnRequest(
            match_id=turn.match_id, seat=turn.seat, turn_key=turn.key
        )
        question: match_pb2.GetBotTurnResponse = await _called(self._api.GetBotTurn, asked)
        return question

    async def _play(self, turn: BotTurn, question: match_pb2.GetBotTurnResponse) -> None:
        began = time.perf_counter()
        command = await self._deciders.choose(turn.match_id, question)
        self._metrics.bot_seconds.labels(turn.game).observe(time.perf_counter() - began)
        if turn not in self.turns:
            return
        request = match_pb2.SubmitForBotRequest(
            match_id=turn.match_id,
            seat=turn.seat,
            command_id=turn.command_id,
            command=command,
            turn_key=turn.key,
        )
        await _called(self._api.SubmitForBot, request)

    def _later(self, due: _Due, pause_s: float) -> None:
        if pause_s:
            asyncio.get_running_loop().call_later(pause_s, self._queue.put_nowait, due)
        else:
            self._queue.put_nowait(due)


def _is_stale(error: SpielwerkError) -> bool:
    return isinstance(error, Refused) and error.reason in _STALE


async def _called(method: Any, request: Any) -> Any:
    """The answer; repeated for a while if the outcome is open. Raises a SpielwerkError."""
    backoff = Backoff(_CALLS)
    while True:
        call = method(request, timeout=backoff.attempt_s)
        try:
            return await call
        except grpc.aio.AioRpcError as failed:
            error = error_of(failed)
            if not is_open(failed):
                raise error from failed
            await backoff.pause(error)
        finally:
            call.cancel()
