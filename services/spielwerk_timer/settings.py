"""Settings of the timer service."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from spielwerk.settings import CommonSettings


class TimerSettings(BaseModel):
    """How deadlines are fired; times in ms or seconds as named."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    calls_at_once: int = Field(default=128, ge=1)
    """Expiries under way at a time."""
    call_s: float = Field(default=5.0, gt=0)
    """How long one expiry may take."""
    jitter_ms: int = Field(default=100, ge=0)
    """Each deadline fires up to this much later, so that several instances seldom meet."""
    checkpoint_s: float = Field(default=5.0, gt=0)
    """How often the open turns are kept in Redis."""

    def shared_by(self, streams: int) -> TimerSettings:
        """What each of several streams may take."""
        return self.model_copy(update={"calls_at_once": max(1, self.calls_at_once // streams)})


class Settings(CommonSettings):
    """Everything that the timer process is told."""

    timer: TimerSettings = TimerSettings()
    keeps_in_store: ClassVar[bool] = True
