"""RankingService: translates between the API's messages and the boards."""

from __future__ import annotations

import re
from typing import Any, Final
from zoneinfo import ZoneInfo

from spielwerk.api.v1 import ranking_pb2 as pb
from spielwerk.api.v1.ranking_pb2_grpc import RankingServiceServicer
from spielwerk.errors import InvalidArgument
from spielwerk.rankings.periods import PeriodKind
from spielwerk.rpc.auth import current_caller
from spielwerk_scoring.boards import Boards
from spielwerk_scoring.keys import board_name
from spielwerk_scoring.wire import (
    entry_message,
    next_token,
    period_message,
    read_kind,
    read_token,
)

_PLAYER: Final = re.compile(r"[0-9A-Za-z_:.-]{1,64}", re.ASCII)
_PAGE, _LARGEST_PAGE = 50, 200
_RADIUS, _LARGEST_RADIUS = 5, 50


class RankingServicer(RankingServiceServicer):
    """Reads only; every answer carries the period and the zone of its calendar."""

    def __init__(self, boards: Boards, zone: ZoneInfo) -> None:
        self._boards = boards
        self._zone = zone

    async def GetBoard(self, request: pb.GetBoardRequest, _context: Any) -> pb.GetBoardResponse:
        """One page of a board."""
        kind, key, below = read_kind(request.kind), request.key, None
        if request.page_token:
            token = read_token(request.page_token)
            key, below = key or token.key, token.member
        period = self._boards.period(kind, key)
        if request.page_token and token.board != board_name(request.game, period):
            raise InvalidArgument("bad_page_token", "the token belongs to another board")
        size = min(request.page_size or _PAGE, _LARGEST_PAGE)
        page = await self._boards.page(request.game, period, size, below)
        return pb.GetBoardResponse(
            period=period_message(period, self._zone),
            entries=[entry_message(row) for row in page.rows],
            players=page.players,
            next_page_token=next_token(request.game, period, page.last_member),
        )

    async def GetAround(self, request: pb.GetAroundRequest, _context: Any) -> pb.GetAroundResponse:
        """The neighbours of one player."""
        if request.radius > _LARGEST_RADIUS:
            raise InvalidArgument("bad_radius", f"the radius is at most {_LARGEST_RADIUS}")
        player_id = _player(request.player_id)
        period = self._boards.period(read_kind(request.kind), request.key)
        radius = request.radius or _RADIUS
        window = await self._boards.around(request.game, period, player_id, radius)
        return pb.GetAroundResponse(
            period=period_message(period, self._zone),
            entries=[entry_message(row) for row in window.rows],
            players=window.players,
        )

    async def GetStats(self, request: pb.GetStatsRequest, _context: Any) -> pb.GetStatsResponse:
        """One player's places in the five current periods."""
        player_id = _player(request.player_id)
        response = pb.GetStatsResponse()
        for kind in PeriodKind:
            period = self._boards.period(kind, "")
            place = await self._boards.place(request.game, period, player_id)
            stats = response.periods.add(
                period=period_message(period, self._zone), players=place.players
            )
            if place.rows:
                stats.entry.CopyFrom(entry_message(place.rows[0]))
        return response


def _player(given: str) -> str:
    """The player that is asked for: the caller itself if none is named."""
    caller = current_caller()
    player_id = given or (caller.subject if caller.role == "player" else "")
    if not _PLAYER.fullmatch(player_id):
        raise InvalidArgument("no_player", "a player's id is needed")
    return player_id
