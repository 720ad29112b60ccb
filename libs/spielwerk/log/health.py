"""Signs of life to outages: where nobody left one for too long, the services were away."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

from spielwerk.log.health_stream import Sign
from spielwerk.match.model import Outage


class Outages:
    """Folds the signs in the order of their stream; all who read it come to the same outages.

    A gap of more than `threshold_ms` between two beats is an outage. Beats are not kept for ever,
    so outages are written down, too; each counts once, however often it was seen.
    """

    def __init__(self, threshold_ms: int) -> None:
        self.newest_ms = 0
        """When the last known beat was stored, by the broker's clock."""
        self.last_until_ms = 0
        """When the last known outage ended; 0: there was none."""
        self._threshold_ms = threshold_ms
        self._known: list[Outage] = []
        self._seen: set[Outage] = set()
        self._written: set[Outage] = set()

    def take(self, sign: Sign) -> None:
        """Take the next message of the stream."""
        if sign.outage is not None:
            self._written.add(sign.outage)
            self._add(sign.outage)
        if sign.beat_ms is None:
            return
        if self.newest_ms and sign.beat_ms - self.newest_ms > self._threshold_ms:
            self._add(Outage(self.newest_ms, sign.beat_ms))
        self.newest_ms = sign.beat_ms

    def since(self, ms: int) -> Sequence[Outage]:
        """The outages that ended later than `ms`, ordered by their ends."""
        return self._known[bisect_right(self._known, ms, key=_until_ms) :]

    @property
    def unwritten(self) -> Sequence[Outage]:
        """Outages that only beats tell of."""
        return sorted(self._seen - self._written, key=_until_ms)

    def _add(self, outage: Outage) -> None:
        if outage not in self._seen:
            self._seen.add(outage)
            insort(self._known, outage, key=_until_ms)
            self.last_until_ms = self._known[-1].until_ms


def _until_ms(outage: Outage) -> int:
    return outage.until_ms
