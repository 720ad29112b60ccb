"""Follows the log by headers alone and offers each turn of a bot that opens, or was open before."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Final, cast

from spielwerk.errors import SpielwerkError
from spielwerk.log.census import Census
from spielwerk.log.port import Batch, Kind, Stored, Tail
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics
from spielwerk_bots.player import Player
from spielwerk_bots.turns import BotTurn

_KINDS: Final = tuple(Kind)

_log = get_logger(__name__)

TakeCensus = Callable[[], Awaitable[Census]]


class Follower:
    """Keeps the player's open turns up to date: starts with the unfinished matches, then follows.

    Nothing is played before the end of the log is reached: turns on the way may be long over.
    `holds` tells which matches are in its stream, where others share the player.
    """

    def __init__(
        self,
        tail: Tail,
        census: TakeCensus,
        player: Player,
        metrics: Metrics,
        *,
        holds: Callable[[str], bool] = lambda _match_id: True,
    ) -> None:
        self._tail = tail
        self._census = census
        self._player = player
        self._metrics = metrics
        self._holds = holds
        self._caught_up = False

    def ready(self) -> bool:
        """Whether the open turns are known."""
        return self._caught_up

    async def run(self) -> None:
        """Follow for ever, over losses of the broker."""
        while True:
            try:
                await self._follow()
            except SpielwerkError as error:
                _log.warning("log not followed", reason=error.reason, why=error.message)
            self._caught_up = False
            await asyncio.sleep(random.uniform(0.5, 1.5))

    async def _follow(self) -> None:
        census = await self._census()
        self._player.turns.forget(self._holds)
        self._fold(census.messages)
        following = self._tail.follow(_KINDS, after=census.position, headers_only=True)
        async with aclosing(cast(AsyncGenerator[Batch, None], following)) as batches:
            async for batch in batches:
                opened = self._fold(batch.messages)
                if self._caught_up:
                    self._offer(opened)
                elif batch.caught_up:
                    self._caught_up = True
                    _log.info("open turns known", open=len(self._player.turns))
                    own = (turn for turn in self._player.turns if self._holds(turn.match_id))
                    self._offer(tuple(own))

    def _fold(self, messages: Sequence[Stored]) -> Sequence[BotTurn]:
        """The turns that these messages opened; some may be over again."""
        turns = self._player.turns
        opened = [turn for message in messages for turn in turns.fold(message)]
        self._metrics.foreign_messages.inc(turns.take_foreign())
        self._metrics.bots_waiting.set(len(turns))
        return opened

    def _offer(self, opened: Sequence[BotTurn]) -> None:
        for turn in opened:
            if turn in self._player.turns:
                self._player.offer(turn)
