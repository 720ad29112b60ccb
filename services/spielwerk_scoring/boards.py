"""Reads the boards: pages, neighbours of a player, and one player's places."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from spielwerk.clock import Clock
from spielwerk.errors import InvalidArgument, NotFound, Unavailable
from spielwerk.games.game import Ranking
from spielwerk.rankings import order
from spielwerk.rankings.periods import Period, PeriodKind, parse_period, period_at
from spielwerk.rankings.plain import Row
from spielwerk.rankings.totals import Total, read_total
from spielwerk_scoring.calendar import Calendar
from spielwerk_scoring.keys import LIVE, Generation, board_name
from spielwerk_scoring.store import awaited, script

_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive entries of a board, best first; `players` are all on it."""

    period: Period
    rows: tuple[Row, ...]
    players: int
    last_member: str | None
    """Where the next stretch goes on; None at the end of the board."""


class Boards:
    """What the ranking API asks; answers are of one moment, from one generation."""

    def __init__(self, redis: Redis, calendar: Calendar, clock: Clock) -> None:
        self._redis = redis
        self._calendar = calendar
        self._clock = clock
        self._page = redis.register_script(script("page"))

    def period(self, kind: PeriodKind, key: str) -> Period:
        """The period of a key, the current one for none; InvalidArgument (bad_period)."""
        if not key:
            return period_at(kind, self._clock.now_ms(), self._calendar.zone)
        try:
            return parse_period(kind, key)
        except ValueError as error:
            raise InvalidArgument("bad_period", str(error)) from error

    async def page(self, game: str, period: Period, size: int, below: str | None) -> Stretch:
        """Up to `size` entries from the top, or behind the member `below`."""
        ranking = self._ranking(game)
        bound = "+" if below is None else f"({below}"
        async with _store_errors():
            for _ in range(_TRIES):
                generation = await self._live()
                answer = await self._asked(generation, game, period, "below", bound, size + 1)
                if answer != "moved":
                    return _stretch(ranking, period, answer, size)
        raise Unavailable("rankings_rebuilding", "the rankings are being replaced")

    async def around(self, game: str, period: Period, player_id: str, radius: int) -> Stretch:
        """The player between up to `radius` neighbours on each side; NotFound (not_ranked)."""
        window = await self._window(game, period, player_id, radius)
        if not window.rows:
            raise NotFound("not_ranked", f"{player_id} has no rank in {period.key}")
        return window

    async def place(self, game: str, period: Period, player_id: str) -> Stretch:
        """The player's own entry, if there is one, and the size of the board."""
        return await self._window(game, period, player_id, 0)

    async def _window(self, game: str, period: Period, player_id: str, radius: int) -> Stretch:
        """See `around`; without rows for a player who is not on the board."""
        ranking = self._ranking(game)
        async with _store_errors():
            for _ in range(_TRIES):
                generation = await self._live()
                found = await self._found(generation, game, period, player_id)
                if found is None:
                    continue
                total, players = found
                if total is None or not total.games:
                    return Stretch(period, (), players, None)
                name = order.member(ranking, total, player_id)
                answer = await self._asked(generation, game, period, "around", name, radius)
                if answer not in ("moved", "absent"):
                    return _stretch(ranking, period, answer, 2 * radius + 1)
        raise Unavailable("rankings_rebuilding", "the rankings are being replaced")

    def _ranking(self, game: str) -> Ranking:
        ranking = self._calendar.rankings.get(game)
        if ranking is None:
            raise NotFound("game_unknown", f"there is no game {game!r}", game=game)
        return ranking

    async def _live(self) -> Generation:
        name = await self._redis.get(LIVE)
        if not name:
            raise Unavailable("rankings_rebuilding", "the rankings are being built")
        return Generation(str(name))

    async def _found(
        self, generation: Generation, game: str, period: Period, player_id: str
    ) -> tuple[Total | None, int] | None:
        """The player's total and how many are ranked; None if the generation is not live any more.

        All of one moment: a total missing in boards that were replaced meanwhile says nothing.
        """
        board = board_name(game, period)
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.get(LIVE)
            pipe.exists(generation.checkpoint)
            pipe.hget(generation.totals(board), player_id)
            pipe.zcard(generation.order(board))
            live, there, text, players = await pipe.execute()
        if live != generation.name or not there:
            return None
        return None if text is None else read_total(text), players

    async def _asked(
        self, generation: Generation, game: str, period: Period, how: str, member: str, size: int
    ) -> Any:
        board = board_name(game, period)
        keys = [LIVE, generation.order(board), generation.totals(board), generation.checkpoint]
        arguments = [generation.name, how, member, str(size), str(order.KEY_LENGTH)]
        return await awaited(self._page(keys=keys, args=arguments))


def _stretch(ranking: Ranking, period: Period, answer: list[Any], size: int) -> Stretch:
    """Ranks from the first entry's: a player who equals the one before shares its rank."""
    players, position, better, members, texts = answer
    rows: list[Row] = []
    for index, (name, text) in enumerate(zip(members[:size], texts, strict=False)):
        if index == 0:
            rank = better + 1
        elif order.shared_key(name) == order.shared_key(members[index - 1]):
            rank = rows[-1].rank
        else:
            rank = position + index + 1
        extras: Mapping[str, int] = read_total(text).extras
        total = Total(order.n_milli_of(ranking, name), order.games_of(name), extras)
        rows.append(Row(rank, order.player_of(name), total, order.score_of(name)))
    more = len(members) > size > 0
    return Stretch(period, tuple(rows), players, members[size - 1] if more else None)


@asynccontextmanager
async def _store_errors() -> AsyncIterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise Unavailable("rankings_unavailable", "the store does not answer") from error
