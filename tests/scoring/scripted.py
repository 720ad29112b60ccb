"""A log of finished matches that grows on demand, and what the rankings must be after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from redis.asyncio import Redis

from spielwerk.api.log.v1.record_pb2 import Record
from spielwerk.games.game import Aggregate, Ranking
from spielwerk.log.headers import RecordHeaders
from spielwerk.log.port import Batch, Kind, Stored, StreamIdentity
from spielwerk.log.subjects import kind_of, new_match_id, subject
from spielwerk.rankings.order import player_of
from spielwerk.rankings.periods import load_zone
from spielwerk.rankings.plain import standings, totals
from spielwerk.rankings.totals import Entry
from spielwerk.telemetry.metrics import Metrics
from spielwerk_scoring.calendar import Calendar
from spielwerk_scoring.keys import LIVE, Generation, board_name
from spielwerk_scoring.projection import Projection
from spielwerk_scoring.reading import Reader
from spielwerk_scoring.results import read_outcome
from spielwerk_scoring.store import Store

BERLIN = load_zone("Europe/Berlin")
NOON = 1_796_122_800_000  # 2026-12-01 12:00 in Berlin
RANKINGS: Mapping[str, Ranking] = {
    "skat": Ranking(),
    "yatzee": Ranking(k_milli=850, divisor=2),
    "maumau": Ranking(offset=500, sign=-1, k_milli=1050, divisor=5),
    "house_of_cards": Ranking(k_milli=0, aggregate=Aggregate.MAXIMUM),
}
CALENDAR = Calendar(RANKINGS, BERLIN)

Seats = Sequence[tuple[str, int, int]]
"""Player (empty: a bot), points in thousandths, games."""


class GrowingLog:
    """A Tail over a list; `batch` messages at a time."""

    def __init__(self, created: str = "2026-11-01T00:00:00Z", batch: int = 7) -> None:
        self.created = created
        self.batch = batch
        self.messages: list[Stored] = []
        self.last = 0
        self._grown = asyncio.Event()
        self._numbers = Random(7)

    async def identity(self) -> StreamIdentity:
        first = self.messages[0].sequence if self.messages else self.last + 1
        return StreamIdentity("MATCHES", self.created, first, self.last)

    async def follow(
        self, kinds: Sequence[Kind], *, after: int, headers_only: bool
    ) -> AsyncGenerator[Batch, None]:
        assert not headers_only
        position, first = after, True
        while True:
            found = [m for m in self.messages if m.sequence > position]
            part = [m for m in found if kind_of(m.subject) in kinds][: self.batch]
            behind = len(part) == self.batch and part[-1].sequence < self.last
            position = part[-1].sequence if behind else max(position, self.last)
            if part or first:
                yield Batch(part, position, caught_up=not behind)
            first = False
            while self.last <= position:
                await self._grown.wait()

    async def end(
        self, game: str, seats: Seats, *, at_ms: int = NOON, rated: bool = True, result: bool = True
    ) -> Stored:
        """One more finished match; before it, records of other kinds take some sequences."""
        record = end_record(game, seats, at_ms, rated=rated, result=result)
        record.match_id = new_match_id(at_ms, self._numbers.randbytes(10))
        return await self.put(record.match_id, record.SerializeToString())

    async def put(
        self,
        match_id: str,
        data: bytes,
        *,
        at_ms: int = NOON,
        game: str = "skat",
        ours: bool = True,
    ) -> Stored:
        headers = RecordHeaders(game, 9, at_ms, ()).write() if ours else {}
        self.last += self._numbers.randint(1, 3)
        stored = Stored(self.last, subject(match_id, Kind.END), headers, data)
        self.messages.append(stored)
        self._grown.set()
        self._grown = asyncio.Event()
        return stored

    def cut(self, last: int) -> None:
        """Restore a backup that ends at `last`."""
        self.messages = [m for m in self.messages if m.sequence <= last]
        self.last = last

    def entries(self) -> Iterable[Entry]:
        """Everything that the log brings to rankings, in order."""
        ours = (stored for stored in self.messages if stored.headers)
        return (entry for stored in ours for entry in read_outcome(stored).entries)


def end_record(game: str, seats: Seats, at_ms: int, *, rated: bool, result: bool) -> Record:
    record = Record(version=9, recorded_at_ms=at_ms)
    record.events.add().game.SetInParent()
    ended = record.events.add().ended
    ended.game, ended.rules_version, ended.rated = game, "1", rated
    for seat, (player_id, points, games) in enumerate(seats):
        occupant = ended.occupants.add()
        if player_id:
            occupant.human.player_id = player_id
        else:
            occupant.bot.strength = "expert"
        if result:
            standing = ended.result.standings.add(seat=seat, place=1)
            standing.rank_n_milli, standing.rank_games = points, games
            if game == "house_of_cards":
                standing.extras["credits"] = points // 1000
    return record


async def random_matches(log: GrowingLog, number: int, *, seed: int = 1, players: int = 12) -> None:
    """Matches of all games around days, weeks and years, also unrated and void ones and bots."""
    chance = Random(seed)
    for _ in range(number):
        game = chance.choice(list(RANKINGS))
        names = chance.sample([f"p{n:02d}" for n in range(players)] + ["", ""], 3)
        seats = [(n, chance.randint(-90, 400) * 1000, chance.randint(0, 3)) for n in names]
        at_ms = NOON + chance.randint(-40, 40) * 86_400_000 + chance.randint(0, 86_400_000)
        rated, result = chance.random() < 0.9, chance.random() < 0.9
        await log.end(game, seats, at_ms=at_ms, rated=rated, result=result)


def expected(entries: Iterable[Entry], calendar: Calendar = CALENDAR) -> dict[str, Any]:
    """Board -> its lines in order and its totals, by plain folding and sorting."""
    boards: dict[str, Any] = {}
    for (game, period), players in totals(entries, calendar.rankings, calendar.zone).items():
        rows = standings(calendar.rankings[game], players)
        order = [row.player_id for row in rows]
        stored = {player_id: total.write() for player_id, total in players.items()}
        boards[board_name(game, period)] = (order, stored)
    return boards


async def stored_boards(redis: Redis, generation: Generation | None = None) -> dict[str, Any]:
    """Board -> players in order and totals, as they are in the store."""
    shown = generation or Generation(str(await redis.get(LIVE)))
    boards: dict[str, Any] = {}
    for board in map(str, await redis.smembers(shown.boards)):
        members = await redis.zrevrange(shown.order(board), 0, -1)
        players = [player_of(str(name)) for name in members]
        boards[board] = (players, await redis.hgetall(shown.totals(board)))
    return boards


async def raw_boards(redis: Redis) -> dict[str, Any]:
    """Every byte that a reader can see, without the generation's own name."""
    shown = Generation(str(await redis.get(LIVE)))
    found: dict[str, Any] = {}
    for board in map(str, await redis.smembers(shown.boards)):
        members = await redis.zrange(shown.order(board), 0, -1, withscores=True)
        found[board] = (members, sorted((await redis.hgetall(shown.totals(board))).items()))
    checkpoint = await redis.hgetall(shown.checkpoint)
    del checkpoint["revision"]
    return found | {"checkpoint": checkpoint}


