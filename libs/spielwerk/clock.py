"""Time as an argument: milliseconds since 1970-01-01 UTC from one place that tests can set."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Where the time of records comes from."""

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        ...


class ManualClock:
    """A clock that stands until it is moved; for tests."""

    def __init__(self, now_ms: int = 1_790_000_000_000) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        """The set time."""
        return self.ms

    def advance(self, ms: int) -> None:
        """Move the time forward."""
        self.ms += ms
