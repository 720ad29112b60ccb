"""Follows the log by headers alone and offers each turn of a bot that opens, or was open before."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing
from typing import Any, Final

from spielwerk.errors import SpielwerkError
from spielwerk.log.port import Batch, Kind, StreamIdentity, Tail
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk_bots.checkpoint import Checkpoint, Checkpoints
from spielwerk_bots.player import Player
from spielwerk_bots.turns import OpenTurns

_KINDS: Final = tuple(Kind)

_log = get_logger(__name__)


class Follower:
    """Keeps the player's open turns up to date.

    Starts at the checkpoint if there is one that fits, else at the beginning of the log. Nothing
    is played before the end of the log is reached: almost all turns on the way are long over.
    """

    def __init__(
        self, tail: Tail, player: Player, checkpoints: Checkpoints, metrics: Metrics
    ) -> None:
        self.ready = False
        """Whether the open turns are known."""
        self._tail = tail
        self._player = player
        self._checkpoints = checkpoints
        self._metrics = metrics
        self._stream: StreamIdentity | None = None
        self._position = 0

    async def run(self) -> None:
        """Follow for ever, over losses of the broker."""
        while True:
            try:
                await self._follow()
            except SpielwerkError as error:
                _log.warning("log_not_followed", reason=error.reason)
            self.ready = False
            await asyncio.sleep(random.uniform(0.5, 1.5))

    async def keep(self, every_s: float) -> None:
        """Save checkpoints for ever; a quiet log needs none."""
        kept = 0
        while True:
            await asyncio.sleep(every_s)
            stream, position = self._stream, self._position
            if self.ready and stream is not None and position != kept:
                turns = tuple(self._player.turns)
                checkpoint = Checkpoint(stream.name, stream.created, position, turns)
                await self._checkpoints.save(checkpoint)
                kept = position

    async def _follow(self) -> None:
        self._stream = await self._tail.identity()
        start = await self._checkpoints.load(self._stream)
        self._player.turns = OpenTurns(start.turns)
        self._position = start.position
        tail: Any = self._tail.follow(_KINDS, after=start.position, headers_only=True)
        async with aclosing(tail) as batches:
            async for batch in batches:
                self._fold(batch)

    def _fold(self, batch: Batch) -> None:
        turns = self._player.turns
        opened = [turn for message in batch.messages for turn in turns.fold(message)]
        self._metrics.foreign_messages.inc(turns.take_foreign())
        self._metrics.bots_waiting.set(len(turns))
        self._position = batch.position
        if self.ready:
            for turn in opened:
                if turn in turns:
                    self._player.offer(turn)
        elif batch.caught_up:
            self.ready = True
            _log.info("bots_follow", position=batch.position, open_turns=len(turns))
            for turn in tuple(turns):
                self._player.offer(turn)
