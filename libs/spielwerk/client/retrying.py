"""How long and how often a call is repeated: its outcome is open, or a limit asks to wait."""

from __future__ import annotations

import asyncio
import math
import random
import time
from dataclasses import dataclass
from typing import Final

import grpc

from spielwerk.errors import ResourceExhausted, SpielwerkError, Unavailable

OPEN_OUTCOME: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
    }
)
"""Codes after which nobody knows what happened: a repeat with the same id finds out."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of repeating, in seconds: of one attempt, of all together, and of the pauses."""

    attempt_s: float = 5.0
    total_s: float = 30.0
    first_pause_s: float = 0.05
    longest_pause_s: float = 2.0


CALLS: Final = Patience()
STREAMS: Final = Patience(total_s=300.0)
"""Streams come back after an outage of minutes; each message starts the time anew."""


def is_open(failed: grpc.aio.AioRpcError) -> bool:
    """Whether nobody knows what happened.

    The gRPC library itself says INTERNAL when a deadline takes away a stream that is being written.
    """
    cut_off = (failed.details() or "").startswith("Stream removed")
    return failed.code() in OPEN_OUTCOME or (failed.code() is grpc.StatusCode.INTERNAL and cut_off)


def asked_to_wait(error: SpielwerkError) -> bool:
    """Whether it is a limit that says when to come back: nothing happened, so a repeat is safe."""
    return isinstance(error, ResourceExhausted) and error.retry_after is not None


class Backoff:
    """The pauses of one call or stream: each twice as long as the one before, less up to a half."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self.reset()

    def reset(self) -> None:
        """It works again: start anew."""
        self._pause = self._patience.first_pause_s
        self._end = time.monotonic() + self._patience.total_s

    @property
    def attempt_s(self) -> float:
        """The time of the next attempt, never beyond the end."""
        return max(0.001, min(self._patience.attempt_s, self._end - time.monotonic()))

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end

    def next_pause_s(self, error: SpielwerkError) -> float:
        """How long to wait before the next attempt; math.inf if that would be too late.

        A pause that the server asked for is kept.
        """
        pause = self._pause * random.uniform(0.5, 1.0)
        self._pause = min(self._pause * 2, self._patience.longest_pause_s)
        if isinstance(error, ResourceExhausted | Unavailable) and error.retry_after:
            pause = max(pause, error.retry_after)
        return pause if time.monotonic() + pause < self._end else math.inf

    async def pause(self, error: SpielwerkError) -> None:
        """Wait before the next attempt, or raise the error if there is no time for one."""
        seconds = self.next_pause_s(error)
        if math.isinf(seconds):
            raise error
        await asyncio.sleep(seconds)
