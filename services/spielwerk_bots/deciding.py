"""One decision of a bot, and the processes that make decisions apart from the event loop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from spielwerk.api.v1 import games_pb2, match_pb2
from spielwerk.background import to_the_end
from spielwerk.chance import HmacChance
from spielwerk.codec import game_codec
from spielwerk.errors import Unavailable
from spielwerk.games import registry
from spielwerk.games.game import AnyGame, BotInformation
from spielwerk.telemetry.logs import get_logger

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """A serialised GameCommand; `problem`: the policy failed, so the first legal one was taken."""

    command: bytes
    problem: str | None = None


def decide(match_id: str, question: bytes) -> Choice:
    """What the bot of a serialised GetBotTurnResponse does; always one of its legal commands."""
    turn = match_pb2.GetBotTurnResponse.FromString(question)
    game = registry.version(turn.game, turn.rules_version)
    legal = [game_codec(game).read_command(command) for command in turn.legal]
    try:
        chosen = _chosen(game, turn, legal, match_id)
        return Choice(turn.legal[legal.index(chosen)].SerializeToString())
    except Exception as error:  # a bug of a policy must not keep the other seats waiting for ever
        problem = f"{type(error).__name__}: {error}"
        return Choice(turn.legal[0].SerializeToString(), problem)


def _chosen(
    game: AnyGame, turn: match_pb2.GetBotTurnResponse, legal: list[Any], match_id: str
) -> Any:
    policy = game.bots[turn.bot.strength]
    if policy.policy != turn.bot.policy:
        raise LookupError(f"no policy {turn.bot.policy}")
    codec = game_codec(game)
    everything = policy.information is BotInformation.EVERYTHING
    seen = codec.read_state(turn.state) if everything else codec.read_view(turn.view)
    return policy.choose(seen, legal, HmacChance(turn.decision_seed, match_id))


class Deciders:
    """A pool of processes that survives the death of its processes."""

    def __init__(self, processes: int, *, nice: int, limit_s: float) -> None:
        self._processes = processes
        self._nice = nice
        self.limit_s = limit_s
        self._places = asyncio.Semaphore(2 * processes)
        self._pool = self._started()

    async def choose(
        self, match_id: str, turn: match_pb2.GetBotTurnResponse
    ) -> games_pb2.GameCommand:
        """The bot's command.

        Unavailable if a process died or took too long (`decider_lost`), or does not know the
        match's rules (`rules_version_unknown`): try again.
        """
        registry.version(turn.game, turn.rules_version)
        async with self._places:
            choice = await self._ask(match_id, turn.SerializeToString())
        if choice.problem is not None:
            _log.error("policy_failed", match_id=match_id, bot=turn.bot.policy, why=choice.problem)
        return games_pb2.GameCommand.FromString(choice.command)

    async def close(self) -> None:
        """End the processes at once; a decision has no effect until it is submitted."""
        pool = self._pool
        _kill(pool)
        await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)

    async def _ask(self, match_id: str, question: bytes) -> Choice:
        pool = self._pool
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.limit_s):
                # A future cancelled in the pool's queue would end the pool's own thread with
                # InvalidStateError once the processes die (Python 3.11), and the others would
                # wait for theirs to the limit.
                return await to_the_end(loop.run_in_executor(pool, decide, match_id, question))
        except (BrokenProcessPool, TimeoutError) as error:
            _log.error("decider_lost", match_id=match_id, exc_info=error)
            self._replace(pool)
            raise Unavailable("decider_lost") from error

    def _replace(self, lost: ProcessPoolExecutor) -> None:
        if self._pool is not lost:
            return
        self._pool = self._started()
        _kill(lost)
        lost.shutdown(wait=False)

    def _started(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(
            self._processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare,
            initargs=(self._nice,),
        )
        for _ in range(self._processes):
            pool.submit(os.getpid)  # the first decision need not wait for imports
        return pool


@asynccontextmanager
async def deciders(processes: int, *, nice: int, limit_s: float) -> AsyncIterator[Deciders]:
    """Processes that live as long as the block."""
    pool = Deciders(processes, nice=nice, limit_s=limit_s)
    try:
        yield pool
    finally:
        await pool.close()


def _kill(pool: ProcessPoolExecutor) -> None:
    """A pool can wait for its processes but not end one that hangs; its table is the only way."""
    for process in list((pool._processes or {}).values()):
        process.kill()


def _prepare(nice: int) -> None:
    """In each new process: Ctrl-C is the parent's business, and nobody outlives the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(nice)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
