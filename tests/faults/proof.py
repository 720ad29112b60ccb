"""Proves that an installation works again by itself after everything: by playing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from faults.history import Recorder
from spielwerk.client import Endpoints, MatchClient, Patience, Spielwerk, TicketState, Update
from spielwerk.match.model import CauseKind

RECOVERED_S: Final = 45.0
_CALLS: Final = Patience(attempt_s=3.0, total_s=RECOVERED_S, longest_pause_s=0.5)
_OPTIONS: Final = {"turn_seconds": 5, "away_after": 1, "reveal_pause_ms": 0}
_GAME: Final = "quartett"


async def prove(endpoints: Endpoints, recorder: Recorder) -> float:
    """Seconds until new guests were paired, played, saw a bot answer, saw the timer end a match,
    and were ranked; TimeoutError if that takes too long."""
    began = time.monotonic()
    async with asyncio.timeout(RECOVERED_S), asyncio.TaskGroup() as group:
        group.create_task(_queue(endpoints, recorder))
        group.create_task(_practice(endpoints))
    return time.monotonic() - began


async def _queue(endpoints: Endpoints, recorder: Recorder) -> None:
    """Two meet; one moves, then both say nothing, and the timer ends the match: rated."""
    async with _guest(endpoints, "Ada") as ada, _guest(endpoints, "Bob") as bob:
        async with asyncio.TaskGroup() as group:
            meetings = [group.create_task(_met(client, recorder)) for client in (ada, bob)]
        matches = [meeting.result() for meeting in meetings]
        causes, _ = await asyncio.gather(_silent(matches[0]), _silent(matches[1]))
        assert CauseKind.TIMER in causes, causes
        while not all(stats.entry for stats in await ada.rankings.stats(_GAME)):
            await asyncio.sleep(0.2)


async def _practice(endpoints: Endpoints) -> None:
    """A bot answers."""
    async with _guest(endpoints, "Eve") as eve:
        options = _OPTIONS | {"turn_seconds": 0}
        practice = await eve.matchmaking.practice(_GAME, options)
        match = eve.match(practice.match_id)
        await match.join()
        causes = await _played_until(match, CauseKind.BOT)
        assert CauseKind.BOT in causes, causes
        await match.resign()


async def _met(client: Spielwerk, recorder: Recorder) -> MatchClient:
    device = client.device
    assert device is not None
    ticket = await client.matchmaking.enqueue(_GAME, _OPTIONS)
    told = await client.matchmaking.wait_ticket(ticket.ticket_id)
    assert told.state is TicketState.MATCHED, told
    assert told.match_id is not None
    recorder.paired(device.player_id, told.match_id, ticket.ticket_id)
    match = client.match(told.match_id)
    await match.join()
    return match


async def _silent(match: MatchClient) -> set[CauseKind]:
    """What drives a match in which nobody does anything, to its end."""
    async with match.watch(0) as updates:
        return {update.cause async for update in updates if isinstance(update, Update)}


async def _played_until(match: MatchClient, kind: CauseKind) -> set[CauseKind]:
    """Play until a record is caused by somebody of that kind."""
    causes: set[CauseKind] = set()
    async with match.watch(0) as updates:
        async for update in updates:
            assert isinstance(update, Update)
            causes.add(update.cause)
            if kind in causes or update.ended is not None:
                break
            legal = await match.legal()
            if legal.turn_key is not None:
                await match.submit(_first(legal.commands), legal.turn_key)
    return causes


def _first(commands: tuple[Any, ...]) -> Any:
    return commands[0]


@asynccontextmanager
async def _guest(endpoints: Endpoints, name: str) -> AsyncIterator[Spielwerk]:
    async with Spielwerk.connect(endpoints, calls=_CALLS, streams=_CALLS) as client:
        await client.create_guest(name)
        yield client
