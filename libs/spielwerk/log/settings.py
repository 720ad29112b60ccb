"""Settings of the broker connection and of the stream that holds the log."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class NatsSettings(BaseModel):
    """Where the broker is and who we are there; times in seconds."""

    model_config = ConfigDict(frozen=True)

    url: str = "nats://127.0.0.1:4222"
    """Several servers of a cluster are separated by commas."""
    user: str | None = None
    password: SecretStr | None = None
    token: SecretStr | None = None
    ca_file: Path | None = None
    """Certificate authority of a broker with TLS; None: the system's."""
    start_timeout_s: float = Field(default=30.0, gt=0)
    """How long a starting process waits for the broker before it gives up."""

    @property
    def printable(self) -> str:
        """The URL without a password."""
        return re.sub(r"//[^/@]*@", "//", self.url)

    @property
    def guarded(self) -> bool:
        """Whether the broker is told who we are: by a password or a token."""
        in_url = all(re.search(r"//[^/@]+@", url) for url in self.url.split(","))
        given = self.token or self.password
        return in_url or bool(given and given.get_secret_value())


class LogSettings(BaseModel):
    """The stream of all matches."""

    model_config = ConfigDict(frozen=True)

    stream: str = Field(default="MATCHES", pattern=r"^[A-Za-z0-9_-]+$")
    replicas: int = Field(default=1, ge=1, le=5)
    max_bytes: int = -1
    """A full log refuses moves and never drops old ones; -1: as much as the broker's disk holds."""
    new_installation: bool = False
    """The operator's word that there are no older matches: only then is a missing stream made."""
    marker_file: Path | None = None
    """Where this installation remembers its stream; the first start, without it, is a new one."""
    append_timeout_s: float = Field(default=2.0, gt=0)
    """After this long without an answer the outcome of an append is unknown."""
    read_timeout_s: float = Field(default=5.0, gt=0)
