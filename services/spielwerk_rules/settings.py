"""Settings of the rules service."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from spielwerk.match.model import SEATING_MS
from spielwerk.settings import CommonSettings


class RulesSettings(BaseModel):
    """Limits of one rules process; times in seconds unless the name says otherwise."""

    model_config = ConfigDict(frozen=True)

    cached_matches: int = 10_000
    command_s: float = 2.0
    """After this a contended command is answered UNAVAILABLE (busy)."""
    keep_alive_s: float = 15.0
    watch_queue: int = 512
    """Messages that may wait for a slow reader before its stream is ended."""
    play_in_flight: int = 512
    """Commands of one Play stream under way at once; more wait in the stream."""
    watches_per_stream: int = 1_000
    seating_ms: int = SEATING_MS
    durability: Literal["process", "power", "node"] = "process"
    """What the broker's configuration makes of an acknowledgement; shown by GetServerInfo."""


class Settings(CommonSettings):
    """Everything the rules service reads from its environment."""

    rules: RulesSettings = RulesSettings()
