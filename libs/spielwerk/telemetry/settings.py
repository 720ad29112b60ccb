"""Settings of logs and metrics."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class TelemetrySettings(BaseModel):
    """How much is logged, in which form, and where metrics are read."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, use_attribute_docstrings=True)

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least level that is logged."""
    as_json: bool = Field(default=True, alias="json")
    """One JSON object a line; otherwise readable text."""
    metrics_port: int = Field(default=0, ge=0, le=65_535)
    """Port of the Prometheus page; 0: none."""
    metrics_address: str = "127.0.0.1"
    """Where the Prometheus page is listened for."""
