"""Settings of the bots service."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from spielwerk.settings import CommonSettings


class BotsSettings(BaseModel):
    """How much and how fast bots of one process think."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    processes: int = Field(default=1, ge=1)
    """Processes that think; as many as there are cores to spare."""
    nice: int = Field(default=10, ge=0, le=19)
    """Their niceness: thinking gives way to serving on the same machine."""
    turns_at_once: int = Field(default=32, ge=1)
    """Turns of bots that are thought about or waited for at a time."""
    min_think_ms: int = Field(default=0, ge=0)
    """A bot's move comes this long after its turn began at the earliest, so that people can follow;
    600 is pleasant."""
    decision_s: float = Field(default=60.0, gt=0)
    """A decision that takes longer is given up with its process."""


class Settings(CommonSettings):
    """Everything the bots service reads from its environment."""

    bots: BotsSettings = BotsSettings()
