"""Checks tokens: JWT signed with Ed25519 by a key of the installation's JSON Web Key Set."""

from __future__ import annotations

import json
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from spielwerk.errors import Unauthenticated
from spielwerk.rpc.settings import AuthSettings, Misconfigured, Mode
from spielwerk.telemetry.logs import get_logger

LONGEST_TOKEN: Final = 4096
DEVELOPMENT: Final = "development-"
"""Prefix of the key ids that production refuses."""

_REMEMBERED: Final = 4096
_FILE_CHECK_S: Final = 5.0
_ROLE: Final = re.compile(r"player|auditor|operator|service:[a-z_]{1,32}")
_SUBJECT: Final = re.compile(r"[0-9A-Za-z_:.-]{1,64}")

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: a player's id or a service's name, and the role that decides what it may do."""

    subject: str
    role: str


@dataclass(frozen=True, slots=True)
class _Verified:
    caller: Caller
    not_before: float
    expires: float


class DevelopmentKey(Misconfigured):
    """Production was given a key that was generated for development."""


class PublicKeys:
    """The keys that are trusted; a file is read again when it changes, so that keys can rotate.

    `DevelopmentKey` or ValueError if the configured text is refused. A file may still be missing.
    """

    def __init__(self, settings: AuthSettings, mode: Mode) -> None:
        self._mode = mode
        self._file = None if settings.jwks else settings.jwks_file
        self._stamp: tuple[int, int] | None = None
        self._checked = time.monotonic()
        self._own: dict[str, Ed25519PublicKey] = {}
        self._read = read_jwks(settings.jwks, mode) if settings.jwks else {}
        self.changes = 0
        if self._file is not None and self._file.exists():
            self._read_file(self._file)

    @property
    def configured(self) -> bool:
        """Whether there are keys or a place where they will be."""
        return bool(self._own or self._read or self._file)

    def available(self) -> bool:
        """Whether any token could be checked now."""
        self.refresh()
        return bool(self._own or self._read)

    def trust(self, jwks: str) -> None:
        """Also accept the keys of this set (the issuer's own)."""
        self._own = read_jwks(jwks, self._mode)
        self.changes += 1

    def find(self, kid: str) -> Ed25519PublicKey | None:
        """The key of this id."""
        return self._own.get(kid) or self._read.get(kid)

    def refresh(self) -> None:
        """Look at the file, at most every five seconds; an unreadable one keeps the old keys."""
        now = time.monotonic()
        if self._file is None or (self._stamp and now - self._checked < _FILE_CHECK_S):
            return
        self._checked = now
        try:
            self._read_file(self._file)
        except (OSError, ValueError) as error:
            _log.warning("keys not readable", file=self._file, exc_info=error)

    def _read_file(self, file: Path) -> None:
        found = file.stat()
        stamp = (found.st_mtime_ns, found.st_ino)
        if stamp == self._stamp:
            return
        self._read = read_jwks(file.read_text(), self._mode)
        self._stamp = stamp
        self.changes += 1


class Verifier:
    """Verifies tokens and remembers the latest ones: a signature costs about 100 µs."""

    def __init__(
        self, settings: AuthSettings, keys: PublicKeys, now: Callable[[], float] = time.time
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._now = now
        self._known: OrderedDict[str, _Verified] = OrderedDict()
        self._changes = keys.changes

    def verify(self, token: str) -> Caller:
        """The caller of a valid token; `Unauthenticated` in every other case."""
        if len(token) > LONGEST_TOKEN:
            raise Unauthenticated("token_invalid", "the token is too long")
        self._keys.refresh()
        if self._changes != self._keys.changes:
            self._known.clear()
            self._changes = self._keys.changes
        verified = self._known.get(token)
        if verified is None:
            verified = self._known[token] = self._verified(token)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(token)
        return self._timely(verified)

    def _timely(self, verified: _Verified) -> Caller:
        now, leeway = self._now(), self._settings.leeway_s
        if now >= verified.expires + leeway:
            raise Unauthenticated("token_expired", "the token has expired")
        if now < verified.not_before - leeway:
            raise Unauthenticated("token_not_yet_valid", "the token is not valid yet")
        return verified.caller

    def _verified(self, token: str) -> _Verified:
        try:
            return _claimed(self._decoded(token))
        # A header of 4 KiB can nest deeper than the JSON parser goes.
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise Unauthenticated("token_invalid", "the token is not valid") from error

    def _decoded(self, token: str) -> dict[str, Any]:
        kid = jwt.get_unverified_header(token).get("kid")
        key = self._keys.find(kid) if isinstance(kid, str) else None
        if key is None:
            raise jwt.InvalidKeyError("unknown key id")
        return jwt.decode(
            token,
            key,
            algorithms=["EdDSA"],
            issuer=self._settings.issuer,
            audience=self._settings.audience,
            # Times are checked at each use, also of remembered tokens.
            options={
                "require": ["exp", "nbf", "iss", "aud", "sub"],
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )


def read_jwks(text: str, mode: Mode) -> dict[str, Ed25519PublicKey]:
    """The Ed25519 keys of a JSON Web Key Set by key id.

    ValueError for anything else, `DevelopmentKey` in production.
    """
    document = json.loads(text)
    if not isinstance(document, dict) or not isinstance(document.get("keys"), list):
        raise Misconfigured("not a JSON Web Key Set")
    keys = dict(_public_key(entry) for entry in document["keys"])
    if mode == "production" and any(kid.startswith(DEVELOPMENT) for kid in keys):
        raise DevelopmentKey("a development key is not accepted in production")
    return keys


def service_token(settings: AuthSettings) -> Callable[[], str | None]:
    """Gives this service's own token at each call; a token file is read again when it changes."""
    if settings.token is not None:
        token = settings.token.get_secret_value()
        return lambda: token
    if settings.token_file is None:
        return lambda: None
    return _TokenFile(settings.token_file)


class _TokenFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = 0
        self._token: str | None = None

    def __call__(self) -> str | None:
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp != self._stamp:
                self._token, self._stamp = self._path.read_text().strip(), stamp
        except OSError as error:
            _log.warning("token not readable", file=self._path, exc_info=error)
        return self._token


def _public_key(entry: Mapping[str, Any]) -> tuple[str, Ed25519PublicKey]:
    kid = entry.get("kid")
    try:
        key = jwt.PyJWK(dict(entry), algorithm="EdDSA").key
    except jwt.PyJWTError as error:
        raise Misconfigured("not a public Ed25519 key") from error
    if not isinstance(kid, str) or not isinstance(key, Ed25519PublicKey):
        raise Misconfigured("a key without an id, or not a public Ed25519 key")
    return kid, key


def _claimed(claims: Mapping[str, Any]) -> _Verified:
    subject, role = claims["sub"], claims.get("role")
    if not isinstance(role, str) or not _ROLE.fullmatch(role):
        raise ValueError("no such role")
    if not _SUBJECT.fullmatch(subject):
        raise ValueError("no such subject")
    return _Verified(Caller(subject, role), _seconds(claims["nbf"]), _seconds(claims["exp"]))


def _seconds(claim: object) -> float:
    if isinstance(claim, bool) or not isinstance(claim, int | float) or not isfinite(claim):
        raise ValueError("times are finite numbers")
    return float(claim)
