"""Signs of life of this process, and the outages that the signs of all rules processes show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from spielwerk.errors import Unavailable
from spielwerk.log.health import Outages
from spielwerk.log.health_stream import HealthStream
from spielwerk.telemetry.logs import get_logger
from spielwerk.telemetry.metrics import Metrics

_SPACING_S: Final = 0.25
"""So far apart are the beats that expiries ask for: thousands that are due at once share one."""
_HEAR_S: Final = 2.0
_START_S: Final = 30.0
_BEHIND_S: Final = 0.02

_log = get_logger(__name__)


class Heartbeat:
    """Leaves a sign of life every `beat_s` while this process can serve, and reads everybody's.

    It can while `serves()` and `log_answers` returns (Unavailable: it does not). `outages` is what
    was read. Each own beat is read back, so whoever has waited for one knows every outage that
    ended before it.
    """

    def __init__(
        self,
        stream: HealthStream,
        outages: Outages,
        serves: Callable[[], bool],
        log_answers: Callable[[], Awaitable[object]],
        metrics: Metrics,
        *,
        beat_s: float,
    ) -> None:
        self.outages = outages
        self._stream = stream
        self._serves = serves
        self._log_answers = log_answers
        self._metrics = metrics
        self._beat_s = beat_s
        self._position = 0
        self._began_at = float("-inf")
        self._heard_at = float("-inf")
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Make the stream if need be, read it from its beginning, and leave the first sign.

        Unavailable without a broker.
        """
        try:
            async with asyncio.timeout(_START_S):
                await self._stream.open()
                async with self._lock:
                    await self._beat()
        except TimeoutError:
            raise Unavailable("outages_unknown", "the signs of life cannot be read") from None

    async def run(self) -> None:
        """Beat for ever; what fails is tried again at the next beat."""
        while True:
            await asyncio.sleep(self._beat_s)
            if not self._serves():
                continue
            try:
                await self.hear()
            except Unavailable as error:
                _log.warning("no sign of life left", why=error.message)

    async def hear(self) -> None:
        """Returns when a beat that was stored after this call has been read.

        Unavailable (outages_unknown) if this process cannot serve, or the broker does not answer.
        """
        loop = asyncio.get_running_loop()
        asked_at = loop.time()
        try:
            async with asyncio.timeout(_HEAR_S), self._lock:
                if self._heard_at >= asked_at:  # somebody else's that we waited for
                    return
                await asyncio.sleep(self._began_at + _SPACING_S - loop.time())
                if not self._serves():
                    raise Unavailable("outages_unknown", "not serving")
                await self._beat()
        except TimeoutError:
            raise Unavailable("outages_unknown", "no sign of life came back in time") from None

    async def _beat(self) -> None:
        self._began_at = asyncio.get_running_loop().time()
        # In a cluster the log may have lost its leader while this stream has one.
        await self._log_answers()
        await self._read_up_to(await self._stream.beat())
        self._heard_at = self._began_at
        await self._write_down()

    async def _read_up_to(self, sequence: int) -> None:
        if sequence <= self._position:  # the stream is another one, made again
            self._position = 0
        while self._position < sequence:
            signs = await self._stream.read(self._position)
            for sign in signs:
                self.outages.take(sign)
                self._position = sign.sequence
            if not signs:  # a replica behind its leader
                await asyncio.sleep(_BEHIND_S)

    async def _write_down(self) -> None:
        """Keep what only beats tell of; if that fails, the next beat tries again."""
        for outage in self.outages.unwritten:
            try:
                await self._stream.write_down(outage)
            except Unavailable as error:
                _log.warning("outage not written down", why=error.message)
                return
            self._metrics.outages.inc()
            length_s = (outage.until_ms - outage.from_ms) / 1000
            _log.warning(
                "outage", length_s=length_s, from_ms=outage.from_ms, until_ms=outage.until_ms
            )
