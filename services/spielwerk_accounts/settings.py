"""Settings of the accounts service."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from spielwerk.settings import CommonSettings


class KeySettings(BaseModel):
    """Where the key is that signs all tokens of the installation."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    file: Path | None = None
    """PEM with an Ed25519 private key. Unset: a development key in `data`; not in production."""
    pem: SecretStr | None = None
    """The same as text, for an environment without files; line breaks may be written as `\\n`. Wins
    over the file."""
    previous_file: Path | None = None
    """PEM with the key, private or public, that signed before; still accepted."""
    data: Path = Path("data/accounts")
    """Folder of the development key."""
    jwks_file: Path | None = None
    """Where to write the public keys for services that read a file."""


class AccountsSettings(CommonSettings):
    """Keys, storage and limits of accounts; times in seconds."""

    keys: KeySettings = KeySettings()
    profiles_bucket: str = "PROFILES"
    """Key-value bucket of the profiles."""
    requests_bucket: str = "ACCOUNT_REQUESTS"
    """Key-value bucket of the remembered requests."""
    replicas: int = 1
    """Servers of the cluster that keep each profile: 1, or 3."""
    token_ttl_s: int = Field(default=3600, ge=60)
    """How long a player's token is valid."""
    request_ttl_s: int = Field(default=86_400, ge=60)
    """How long a request_id is remembered."""
    guests_per_second: float = Field(default=100.0, gt=0)
    """Guest accounts made a second, from all addresses."""
    guests_burst: int = Field(default=1000, ge=1)
    """So many guest accounts may be made at once, then `guests_per_second`."""
