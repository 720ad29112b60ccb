"""One clock for all processes: the broker's, carried on by the local monotonic clock."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Final

from spielwerk.background import running
from spielwerk.errors import Unavailable
from spielwerk.log.api import ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.settings import LogSettings
from spielwerk.telemetry.logs import get_logger

_PERIOD_S: Final = 10.0
_SAMPLES: Final = 3
_TIMEOUT_S: Final = 2.0
_DRIFT_PPM: Final = 500
"""What two clocks may part in a millionth of the time: the worst that NTP corrects."""

_log = get_logger(__name__)

Monotonic = Callable[[], float]


class BrokerClock:
    """A Clock; measure it first, and again now and then."""

    def __init__(
        self, connection: Connection, settings: LogSettings, monotonic: Monotonic = time.monotonic
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._monotonic = monotonic
        self._offset_s = 0.0
        self._error_s = math.inf
        self._measured_at = 0.0

    def now_ms(self) -> int:
        """The broker's time in ms since 1970-01-01 UTC."""
        return int((self._monotonic() + self._offset_s) * 1000)

    @property
    def uncertainty_ms(self) -> float:
        """How far `now_ms` may be off: half a round trip, plus drift since the measurement."""
        age = self._monotonic() - self._measured_at
        return (self._error_s + age * _DRIFT_PPM / 1e6) * 1000

    async def measure(self) -> None:
        """Ask the broker a few times and believe the quickest answer; Unavailable if none comes."""
        samples = [await self._sample() for _ in range(_SAMPLES)]
        self._error_s, self._offset_s, self._measured_at = min(samples)

    async def _sample(self) -> tuple[float, float, float]:
        """Error and offset in seconds, and the local time of the measurement."""
        verb = f"STREAM.INFO.{self._settings.part.stream}"
        asked = self._monotonic()
        try:
            answer = await ask(self._connection, verb, None, timeout=_TIMEOUT_S)
        except ApiError as error:
            raise unavailable(error) from error
        answered = self._monotonic()
        broker = datetime.fromisoformat(answer["ts"]).timestamp()
        return (answered - asked) / 2, broker - (asked + answered) / 2, answered


@asynccontextmanager
async def running_clock(
    connection: Connection, settings: LogSettings, *, period_s: float = _PERIOD_S
) -> AsyncIterator[BrokerClock]:
    """A measured clock that is measured again every 10 s and when the connection comes back.

    An error that is not the broker's silence is raised from the block: a clock that nobody
    measures any more would only get worse.
    """
    clock = BrokerClock(connection, settings)
    await clock.measure()
    again = asyncio.Event()
    forget = connection.on_return(again.set)
    try:
        async with running(_keep(clock, again, period_s)):
            yield clock
    finally:
        forget()


async def _keep(clock: BrokerClock, again: asyncio.Event, period_s: float) -> None:
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(period_s):
                await again.wait()
        again.clear()
        try:
            await clock.measure()
        except Unavailable as error:
            _log.warning("clock not measured", error=error.message)
