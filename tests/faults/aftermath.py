"""What is left when the faults are over: open matches, boards, gauges, logs."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from faults.checks import ZONE
from faults.checks_boards import BoardRead
from faults.installation import Installation
from faults.quick_games import QUICK
from faults.witness import Witness
from spielwerk.api.v1 import match_pb2
from spielwerk.client import Spielwerk
from spielwerk.client.rankings import PeriodKind as ClientPeriod
from spielwerk.log.census import unfinished
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.subjects import match_id_of
from spielwerk.rankings.periods import PeriodKind
from spielwerk.settings import LogSettings, NatsSettings
from spielwerk_scoring.rebuild import main as rebuild

Rows = tuple[tuple[int, str, int, int], ...]
BoardKey = tuple[str, PeriodKind]
_ENDED_S: Final = 60.0
_BOARDS_S: Final = 30.0
_IDLE_S: Final = 60.0
_POLL_S: Final = 0.5
_DAY_S: Final = 86_400.0

IDLE: Final = (
    "spielwerk_deadlines_open",
    "spielwerk_deadlines_overdue",
    "spielwerk_rpc_streams",
    "spielwerk_watchers",
    "spielwerk_tickets",
    "spielwerk_bots_waiting",
)
"""Gauges that are 0 when nobody is there and no match is open."""


async def witness_of(installation: Installation) -> Witness:
    """The log as it is now, read past all proxies."""
    async with connect(NatsSettings(url=installation.nats.url)) as broker:
        return await Witness.of(JetStreamLog(broker, LogSettings()))


async def until_ended(installation: Installation) -> list[str]:
    """Wait until all matches have ended; those that did not by themselves, ended by an operator."""
    until = time.monotonic() + _ENDED_S
    while (open_now := await _open(installation)) and time.monotonic() < until:
        await asyncio.sleep(_POLL_S)
    token = installation.keys.issue("chaos", "operator", _DAY_S)
    async with Spielwerk.connect(installation.endpoints, token=token) as operator:
        for match_id in open_now:
            request = match_pb2.AbortMatchRequest(match_id=match_id, reason="end of the run")
            connection = operator.connection
            await connection.call(connection.matches.AbortMatch, request)
    return open_now


async def read_boards(installation: Installation, witness: Witness) -> list[BoardRead]:
    """All boards: as they are, and after a rebuild."""
    # Beside the loop: our proxies must not stand still.
    due = await asyncio.to_thread(_due, witness)
    live = await _boards(installation, due, "live")
    url = f"unix://{installation.redis.socket}?db=0"
    await rebuild(installation.nats.url, url)
    return live + await _boards(installation, due, "after rebuild")


async def until_idle(installation: Installation) -> dict[str, float]:
    """Wait until no gauge shows that somebody is there; those that do after a minute."""
    until = time.monotonic() + _IDLE_S
    while (busy := await installation.gauges(*IDLE)) and time.monotonic() < until:
        await asyncio.sleep(_POLL_S)
    return busy


async def _open(installation: Installation) -> list[str]:
    async with connect(NatsSettings(url=installation.nats.url)) as broker:
        census = await unfinished(broker, LogSettings())
    return [match_id_of(message.subject) for message in census.messages]


def _due(witness: Witness) -> dict[BoardKey, Rows]:
    """All boards as the log makes them."""
    return {
        (game, kind): tuple(
            (row.rank, row.player_id, row.total.n_milli, row.total.games)
            for row in witness.board(game, kind, ZONE)
        )
        for game in QUICK
        for kind in PeriodKind
    }


async def _boards(
    installation: Installation, due: dict[BoardKey, Rows], source: str
) -> list[BoardRead]:
    """Each as soon as it is right, or as it is after a while: scoring may still be reading."""
    token = installation.keys.issue("chaos", "auditor", _DAY_S)
    found = []
    async with Spielwerk.connect(installation.endpoints, token=token) as auditor:
        until = time.monotonic() + _BOARDS_S
        for (game, kind), rows in due.items():
            board = await _board(auditor, game, kind, source)
            while board.rows != rows and time.monotonic() < until:
                await asyncio.sleep(_POLL_S)
                board = await _board(auditor, game, kind, source)
            found.append(board)
    return found


async def _board(auditor: Spielwerk, game: str, kind: PeriodKind, source: str) -> BoardRead:
    async with auditor.rankings.entries(game, ClientPeriod(kind.value)) as entries:
        rows = [(e.rank, e.player_id, e.n_milli, e.games) async for e in entries]
    return BoardRead(game, kind, source, tuple(rows))
