"""Matches that are promised: first kept, then created under their id, by whoever is alive."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import structlog

from spielwerk.api.v1 import games_pb2, match_pb2
from spielwerk.clock import Clock
from spielwerk.errors import AlreadyExists, InvalidArgument, NotFound, Refused, Unavailable, Unclear
from spielwerk.telemetry.metrics import Metrics
from spielwerk.telemetry.tracing import continued, trace_id
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.choices import choose, unpack_options
from spielwerk_matchmaking.messages import ORIGINS, WATCH, occupant
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.sittings import Sitting, sittings_from
from spielwerk_matchmaking.store import Store

_TAKEN_OVER: Final = 32
_FIRST_PAUSE_S: Final = 0.1
_log = structlog.get_logger()


class Matches(Protocol):
    """Where matches are created."""

    async def create(self, request: match_pb2.CreateMatchRequest) -> None:
        """Create it or find it created; Refused for good, Unclear otherwise."""
        ...


@dataclass(frozen=True, slots=True)
class Launch:
    """One promised match, with all that its creation needs; `room` is the code of its room,
    `rematch_of` the ended match whose players play again."""

    match_id: str
    game: str
    options: str
    seats: tuple[Sitting, ...]
    watch: str
    origin: str
    room: str = ""
    rated: bool | None = None
    rematch_of: str = ""

    @classmethod
    def from_json(cls, text: str) -> Launch:
        """As it was stored by this class or by a script."""
        stored = json.loads(text)
        return cls(
            match_id=stored["match"],
            game=stored["game"],
            options=stored["options"],
            seats=sittings_from(stored["seats"]),
            watch=stored["watch"],
            origin=stored["origin"],
            room=stored.get("room", ""),
            rated=stored.get("rated"),
            rematch_of=stored.get("rematch_of", ""),
        )

    def to_json(self) -> str:
        """As it is stored."""
        stored: dict[str, Any] = {
            "match": self.match_id,
            "game": self.game,
            "options": self.options,
            "seats": [sitting.to_json() for sitting in self.seats],
            "watch": self.watch,
            "origin": self.origin,
        }
        if self.room:
            stored["room"] = self.room
        if self.rated is not None:
            stored["rated"] = self.rated
        if self.rematch_of:
            stored["rematch_of"] = self.rematch_of
        return json.dumps(stored)

    def request(self) -> match_pb2.CreateMatchRequest:
        """The same request at each attempt.

        A bot's policy is the choice of rules, which may be of another release than this process.
        """
        return match_pb2.CreateMatchRequest(
            match_id=self.match_id,
            game=self.game,
            options=unpack_options(self.options),
            occupants=[occupant(replace(sitting, policy="")) for sitting in self.seats],
            watch=WATCH[self.watch],
            rated=self.rated,
            origin=ORIGINS[self.origin],
        )


def named(match_id: str) -> dict[str, str]:
    """Metadata of an error that names a match; nothing for "", one that does not exist yet."""
    return {"match_id": match_id} if match_id else {}


def usual(launch: Launch) -> bool:
    """Whether the house rules are those of the game's queue where nobody asks for others."""
    asked = choose(launch.game, games_pb2.GameOptions(), len(launch.seats), "queue")
    return launch.options == asked.options


class RoomLandings(Protocol):
    """What becomes of a room whose match was promised."""

    async def started(self, code: str, match_id: str) -> None:
        """The match exists."""
        ...

    async def reopened(self, code: str, match_id: str, problem: str) -> None:
        """The match can never exist."""
        ...


