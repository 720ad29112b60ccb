"""Settings of scoring: the calendar that its periods follow."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from spielwerk.rankings.periods import load_zone
from spielwerk.settings import CommonSettings


class ScoringSettings(BaseModel):
    """How rankings are kept."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    zone: str = "Europe/Berlin"
    """IANA time zone of the calendar; after a change the rankings must be rebuilt."""
    chunk: int = Field(default=100, ge=1, le=1000)
    """Results written in one step."""

    @field_validator("zone")
    @classmethod
    def _known(cls, name: str) -> str:
        load_zone(name)
        return name


class Settings(CommonSettings):
    """Everything that the scoring process is told."""

    scoring: ScoringSettings = ScoringSettings()
    keeps_in_store: ClassVar[bool] = True
