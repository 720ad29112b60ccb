"""A guest who plays random legal commands, and now and then misbehaves."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final

from faults.asking import Asking
from faults.meeting import Meeting
from faults.quick_games import ENDS_SILENT
from faults.watching import Watcher
from spielwerk.client import Legal, MatchClient, Watched
from spielwerk.errors import Refused
from spielwerk.match.model import JOIN, OpenTurn

_THINKS_S: Final = (0.02, 0.4)
_DOZES, _RESIGNS, _MISBEHAVES, _LOOKS, _STREAMS = 0.015, 0.002, 0.08, 0.06, 0.33
_LEAVES_WITHIN_S: Final = 8.0
_ENDS_WITHIN_S: Final = 90.0
_CLOSED: Final = frozenset({"stale_turn", "match_over"})

Expire = Callable[[str, OpenTurn], Awaitable[None]]
"""A timer that shoots whenever it is told to."""


@dataclass
class Sitting:
    """A seat in a match, and what its player remembers of it."""

    match: MatchClient
    game: str
    seat: int
    dozed: set[str] = field(default_factory=set)
    """Turns that are left to the timer."""
    keys: list[str] = field(default_factory=list)
    """Turns that were answered."""
    last: tuple[str, Any] = ("", None)
    """The command that was accepted last, and its id."""
    silent: bool = False
    shots: list[asyncio.Task[None]] = field(default_factory=list)
    """At dozed turns."""


class Player:
    """Plays one match after another; `surprises` are refusals that should not have come."""

    def __init__(
        self, asking: Asking, meeting: Meeting, expire: Expire, rng: random.Random
    ) -> None:
        self.asking = asking
        self._expire = expire
        self.surprises: list[str] = []
        self.ended = 0
        self._meeting = meeting
        self._rng = rng

    async def play(self, match_id: str) -> bool:
        """Join and play to the end; whether there was a result."""
        match = self.asking.client.match(match_id)
        try:
            place = await self.asking.join(match)
        except Refused as late:
            if late.reason != "match_over":
                raise
            return False
        sitting = Sitting(match, (await match.game()).key, place.seat)
        async with self._watchers(match_id), self._lane():
            following = asyncio.create_task(self._follow(sitting), name=f"{self.asking.name} plays")
            over = asyncio.create_task(self._meeting.over.wait())
            try:
                await asyncio.wait({following, over}, return_when=asyncio.FIRST_COMPLETED)
                if not following.done():
                    await self._leave(sitting, following)
                return await following
            finally:
                for task in (following, over, *sitting.shots):
                    task.cancel()

    async def _follow(self, sitting: Sitting) -> bool:
        log = self.asking.recorder.watch(
            self.asking.name, sitting.match.match_id, None, player_id=self.asking.player_id
        )
        end = "left"
        try:
            async with sitting.match.watch() as updates:
                async for update in updates:
                    self.asking.recorder.saw(log, update.version)
                    if update.ended is not None:
                        end = "match_over"
                        self.ended += 1
                        return update.ended.result is not None
                    await self._turn(sitting, update)
            return False
        finally:
            self.asking.recorder.unwatched(log, end)

    async def _leave(self, sitting: Sitting, following: asyncio.Task[bool]) -> None:
        """The run is over: play on for a moment, then give up, or say nothing more."""
        await asyncio.wait({following}, timeout=self._rng.uniform(0, _LEAVES_WITHIN_S))
        sitting.silent = True
        if sitting.game not in ENDS_SILENT or self._rng.random() < 0.7:
            await self._resign(sitting)
        await asyncio.wait({following}, timeout=_ENDS_WITHIN_S)

    async def _turn(self, sitting: Sitting, update: Watched) -> None:
        """Answer the own turn, if there is one."""
        turn = next((t for t in update.turns if t.seat == sitting.seat and t.key != JOIN), None)
        if turn is None or sitting.silent or turn.key in sitting.dozed:
            return
        if turn.deadline_ms is not None and self._rng.random() < _DOZES:
            sitting.dozed.add(turn.key)
            self._shoot_around(sitting, turn)
            return
        await asyncio.sleep(self._rng.uniform(*_THINKS_S))
        if self._rng.random() < _RESIGNS:
            await self._resign(sitting)
            return
        legal = await self.asking.legal(sitting.match)
        if legal.turn_key is None or sitting.silent:
            return
        if not legal.commands:
            self.surprises.append(f"{sitting.match.match_id}: nothing to do in {legal.turn_key}")
            return
        if self._rng.random() < _MISBEHAVES:
            await self._misbehave(sitting, legal)
        await self._submit(sitting, legal)
        if self._rng.random() < _LOOKS:
            await self._look(sitting.match)

    def _shoot_around(self, sitting: Sitting, turn: OpenTurn) -> None:
        """Some time before the deadline, shortly before, and when it is just over."""
        left_s = (turn.deadline_ms or 0) / 1000 - time.time()
        for after_s in (self._rng.uniform(0, left_s), left_s - 0.1, left_s + 0.1):
            shot = asyncio.create_task(self._shot(sitting.match.match_id, turn, after_s))
            sitting.shots.append(shot)

    async def _shot(self, match_id: str, turn: OpenTurn, after_s: float) -> None:
        await asyncio.sleep(after_s)
        await self._expire(match_id, turn)

    async def _submit(self, sitting: Sitting, legal: Legal) -> None:
        command, key = self._rng.choice(legal.commands), legal.turn_key or ""
        command_id = self._new_id()
        try:
            await self.asking.submit(sitting.match, sitting.seat, command, key, command_id)
        except Refused as refused:
            if refused.reason not in _CLOSED:
                told = (
                    f"{sitting.match.match_id} seat {sitting.seat}: listed {type(command).__name__}"
                )
                self.surprises.append(f"{told} was refused: {refused.reason}")
            return
        sitting.keys.append(key)
        sitting.last = command_id, command

    async def _misbehave(self, sitting: Sitting, legal: Legal) -> None:
        """A stale turn, an id used twice, a command out of place: all are refused, or right."""
        command = self._rng.choice(legal.commands)
        wrong = self._rng.choice(("stale", "reused", "unasked"))
        if wrong == "stale" and sitting.keys:
            key = self._rng.choice(sitting.keys)
            await self._refused(sitting, command, key, self._new_id(), "stale_turn")
        last_id, last = sitting.last
        if wrong == "reused" and last not in (None, command):
            key = legal.turn_key or ""
            await self._refused(sitting, command, key, last_id, "command_id_reused")
        if wrong == "unasked":
            await self._refused(
                sitting, command, f"{legal.turn_key}x", self._new_id(), "stale_turn"
            )

    async def _refused(
        self, sitting: Sitting, command: Any, key: str, command_id: str, reason: str
    ) -> None:
        try:
            await self.asking.submit(sitting.match, sitting.seat, command, key, command_id)
        except Refused as refused:
            if refused.reason in (reason, "match_over"):
                return
            told = refused.reason
        else:
            told = "accepted"
        self.surprises.append(f"{sitting.match.match_id}: {told} instead of {reason}")

    async def _look(self, match: MatchClient) -> None:
        if self._rng.random() < 0.5:
            await self.asking.view(match)
        else:
            await self.asking.history(match)

    async def _resign(self, sitting: Sitting) -> None:
        try:
            await self.asking.resign(sitting.match, sitting.seat)
        except Refused as refused:
            if refused.reason not in _CLOSED | {"game_over", "already_left"}:
                self.surprises.append(f"{sitting.match.match_id}: resign {refused.reason}")

    @asynccontextmanager
    async def _watchers(self, match_id: str) -> AsyncIterator[None]:
        """Other screens of the same player."""
        screens = [
            asyncio.create_task(self._screen(number).watch(match_id), name="screen")
            for number in range(self._rng.choice((0, 1)))
        ]
        try:
            yield
        finally:
            for screen in screens:
                screen.cancel()
            for end in await asyncio.gather(*screens, return_exceptions=True):
                if isinstance(end, Exception):
                    raise end

    def _lane(self) -> AbstractAsyncContextManager[None]:
        """Every third match is played on one stream, the others by single calls."""
        return self.asking.streaming() if self._rng.random() < _STREAMS else nullcontext()

    def _screen(self, number: int) -> Watcher:
        rng = random.Random(self._rng.random())
        name = f"{self.asking.name}/{number}"
        return Watcher(name, self.asking.player_id, self.asking.client, self.asking.recorder, rng)

    def _new_id(self) -> str:
        return f"{self._rng.getrandbits(64):016x}"
