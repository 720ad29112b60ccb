"""Settings that every service has, read once from the environment (`SPIELWERK_RPC__LISTEN=…`)."""

from __future__ import annotations

from typing import ClassVar, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.rpc.settings import AuthSettings, Mode, RpcSettings
from spielwerk.telemetry.settings import TelemetrySettings
from spielwerk.tls import ClientTls, NamedTls

__all__ = [
    "AuthSettings",
    "CommonSettings",
    "LogSettings",
    "Mode",
    "NatsSettings",
    "RedisSettings",
    "RpcSettings",
    "TelemetrySettings",
]


class RedisSettings(BaseModel):
    """The store of everything that can be rebuilt."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    url: str = "redis://127.0.0.1:6379/0"
    """Redis; `unix:///path?db=0` for a socket, `rediss://` with TLS."""
    tls: ClientTls | None = None
    """For a store whose url begins with `rediss://`; it may be left out."""

    @model_validator(mode="after")
    def _encrypted(self) -> Self:
        if self.tls is not None and not self.url.startswith("rediss://"):
            raise ValueError("redis.tls needs a redis.url that begins with rediss://")
        return self

    @property
    def guarded(self) -> bool:
        """Whether only we get in: by a password, or by a socket in a folder of ours."""
        parts = urlsplit(self.url)
        return parts.scheme == "unix" or bool(parts.password)


class CommonSettings(BaseSettings):
    """One immutable object, made at the composition root; nothing else reads the environment.

    A service adds its own section in a subclass.
    """

    model_config = SettingsConfigDict(
        env_prefix="SPIELWERK_",
        env_nested_delimiter="__",
        frozen=True,
        extra="ignore",
        use_attribute_docstrings=True,
    )

    mode: Mode = "development"
    """Production refuses development keys, and a broker or store that anybody could enter."""
    nats: NatsSettings = NatsSettings()
    log: LogSettings = LogSettings()
    redis: RedisSettings = RedisSettings()
    rpc: RpcSettings = RpcSettings()
    auth: AuthSettings = AuthSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    api_target: str = "127.0.0.1:7700"
    """Where other services reach MatchService."""
    api_tls: NamedTls | None = None
    """How they are known there; none: that address speaks without TLS."""
    keeps_in_store: ClassVar[bool] = False
    """Whether the service needs the store."""

    @field_validator("nats")
    @classmethod
    def _guarded_broker(cls, nats: NatsSettings, info: ValidationInfo) -> NatsSettings:
        if info.data.get("mode") == "production" and not nats.guarded:
            raise ValueError("production refuses a broker without a password or token")
        return nats

    @field_validator("redis")
    @classmethod
    def _guarded_store(cls, redis: RedisSettings, info: ValidationInfo) -> RedisSettings:
        if info.data.get("mode") == "production" and cls.keeps_in_store and not redis.guarded:
            raise ValueError("production refuses a store without a password in its url")
        return redis
