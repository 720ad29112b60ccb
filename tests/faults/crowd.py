"""The guests of a run: how many, how patient, and what they have to complain of."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from faults.asking import PATIENT, Asking, Hasty
from faults.guest import Guest
from faults.history import Outcome, Recorder
from faults.meeting import Meeting
from spielwerk.client import Endpoints, Spielwerk

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
    endpoints: Endpoints, recorder: Recorder, seed: int, count: int
) -> AsyncIterator[Crowd]:
    """So many guests; whoever is left at the end of the block is sent away."""
    made = Crowd(recorder)
    async with AsyncExitStack() as stack:
        for number in range(count):
            rng = random.Random(f"{seed}/{number}")
            calls = PATIENT if number % _HASTY_EVERY else Hasty(random.Random(rng.random()))
            connecting = Spielwerk.connect(endpoints, calls=calls, streams=PATIENT)
            client = await stack.enter_async_context(connecting)
            asking = Asking(f"guest-{number}", client, recorder)
            asking.secrets = made.secrets
            made.guests.append(Guest(asking, made.meeting, rng))
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


_LATEST: Final = 500
"""Older ones have an answer, or will not get one soon."""
