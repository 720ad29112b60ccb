"""Settings of the rules service."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from spielwerk.match.model import SEATING_MS
from spielwerk.settings import CommonSettings


class RulesSettings(BaseModel):
    """Limits of one rules process; times in seconds unless the name says otherwise."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    cached_matches: int = 10_000
    """Match states held in memory; others are folded anew when they are needed."""
    command_s: float = 2.0
    """After this a contended command is answered UNAVAILABLE (busy)."""
    keep_alive_s: float = 15.0
    """A watch without news sends its version, the time and the open turns this often."""
    watch_queue: int = 512
    """Messages that may wait for a slow reader before its stream is ended."""
    play_in_flight: int = 512
    """Commands of one Play stream under way at once; more wait in the stream."""
    watches_per_stream: int = 1_000
    """Matches that one Play stream may watch at a time."""
    seating_ms: int = SEATING_MS
    """How long players have to join, where the creator of a match does not say."""
    beat_s: float = Field(default=2.0, gt=0)
    """How often this process leaves a sign of life while it can serve."""
    outage_s: float = Field(default=6.0, gt=0)
    """Without a sign from any rules process for longer than this, nobody's time has run. Some times
    `beat_s`, and the same in all rules processes."""
    durability: Literal["process", "power", "node"] = "process"
    """What the broker's configuration makes of an acknowledgement; shown by GetServerInfo."""

    @property
    def outage_ms(self) -> int:
        """`outage_s` in milliseconds."""
        return round(self.outage_s * 1000)


class Settings(CommonSettings):
    """Everything the rules service reads from its environment."""

    rules: RulesSettings = RulesSettings()
