"""Settings of the gRPC port and of who is let in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from spielwerk.tls import ServerTls

Mode = Literal["development", "production"]


class Misconfigured(ValueError):
    """The process cannot start as it is configured; the text says why and is logged."""


class RpcSettings(BaseModel):
    """The gRPC port and its limits; times in seconds, sizes in bytes."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    listen: str = "127.0.0.1:7700"
    """Host and port; port 0 takes a free one."""
    tls: ServerTls | None = None
    """Certificate of the port; none: it speaks without TLS."""
    internal_listen: str | None = None
    """Second address, for services alone: callers show a certificate of `tls.client_ca`."""
    max_request_bytes: int = 65_536
    """A greater request is refused before it is read."""
    max_streams_per_connection: int = 200
    """Calls and streams that one connection may have open at a time."""
    max_calls: int = 20_000
    """Calls and streams open at a time in this process."""
    calls_per_s: float = Field(default=1_000.0, ge=0)
    """Calls of one caller (a player, or an address without a token); 0: no limit."""
    calls_burst: int = Field(default=2_000, ge=1)
    """Calls that a caller may save up."""
    commands_per_s: float = Field(default=2_000.0, ge=0)
    """Commands of one caller on Play streams; more are held back, not refused; 0: no limit."""
    commands_burst: int = Field(default=4_000, ge=1)
    """Commands that a caller may save up."""
    streams_per_caller: int = Field(default=64, ge=0)
    """Streams that one caller may have open at a time; 0: no limit."""
    grace_s: float = Field(default=10.0, gt=0)
    """How long open calls may take to end after SIGTERM."""
    write_s: float = Field(default=10.0, gt=0)
    """A stream whose reader takes no message for so long is ended."""
    keepalive_time_s: int = 30
    """An idle connection is asked this often whether its client is still there."""
    keepalive_timeout_s: int = 10
    """A client that does not answer for so long is gone."""
    min_ping_interval_s: int = 5
    """Clients that ping more often are sent away (GOAWAY)."""
    reflection: bool = True
    """Whether clients may ask for the protos (grpc.reflection)."""

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        client_ca = self.tls and self.tls.client_ca
        if (client_ca is None) != (self.internal_listen is None):
            raise ValueError("rpc.tls.client_ca and rpc.internal_listen need each other")
        return self


class AuthSettings(BaseModel):
    """Which tokens are accepted, and the token that this service shows to others."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    jwks_file: Path | None = None
    """JSON Web Key Set with the public keys; read again when it changes."""
    jwks: str | None = None
    """The same as text; wins over the file."""
    token: SecretStr | None = None
    """This service's own token."""
    token_file: Path | None = None
    """A file with the token; read again when it changes."""
    issuer: str = "spielwerk"
    """The `iss` of every token."""
    audience: str = "spielwerk"
    """The `aud` of every token."""
    leeway_s: float = 5.0
    """Tolerated difference between the clocks of issuer and verifier."""


class HostSettings(Protocol):
    """What a host reads of a service's settings."""

    @property
    def rpc(self) -> RpcSettings:
        """The port."""
        ...

    @property
    def auth(self) -> AuthSettings:
        """Who is let in."""
        ...

    @property
    def mode(self) -> Mode:
        """Production refuses development keys."""
        ...
