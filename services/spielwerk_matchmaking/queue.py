"""Queues: standing in line, and the rounds in which those who wait are paired."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections import Counter
from contextlib import suppress
from typing import Final

import structlog

from spielwerk.clock import Clock
from spielwerk.errors import (
    AlreadyExists,
    FailedPrecondition,
    ResourceExhausted,
    SpielwerkError,
    Unavailable,
)
from spielwerk.log.subjects import new_match_id
from spielwerk.telemetry.metrics import Metrics
from spielwerk_matchmaking import keys
from spielwerk_matchmaking.choices import Choice, check_request_id, fingerprint
from spielwerk_matchmaking.followers import Followers
from spielwerk_matchmaking.launch import Launch, Launcher, named
from spielwerk_matchmaking.settings import MatchmakingSettings
from spielwerk_matchmaking.store import Store

_SWEPT: Final = 500
_MOST_SEATS: Final = 16
_log = structlog.get_logger()


class Queue:
    """All queues as the players of this process reach them."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        follower: Followers,
        clock: Clock,
        settings: MatchmakingSettings,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._behind = store.apart()
        self._launcher = launcher
        self._follower = follower
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._fresh: set[str] = set()
        self._wake = asyncio.Event()

    async def enqueue(self, player: str, choice: Choice, request_id: str) -> str:
        """A new ticket at the end of the queue, or the one that this request got before."""
        check_request_id(request_id)
        word, detail = await self._ask(player, choice, request_id)
        if word == "already_in_match" and await self._freed(player):
            word, detail = await self._ask(player, choice, request_id)
        if word not in ("ok", "repeated"):
            self._refuse(word, detail)
        self.look_at(choice.queue)
        return str(detail)

    def look_at(self, queue: str) -> None:
        """Pair in this queue soon."""
        self._fresh.add(queue)
        self._wake.set()

    async def run(self) -> None:
        """Rounds for ever: new tickets at once, everything once a `round_ms`."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            try:
                if loop.time() >= due:
                    due = loop.time() + self._settings.round_ms / 1000
                    await self.round()
                await self._pair_fresh()
            except SpielwerkError as error:
                _log.warning("round_failed", reason=error.reason)
                await asyncio.sleep(random.uniform(0.1, 0.5))
            self._wake.clear()
            if not self._fresh:
                await _wait(self._wake, due - loop.time())

    async def round(self) -> None:
        """Sweep, take over what others left, and look through all queues."""
        now, ghost = self._clock.now_ms(), self._settings.ghost_ms
        while await self._behind.run("sweep", keys.TICKET_KEYS, (now, ghost, _SWEPT)) >= _SWEPT:
            pass
        await self._launcher.take_over()
        queues = await self._behind.whole(self._behind.redis.hkeys(keys.QUEUES))
        self._fresh.update(map(str, queues))

    async def count(self) -> None:
        """Tell how many wait for each game."""
        abouts = await self._behind.whole(self._behind.redis.hgetall(keys.QUEUES))
        waiting: Counter[str] = Counter()
        for queue, about in abouts.items():
            places = (keys.WAITING, f"[{queue}|", f"({queue}}}")
            count = await self._behind.whole(self._behind.redis.zlexcount(*places))
            waiting[json.loads(about)["game"]] += int(count)
        self._metrics.tickets.clear()
        for game, count in waiting.items():
            self._metrics.tickets.labels(game).set(count)

    async def pair(self, queue: str) -> Launch | None:
        """Promise the oldest living tickets of a queue a match; None when there are too few."""
        order = secrets.SystemRandom().sample(range(1, _MOST_SEATS + 1), _MOST_SEATS)
        word = "again"
        while word == "again":
            now = self._clock.now_ms()
            word, detail, *since = await self._behind.run(
                "pair",
                keys.TICKET_KEYS,
                (
                    now,
                    self._settings.ghost_ms,
                    queue,
                    new_match_id(now, secrets.token_bytes(10)),
                    self._launcher.lease_end(),
                    json.dumps(order),
                ),
            )
        self._notice(word)
        if word != "paired":
            return None
        launch = Launch.from_json(detail)
        for at in since:
            waited = max(now - int(at), 0) / 1000
            self._metrics.ticket_seconds.labels(launch.game).observe(waited)
        return launch

    async def _pair_fresh(self) -> None:
        while self._fresh:
            queue = self._fresh.pop()
            while True:
                await self._launcher.ready()
                launch = await self.pair(queue)
                if launch is None:
                    break
                self._launcher.start(launch)

    async def _ask(self, player: str, choice: Choice, request_id: str) -> tuple[str, str]:
        about = {"game": choice.game.key, "options": choice.options, "players": choice.seats}
        rate = self._settings.enqueue_rate
        word, detail = await self._store.run(
            "enqueue",
            (
                *keys.TICKET_KEYS,
                keys.request(player, request_id),
                keys.rate("enqueue", player),
                keys.PLACES,
            ),
            (
                self._clock.now_ms(),
                self._settings.ghost_ms,
                secrets.token_hex(16),
                player,
                choice.queue,
                json.dumps(about),
                fingerprint(("enqueue", choice.queue)),
                self._settings.request_ms,
                rate.interval_ms,
                rate.burst,
                self._settings.tickets_per_player,
                self._settings.tickets,
            ),
        )
        return str(word), str(detail)

    async def _freed(self, player: str) -> bool:
        """The player may have seen the end of its match before it was read from the log here."""

        async def free() -> bool:
            return not await self._store.whole(self._store.redis.hexists(keys.BUSY, player))

        return await self._follower.wait_until(free, self._settings.end_patience_ms)

    def _notice(self, word: str) -> None:
        if word == "restarted":
            self._follower.begin_anew()

    def _too_many_tickets(self) -> ResourceExhausted:
        """A ticket whose client is silent makes room after so long; others when they are over."""
        most, ghost_ms = self._settings.tickets_per_player, self._settings.ghost_ms
        return ResourceExhausted("too_many_tickets", retry_after=ghost_ms / 1000, limit=str(most))

    def _refuse(self, word: str, detail: str) -> None:
        match word:
            case "restarted" | "settling":
                self._notice(word)
                raise Unavailable("not_ready", "running matches are being counted", retry_after=1)
            case "request_id_reused":
                raise AlreadyExists("request_id_reused", "the id belongs to another request")
            case "already_in_match":
                raise FailedPrecondition("already_in_match", **named(detail))
            case "already_queued":
                raise FailedPrecondition("already_queued", ticket_id=detail)
            case "too_fast":
                raise ResourceExhausted("too_fast", retry_after=float(detail) / 1000)
            case "queue_full":
                raise ResourceExhausted("queue_full", retry_after=30)
            case "too_many_tickets":
                raise self._too_many_tickets()
            case _:
                raise AssertionError(word)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event or the time is over; `wait_for` of 3.11 may swallow a cancellation."""
    with suppress(TimeoutError):
        async with asyncio.timeout(max(seconds, 0)):
            await event.wait()
