"""Keeps players who deleted their accounts out of the rankings, as accounts records them.

The record of deletions counts, not what the store remembers of it: each build marks all of them
before it counts a match, and the follower takes out those that came since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from redis.exceptions import RedisError

from spielwerk.errors import SpielwerkError
from spielwerk.games.game import Ranking
from spielwerk.log.connect import Connection
from spielwerk.log.forgotten import ForgottenPlayers, Position
from spielwerk.telemetry.logs import get_logger
from spielwerk_scoring.forgetting import forget, mark
from spielwerk_scoring.store import Store

_LOOK_S: Final = 1.0

_log = get_logger(__name__)


class Deletions:
    """The deletions of an installation and its store; any number of processes may follow them."""

    def __init__(
        self,
        connection: Connection,
        store: Store,
        rankings: Mapping[str, Ranking],
        *,
        look_s: float = _LOOK_S,
    ) -> None:
        self._players = ForgottenPlayers(connection)
        self._store = store
        self._rankings = rankings
        self._look_s = look_s
        self._problem = ""

    async def run(self) -> None:
        """For ever, through every loss of broker and store."""
        while True:
            try:
                await self.catch_up()
                self._problem = ""
            except (SpielwerkError, RedisError, OSError) as error:
                self._tell(f"{type(error).__name__}: {error}")
            await asyncio.sleep(self._look_s)

    async def catch_up(self) -> None:
        """Take out everybody who was deleted since the last time.

        Nothing to do where no rankings are live: the build that makes them leaves them all out.
        """
        if await self._store.live() is None:
            return
        position = await self._store.deletions_seen()
        while (deletion := await self._players.behind(position)) is not None:
            places = await forget(self._store, self._rankings, deletion.player_id)
            position = deletion.position
            await self._store.see_deletions(position)
            _log.info("a deleted player left the rankings", places=places)

    async def mark_all(self) -> Position:
        """Before a build: no write from now on brings back who is deleted by now."""
        gone, position = await self._players.everybody()
        await mark(self._store, gone)
        return position

    async def built(self, marked: Position) -> None:
        """After a build that replaced all boards: none of the marked ones needs to be taken out."""
        await self._store.see_deletions(marked)

    def _tell(self, problem: str) -> None:
        if problem != self._problem:
            _log.warning("deletions are not followed", why=problem)
        self._problem = problem
