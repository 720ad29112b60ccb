"""The keys that sign tokens: the only private keys of the installation."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from spielwerk.rpc.settings import AuthSettings, Misconfigured, Mode
from spielwerk.rpc.tokens import DEVELOPMENT, DevelopmentKey
from spielwerk.telemetry.logs import get_logger
from spielwerk_accounts.settings import KeySettings

# PEM readers skip what stands before the first boundary.
_DEVELOPMENT_MARK: Final = b"# Development key: production refuses it.\n"

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key and its id: the thumbprint of RFC 7638, with a prefix for development keys."""

    kid: str
    key: Ed25519PublicKey


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The key that signs now, and the public keys that are accepted: this one and the previous."""

    private: Ed25519PrivateKey
    public: tuple[PublicKey, ...]
    issuer: str = "spielwerk"
    audience: str = "spielwerk"

    def jwks(self) -> str:
        """The public keys as a JSON Web Key Set (RFC 7517)."""
        keys = [
            {**_jwk(public.key), "kid": public.kid, "alg": "EdDSA", "use": "sig"}
            for public in self.public
        ]
        return json.dumps({"keys": keys})

    def issue(self, subject: str, role: str, ttl_s: float, now_s: float | None = None) -> str:
        """A token for a player id or a service name, valid for `ttl_s` seconds from now on."""
        now = time.time() if now_s is None else now_s
        claims = {
            "sub": subject,
            "role": role,
            "iss": self.issuer,
            "aud": self.audience,
            "iat": int(now),
            "nbf": int(now),
            "exp": int(now + ttl_s),
        }
        return jwt.encode(claims, self.private, "EdDSA", headers={"kid": self.public[0].kid})


def generate(*, development: bool = True) -> SigningKeys:
    """New keys that are stored nowhere."""
    private = Ed25519PrivateKey.generate()
    return SigningKeys(private, (_public(private.public_key(), development),))


def load(keys: KeySettings, auth: AuthSettings, mode: Mode) -> SigningKeys:
    """The configured keys; without any, a development key that is made at the first start.

    `DevelopmentKey` in production without a key, or with a development key.
    """
    pem = _configured_or_development(keys, mode)
    private = serialization.load_pem_private_key(pem, password=None)
    if not isinstance(private, Ed25519PrivateKey):
        raise Misconfigured("the signing key is not an Ed25519 key")
    public = [_public(private.public_key(), pem.startswith(_DEVELOPMENT_MARK))]
    if keys.previous_file is not None:
        public.append(_previous(keys.previous_file.read_bytes()))
    if mode == "production" and any(key.kid.startswith(DEVELOPMENT) for key in public):
        raise DevelopmentKey("production refuses development keys")
    return SigningKeys(private, tuple(public), auth.issuer, auth.audience)


def write_jwks(keys: SigningKeys, path: Path) -> None:
    """Publish the public keys for services that read a file; replaced in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = _written_beside(path, keys.jwks().encode())
    fresh.chmod(0o644)
    fresh.replace(path)


def _configured_or_development(keys: KeySettings, mode: Mode) -> bytes:
    if keys.pem is not None:
        return keys.pem.get_secret_value().replace("\\n", "\n").encode()
    if keys.file is not None:
        if keys.file.stat().st_mode & 0o077:
            _log.warning("others on this machine can read the signing key", file=keys.file)
        return keys.file.read_bytes()
    if mode == "production":
        raise DevelopmentKey("production needs keys.file with a key of its own")
    return _development_key(keys.data / "development.pem")


def _development_key(path: Path) -> bytes:
    """Read it, or make it; of several processes that start at once, one makes it."""
    if path.exists():
        return path.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    fresh = _written_beside(path, _DEVELOPMENT_MARK + pem)
    try:
        # A link, unlike a rename, never replaces a key that is there.
        os.link(fresh, path)
        _log.warning("made a development key", file=path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_bytes()


def _written_beside(path: Path, content: bytes) -> Path:
    """A new file in the same folder that only its owner may read."""
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    return Path(name)


def _previous(pem: bytes) -> PublicKey:
    development = pem.startswith(_DEVELOPMENT_MARK)
    if b"PRIVATE KEY" in pem:
        private = serialization.load_pem_private_key(pem, password=None)
        key = private.public_key()
    else:
        key = serialization.load_pem_public_key(pem)
    if not isinstance(key, Ed25519PublicKey):
        raise Misconfigured("the previous key is not an Ed25519 key")
    return _public(key, development)


def _public(key: Ed25519PublicKey, development: bool) -> PublicKey:
    # RFC 7638: the required members in order of their names, without spaces.
    canonical = json.dumps(_jwk(key), sort_keys=True, separators=(",", ":")).encode()
    thumbprint = _base64url(hashlib.sha256(canonical).digest())
    return PublicKey(DEVELOPMENT * development + thumbprint, key)


def _jwk(key: Ed25519PublicKey) -> dict[str, str]:
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return {"crv": "Ed25519", "kty": "OKP", "x": _base64url(raw)}


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