class Scoring:
    """One running projection."""

    def __init__(
        self,
        log: GrowingLog,
        redis: Redis,
        calendar: Calendar = CALENDAR,
        *,
        look_s: float = 0.02,
    ) -> None:
        self.metrics = Metrics()
        self.store = Store(redis)
        self.projection = Projection(
            Reader(log, self.metrics), self.store, calendar, self.metrics, chunk=5, look_s=look_s
        )
        self._log = log

    async def __aenter__(self) -> Scoring:
        self._task = asyncio.create_task(self.projection.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def caught_up(self) -> None:
        """Wait until the last end in the log is counted."""
        ends = [m.sequence for m in self._log.messages if m.headers]
        await until(self.projection.ready, self._task)
        while True:
            live = await self.store.live()
            checkpoint = await self.store.checkpoint(live) if live else None
            if checkpoint and checkpoint.sequence == max(ends, default=0):
                return
            await until(lambda: True, self._task)

    def counted(self) -> int:
        """How many results this process counted."""
        return int(
            sum(
                self.metrics.value("spielwerk_results_total", game=game, outcome=outcome)
                for game in RANKINGS
                for outcome in ("applied", "unrated")
            )
        )

    async def problem(self, word: str) -> None:
        """Wait until the projection stands still for this reason."""
        await until(lambda: word in (self.projection.problem or ""), self._task)


async def until(condition: Callable[[], bool], task: asyncio.Task[Any]) -> None:
    """Wait for a condition while a task lives."""
    async with asyncio.timeout(20):
        while True:
            await asyncio.sleep(0.002)
            if task.done():
                task.result()
            if condition():
                return
