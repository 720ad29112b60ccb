"""Settings of the broker connection and of the stream that holds the log."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from spielwerk.log.subjects import SHARDS, shard_of
from spielwerk.tls import NamedTls


class BrokerTls(NamedTls):
    """TLS to the broker."""

    first: bool = False
    """Encrypt before the broker's greeting; the broker says `handshake_first`."""


class NatsSettings(BaseModel):
    """Where the broker is and who we are there; times in seconds."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    url: str = "nats://127.0.0.1:4222"
    """Several servers of a cluster are separated by commas."""
    user: str | None = None
    """The user at the broker, where the url names none."""
    password: SecretStr | None = None
    """The user's password."""
    token: SecretStr | None = None
    """Instead of user and password."""
    tls: BrokerTls | None = None
    """For a broker with TLS; with a url that begins with `tls://` it may be left out."""
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
    """The stream of all matches, or the streams that share them by shard."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    stream: str = Field(default="MATCHES", pattern=r"^[A-Za-z0-9_-]+$")
    """Name of the stream."""
    streams: int = Field(default=1, ge=1, le=SHARDS)
    """Several are named MATCHES_0, MATCHES_1 ...; stream i has the shards s with s mod n = i. A
    divisor of 64, chosen once for an installation."""
    replicas: int = Field(default=1, ge=1, le=5)
    """Servers of the cluster that keep each record: 1, or 3."""
    max_bytes: int = -1
    """Of each stream. A full log refuses moves and never drops old ones; -1: as much as the
    broker's disk holds."""
    new_installation: bool = False
    """The operator's word that there are no older matches: only then is a missing stream made."""
    marker_file: Path | None = None
    """Where this installation remembers its stream; the first start, without it, is a new one."""
    append_timeout_s: float = Field(default=2.0, gt=0)
    """After this long without an answer the outcome of an append is unknown."""
    read_timeout_s: float = Field(default=5.0, gt=0)
    """How long a read may take."""

    @field_validator("streams")
    @classmethod
    def _divides_shards(cls, streams: int) -> int:
        if SHARDS % streams:
            raise ValueError(f"the {SHARDS} shards cannot be shared equally by {streams} streams")
        return streams

    @property
    def parts(self) -> tuple[LogSettings, ...]:
        """The settings of each stream: these very ones if there is one."""
        if self.streams == 1:
            return (self,)
        return tuple(self._part(number) for number in range(self.streams))

    @property
    def part(self) -> LogSettings:
        """Any one stream, for what is the same for all: the broker's time."""
        return self.parts[0]

    @property
    def shards(self) -> range:
        """The shards of this log or stream."""
        return range(SHARDS)

    @property
    def tag(self) -> str:
        """What makes a name that several streams need (`checkpoint`) this stream's own."""
        return ""

    def holds(self, match_id: str) -> bool:
        """Whether the match, whose id must be well formed, belongs here."""
        return shard_of(match_id) in self.shards

    def _part(self, number: int) -> LogSettings:
        marker = self.marker_file
        own = marker and marker.with_name(f"{marker.stem}-{number}{marker.suffix}")
        names = {"stream": f"{self.stream}_{number}", "marker_file": own, "number": number}
        return PartSettings(**self.model_dump() | names)


class PartSettings(LogSettings):
    """One of several streams; made by `LogSettings.parts` alone."""

    number: int

    @property
    def parts(self) -> tuple[LogSettings, ...]:
        """Itself."""
        return (self,)

    @property
    def shards(self) -> range:
        """Every n-th."""
        return range(self.number, SHARDS, self.streams)

    @property
    def tag(self) -> str:
        """The stream's name."""
        return f":{self.stream}"
