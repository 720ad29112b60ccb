"""The guests of a run: how many, how patient, and what they have to complain of."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from faults.asking import PATIENT, Asking, Hasty
from faults.guest import Guest
from faults.history import Outcome, Recorder
from faults.meeting import Meeting
from faults.player import Expire
from faults.quick_games import QUICK
from spielwerk.api.v1 import match_pb2
from spielwerk.client import Endpoints, Patience, Spielwerk
from spielwerk.errors import SpielwerkError
from spielwerk.match.model import OpenTurn

_HASTY_EVERY: Final = 4
_WIND_DOWN_S: Final = 120.0


@dataclass
class Crowd:
    """All guests; they live until the meeting is over."""

    recorder: Recorder
    meeting: Meeting = field(default_factory=Meeting)
    guests: list[Guest] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    stuck: list[str] = field(default_factory=list)
    _lives: list[asyncio.Task[None]] = field(default_factory=list)

    def under_way(self) -> int:
        """Commands and calls that have no answer yet."""
        latest = self.recorder.history.invocations[-_LATEST:]
        return sum(one.outcome is Outcome.OPEN for one in latest)

    def complaints(self) -> list[str]:
        """Refusals that should not have come, calls given up, guests that did not come to an
        end."""
        players = [line for guest in self.guests for line in guest.player.surprises]
        return players + [line for guest in self.guests for line in guest.troubles] + self.stuck

    def failed(self) -> None:
        """Raise what ended a guest's life before its time."""
        for life in self._lives:
            if life.done() and not life.cancelled():
                life.result()

    async def wind_down(self) -> None:
        """Let all matches come to an end."""
        self.meeting.over.set()
        _, pending = await asyncio.wait(self._lives, timeout=_WIND_DOWN_S)
        self.stuck += [f"{life.get_name()} did not come to an end" for life in pending]


@asynccontextmanager
async def crowd(
    endpoints: Endpoints, recorder: Recorder, timer_token: str, seed: int, count: int
) -> AsyncIterator[Crowd]:
    """So many guests, and a timer that shoots at random; whoever is left at the end of the block
    is sent away."""
    made = Crowd(recorder)
    games = list(QUICK)
    async with AsyncExitStack() as stack:
        connecting = Spielwerk.connect(endpoints, token=timer_token)
        expire = _shooting(await stack.enter_async_context(connecting))
        for number in range(count):
            rng = random.Random(f"{seed}/{number}")
            calls = PATIENT if number % _HASTY_EVERY else Hasty(random.Random(rng.random()))
            connecting = Spielwerk.connect(endpoints, calls=calls, streams=PATIENT)
            client = await stack.enter_async_context(connecting)
            asking = Asking(f"guest-{number}", client, recorder)
            asking.secrets = made.secrets
            made.guests.append(
                Guest(asking, made.meeting, expire, rng, games.pop() if games else None)
            )
        made._lives += [
            asyncio.create_task(guest.live(), name=f"guest-{number}")
            for number, guest in enumerate(made.guests)
        ]
        try:
            yield made
        finally:
            for life in made._lives:
                life.cancel()
            await asyncio.wait(made._lives)


def _shooting(client: Spielwerk) -> Expire:
    """Expire a turn, due or not: rules alone decides, and the log tells whether it was right."""

    async def expire(match_id: str, turn: OpenTurn) -> None:
        request = match_pb2.ExpireDeadlineRequest(
            match_id=match_id, seat=turn.seat, turn_key=turn.key
        )
        connection = client.connection
        with suppress(SpielwerkError):
            await connection.call(connection.matches.ExpireDeadline, request, patience=_ONE_SHOT)

    return expire


_ONE_SHOT: Final = Patience(attempt_s=1.0, total_s=1.0)
_LATEST: Final = 500
"""Older ones have an answer, or will not get one soon."""
