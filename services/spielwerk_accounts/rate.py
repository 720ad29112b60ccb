"""A limit on how often something may happen, with a reserve for bursts."""

from __future__ import annotations

import time
from collections.abc import Callable

from spielwerk.errors import ResourceExhausted


class Rate:
    """`burst` times at once, then `per_second`; counts this process alone."""

    def __init__(
        self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left = float(burst)
        self._at = clock()

    def take(self, reason: str) -> None:
        """Count one; ResourceExhausted with the time to wait when the reserve is used up."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            raise ResourceExhausted(reason, retry_after=(1 - self._left) / self._per_second)
        self._left -= 1
