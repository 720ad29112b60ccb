"""Boards, neighbours and a player's own figures."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import StrEnum

from spielwerk.api.v1 import ranking_pb2
from spielwerk.client.connection import Connection
from spielwerk.client.reading import read_value
from spielwerk.client.streams import Following


class PeriodKind(StrEnum):
    """How long a board runs."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    ALL_TIME = "all_time"


@dataclass(frozen=True, slots=True)
class Period:
    """One calendar period, e.g. key `2026-W48`; ms, None for all of time."""

    kind: PeriodKind
    key: str
    zone: str
    starts_at_ms: int | None
    ends_at_ms: int | None


@dataclass(frozen=True, slots=True)
class RankEntry:
    """A player's place: points in thousandths, games, and the score as an exact decimal text."""

    rank: int
    player_id: str
    n_milli: int
    games: int
    score: str
    score_milli: int
    extras: dict[str, int]


@dataclass(frozen=True, slots=True)
class Board:
    """A page of a board, or a player's neighbours; `players` are on the whole board."""

    period: Period
    entries: tuple[RankEntry, ...]
    players: int


@dataclass(frozen=True, slots=True)
class PeriodStats:
    """What a player reached in a period; `entry` None: no rated game."""

    period: Period
    entry: RankEntry | None
    players: int


class Rankings:
    """Reads the rankings. All methods raise the exceptions of `spielwerk.errors`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stub = connection.rankings

    async def board(
        self, game: str, kind: PeriodKind = PeriodKind.ALL_TIME, key: str = "", *, size: int = 50
    ) -> Board:
        """The best of a period; `key` empty: the current one."""
        return _board(await self._page(game, kind, key, size, ""))

    def entries(
        self, game: str, kind: PeriodKind = PeriodKind.ALL_TIME, key: str = ""
    ) -> Following[RankEntry]:
        """The whole board, best first, page by page."""
        return Following(self._entries(game, kind, key))

    async def around(
        self,
        game: str,
        kind: PeriodKind = PeriodKind.ALL_TIME,
        key: str = "",
        *,
        player_id: str = "",
        radius: int = 0,
    ) -> Board:
        """A player (the caller unless given) between its neighbours."""
        request = ranking_pb2.GetAroundRequest(
            game=game, kind=_number(kind), key=key, player_id=player_id, radius=radius
        )
        answer = await self._connection.call(self._stub.GetAround, request)
        return _board(answer)

    async def stats(self, game: str, player_id: str = "") -> tuple[PeriodStats, ...]:
        """A player's totals and ranks in the current day, week, month, year and in all of time."""
        request = ranking_pb2.GetStatsRequest(game=game, player_id=player_id)
        answer = await self._connection.call(self._stub.GetStats, request)
        return tuple(read_value(PeriodStats, stats) for stats in answer.periods)

    async def _page(
        self, game: str, kind: PeriodKind, key: str, size: int, token: str
    ) -> ranking_pb2.GetBoardResponse:
        request = ranking_pb2.GetBoardRequest(
            game=game, kind=_number(kind), key=key, page_size=size, page_token=token
        )
        return await self._connection.call(self._stub.GetBoard, request)

    async def _entries(
        self, game: str, kind: PeriodKind, key: str
    ) -> AsyncGenerator[RankEntry, None]:
        token = ""
        while True:
            page = await self._page(game, kind, key, 200, token)
            for entry in page.entries:
                yield read_value(RankEntry, entry)
            token = page.next_page_token
            if not token:
                return


def _board(
    message: ranking_pb2.GetBoardResponse | ranking_pb2.GetAroundResponse,
) -> Board:
    entries = tuple(read_value(RankEntry, entry) for entry in message.entries)
    return Board(read_value(Period, message.period), entries, message.players)


def _number(kind: PeriodKind) -> ranking_pb2.PeriodKind.ValueType:
    return ranking_pb2.PeriodKind.Value(f"PERIOD_KIND_{kind.name}")
