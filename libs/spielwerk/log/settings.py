"""Settings of the broker and of the stream that holds the matches."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class NatsSettings(BaseModel):
    """Where the broker is."""

    model_config = ConfigDict(frozen=True)

    url: str = "nats://127.0.0.1:4222"


class LogSettings(BaseModel):
    """The stream of all matches; sizes in bytes, -1 means no limit."""

    model_config = ConfigDict(frozen=True)

    stream: str = "MATCHES"
    replicas: int = 1
    max_bytes: int = -1
    new_installation: bool = False
