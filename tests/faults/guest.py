"""What a guest does with its time: queues, private rooms, practice, watching, rankings."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final

from faults.asking import Asking, already
from faults.meeting import Meeting
from faults.player import Expire, Player
from faults.quick_games import QUICK, players_of
from faults.watching import Watcher
from spielwerk.client import RoomState, Ticket, TicketState
from spielwerk.errors import FailedPrecondition, Refused, SpielwerkError
from spielwerk.games import registry
from spielwerk.match.model import WatchPolicy

_PATIENCE_S: Final = (4.0, 12.0)
_SECOND_THOUGHTS_S: Final = 0.3
_FULL_S: Final = 12.0
_WATCHES_S: Final = 15.0
_PAUSE_S: Final = 0.2

_EXPECTED: Final = frozenset(
    {
        "already_in_match",
        "already_queued",
        "no_such_room",  # closed meanwhile
        "room_full",
        "too_many_rooms",
        "too_many_tickets",
        "ticket_unknown",  # the store was lost
    }
)
"""Refusals that a guest brings upon itself."""


class Guest:
    """One client, from its account to the end of the run; `troubles` are calls given up.

    It begins with a practice match of the game `first`: so every game comes in every run.
    """

    def __init__(
        self,
        asking: Asking,
        meeting: Meeting,
        expire: Expire,
        rng: random.Random,
        first: str | None = None,
    ) -> None:
        self.player = Player(asking, meeting, expire, rng)
        self.troubles: list[str] = []
        self._asking = asking
        self._meeting = meeting
        self._rng = rng
        self._first = first
        self._activities: dict[Callable[[], Awaitable[None]], int] = {
            self._queue: 50,
            self._think_twice: 12,
            self._host: 8,
            self._visit: 12,
            self._practise: 10,
            self._spectate: 6,
            self._compare: 8,
            self._begin_anew: 3,
        }

    async def live(self) -> None:
        """Until the run is over and the last match has ended."""
        await self._asking.guest()
        activities, weights = zip(*self._activities.items(), strict=True)
        while not self._meeting.over.is_set():
            (activity,) = self._rng.choices(activities, weights)
            if self._first is not None:
                activity = self._practise
            try:
                await self._do(activity)
            except SpielwerkError as trouble:
                self.troubles.append(f"{self._asking.name}: {trouble.reason}: {trouble.message}")
            await asyncio.sleep(self._rng.uniform(0, _PAUSE_S))

    async def _do(self, activity: Callable[[], Awaitable[None]]) -> None:
        try:
            await activity()
        except Refused as refused:
            await self._go_on(refused)

    async def _go_on(self, refused: Refused) -> None:
        """Matches that go on already are played first."""
        if refused.reason not in _EXPECTED:
            raise refused
        if refused.reason != "already_in_match":
            return
        for running in (await self._asking.client.matchmaking.open()).matches:
            if not self._meeting.over.is_set():
                await self.player.play(running.match_id)

    async def _queue(self) -> None:
        line = self._meeting.line(self._rng)
        ticket = await self._asking.enqueue(line[0], QUICK[line[0]], line[1])
        with self._meeting.in_line(line):
            match_id = await self._wait(ticket)
        while match_id is not None and not await self.player.play(match_id):
            if self._meeting.over.is_set():
                return
            match_id = await self._wait(ticket)  # it was void: back in line at the old place

    async def _wait(self, ticket: Ticket) -> str | None:
        """The match of the ticket, unless that takes too long."""
        try:
            async with asyncio.timeout(self._rng.uniform(*_PATIENCE_S)):
                return await self._matched(ticket)
        except TimeoutError:
            return await self._cancel(ticket)

    async def _matched(self, ticket: Ticket) -> str | None:
        """The match of the ticket, once there is one; None if the ticket is over."""
        told = await self._asking.client.matchmaking.wait_ticket(ticket.ticket_id)
        if told.state is not TicketState.MATCHED or told.match_id is None:
            return None
        self._asking.recorder.paired(self._asking.player_id, told.match_id, ticket.ticket_id)
        return told.match_id

    async def _cancel(self, ticket: Ticket) -> str | None:
        """None, or the match that came first."""
        try:
            await self._asking.cancel(ticket.ticket_id)
        except FailedPrecondition:
            return await self._matched(ticket)
        return None

    async def _think_twice(self) -> None:
        """Leave the line at once."""
        line = self._meeting.line(self._rng)
        ticket = await self._asking.enqueue(line[0], QUICK[line[0]], line[1])
        await asyncio.sleep(self._rng.uniform(0, _SECOND_THOUGHTS_S))
        match_id = await self._cancel(ticket)
        if match_id is not None:
            await self.player.play(match_id)

    async def _host(self) -> None:
        game = self._rng.choice(list(QUICK))
        players = max(2, players_of(game, self._rng))
        bots = {players - 1: self._strength(game)} if self._rng.random() < 0.5 else {}
        watch = self._rng.choice(list(WatchPolicy))
        room = await self._asking.create_room(
            game, QUICK[game], players=players, bots=bots, watch=watch
        )
        self._meeting.rooms += [room.code] * (players - 1 - len(bots))
        match_id = await self._started(room.code)
        if match_id is not None:
            if watch is WatchPolicy.ANYONE:
                self._meeting.publish(match_id)
            await self.player.play(match_id)

    async def _visit(self) -> None:
        """Take a seat in somebody's room."""
        if not self._meeting.rooms:
            return
        code = self._meeting.rooms.pop(0)
        await self._asking.join_room(code)
        match_id = await self._started(code)
        if match_id is not None:
            await self.player.play(match_id)

    async def _started(self, code: str) -> str | None:
        """The match of the room, unless it does not fill up."""
        matchmaking = self._asking.client.matchmaking
        try:
            async with asyncio.timeout(_FULL_S), matchmaking.watch_room(code) as changes:
                async for room in changes:
                    if room.state in (RoomState.STARTED, RoomState.CLOSED):
                        return room.match_id
        except TimeoutError:
            try:
                await matchmaking.leave_room(code)
            except FailedPrecondition as started:
                return already(started)
        return None

    async def _practise(self) -> None:
        game, self._first = self._first or self._rng.choice(list(QUICK)), None
        practice = await self._asking.client.matchmaking.practice(
            game, QUICK[game], players=players_of(game, self._rng), strength=self._strength(game)
        )
        await self.player.play(practice.match_id)

    async def _spectate(self) -> None:
        """Watch a match of others for a while."""
        if not self._meeting.public:
            return
        match_id = self._rng.choice(self._meeting.public)
        rng = random.Random(self._rng.random())
        asking = self._asking
        viewer = f"{asking.name}/spectator/{rng.getrandbits(32):08x}"
        watcher = Watcher(viewer, asking.player_id, asking.client, asking.recorder, rng)
        try:
            async with asyncio.timeout(_WATCHES_S):
                await watcher.watch(match_id)
        except TimeoutError:
            return

    async def _begin_anew(self) -> None:
        """Lose the device, and be somebody else."""
        await self._asking.guest()

    async def _compare(self) -> None:
        await self._asking.board(self._rng.choice(list(QUICK)))

    def _strength(self, game: str) -> str:
        """A bot that does not think for long."""
        return next(iter(registry.newest(game).bots))