class Launcher:
    """Creates promised matches: at once, and those of others when their lease is over."""

    def __init__(
        self,
        store: Store,
        matches: Matches,
        rooms: RoomLandings,
        clock: Clock,
        settings: MatchmakingSettings,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._matches = matches
        self._rooms = rooms
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._free = asyncio.Semaphore(settings.creating)
        self._running: dict[str, asyncio.Task[None]] = {}

    def lease_end(self) -> int:
        """Until when a promise made now is its maker's own."""
        return self._clock.now_ms() + self._settings.lease_ms

    async def ready(self) -> None:
        """Wait until another match could be created at once; promise none before."""
        async with self._free:
            return

    def start(self, launch: Launch) -> asyncio.Task[None]:
        """Create it in the background; what fails is taken over when its lease is over."""
        task = self._running.get(launch.match_id)
        if task is None:
            task = asyncio.create_task(self._launch(launch), name=f"launch {launch.match_id}")
            self._running[launch.match_id] = task
            task.add_done_callback(lambda _: self._running.pop(launch.match_id, None))
        return task

    async def take_over(self) -> int:
        """Start those whose maker has not managed; returns how many."""
        claimed = await self._store.run(
            "claim",
            (keys.LAUNCHES, keys.LEASES),
            (self._clock.now_ms(), self.lease_end(), _TAKEN_OVER),
        )
        for text in claimed:
            launch = Launch.from_json(text)
            _log.info("launch_taken_over", match_id=launch.match_id, origin=launch.origin)
            self.start(launch)
        return len(claimed)

    async def aclose(self) -> None:
        """Wait for attempts under way."""
        if self._running:
            await asyncio.wait(list(self._running.values()))

    async def _launch(self, launch: Launch) -> None:
        """The outcome is written down, or left open for the next one.

        In the trace of the call that promised the match; a pairing begins one of its own.
        """
        with continued(trace_id()):
            outcome = await self._outcome(launch)
            _log.info("match launched", match_id=launch.match_id, outcome=outcome)
        self._metrics.pairings.labels(launch.game, outcome).inc()

    async def _outcome(self, launch: Launch) -> str:
        try:
            await self._create(launch)
            await self._landed(launch)
        except (InvalidArgument, NotFound, AlreadyExists) as error:
            _log.error("launch_refused", match_id=launch.match_id, reason=error.reason)
            await self._give_up(launch, error)
            return "refused"
        except (Refused, Unclear) as error:
            _log.warning("launch_unclear", match_id=launch.match_id, reason=error.reason)
            return "unclear"
        return "created"

    async def _create(self, launch: Launch) -> None:
        """Attempts with growing pauses until one is answered, or the lease ends."""
        loop, pause = asyncio.get_running_loop(), _FIRST_PAUSE_S
        lease_s, attempt_s = self._settings.lease_ms / 1000, self._settings.create_ms / 1000
        last = loop.time() + max(lease_s - attempt_s, lease_s / 2)
        while True:
            try:
                async with self._free:
                    if loop.time() > last:  # after waiting for others: the lease would not do
                        raise Unavailable("match_pending", "too many matches are being made")
                    return await self._matches.create(self._request(launch))
            except Unclear:
                if loop.time() + pause > last:
                    raise
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause *= 2

    def _request(self, launch: Launch) -> match_pb2.CreateMatchRequest:
        """The same at each attempt, with what the setting `rated` says of its house rules."""
        unusual = launch.rated is None and self._settings.rated == "usual" and not usual(launch)
        return replace(launch, rated=False).request() if unusual else launch.request()

    async def _landed(self, launch: Launch) -> None:
        if launch.room:
            await self._rooms.started(launch.room, launch.match_id)
        await self._store.run("land", keys.TICKET_KEYS, (self._clock.now_ms(), launch.match_id))

    async def _give_up(self, launch: Launch, error: Refused) -> None:
        """A taken id is nobody's fault: the tickets are paired anew. What can never be is over."""
        again = "1" if isinstance(error, AlreadyExists) else ""
        args = (self._clock.now_ms(), launch.match_id, error.reason, again)
        try:
            if launch.room:
                await self._rooms.reopened(launch.room, launch.match_id, error.reason)
            offer = (keys.offer(launch.rematch_of),) if launch.rematch_of else ()
            await self._store.run("dissolve", (*keys.TICKET_KEYS, *offer), args)
        except Unclear as unclear:  # refused again when the lease is over
            _log.warning("launch_unclear", match_id=launch.match_id, reason=unclear.reason)
