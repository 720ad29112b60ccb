"""Guest accounts: how they are made, prove themselves and go."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass
from typing import Any, Final

from spielwerk.errors import AlreadyExists, InvalidArgument, NotFound, Unauthenticated, Unavailable
from spielwerk_accounts.buckets import Bucket, Damaged
from spielwerk_accounts.keys import SigningKeys
from spielwerk_accounts.names import valid_name
from spielwerk_accounts.profiles import Profile, Profiles

_REQUEST_ID: Final = re.compile(r"[0-9A-Za-z_-]{16,64}")
_LONGEST_SECRET: Final = 64
# Compared when there is no account, so that the answer takes as long as for a wrong secret.
_NO_HASH: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class Issued:
    """A token and when it runs out, in milliseconds since 1970."""

    token: str
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class Guest:
    """A new account; the only moment at which its secret is known here."""

    player_id: str
    device_secret: str
    issued: Issued


@dataclass(frozen=True, slots=True)
class _Claim:
    """What one request makes: kept so that a repeat makes the same.

    The secret follows from `nonce` and the request id. Only the nonce is stored, and the id only
    as a hash, so the stored parts alone do not give the secret.
    """

    key: str
    player_id: str
    nonce: bytes
    name_hash: str

    def device_secret(self, request_id: str) -> str:
        message = f"spielwerk|device|{request_id}".encode()
        digest = hmac.digest(self.nonce, message, "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class Guests:
    """The use cases around guest accounts."""

    def __init__(
        self,
        profiles: Profiles,
        requests: Bucket,
        forgotten: Bucket,
        keys: SigningKeys,
        token_ttl_s: int,
    ) -> None:
        self._profiles = profiles
        self._requests = requests
        self._forgotten = forgotten
        self._keys = keys
        self._token_ttl_s = token_ttl_s

    async def create(self, name: str, request_id: str) -> Guest:
        """A new account, or the same again for the same request.

        InvalidArgument for names and request ids against the rules, AlreadyExists
        `request_id_reused` for another name.
        """
        name = valid_name(name)
        if request_id and not _REQUEST_ID.fullmatch(request_id):
            raise InvalidArgument("bad_request_id", "16 to 64 characters of [0-9A-Za-z_-]")
        claim = await self._claimed(name, request_id)
        secret = claim.device_secret(request_id)
        profile = Profile(
            player_id=claim.player_id,
            name=name,
            created_at_ms=_now_ms(),
            secret_hash=_hash(secret),
            claim=claim.key,
        )
        await self._profiles.add(profile)
        return Guest(claim.player_id, secret, self._issue(claim.player_id))

    async def renew(self, player_id: str, device_secret: str) -> Issued:
        """A new token; Unauthenticated `bad_device_secret`, whoever of the two is wrong."""
        try:
            known = (await self._profiles.get(player_id)).secret_hash
        except NotFound:
            known = _NO_HASH
        given = _hash(device_secret[: _LONGEST_SECRET + 1])
        if not hmac.compare_digest(known, given):
            raise Unauthenticated("bad_device_secret", "no such account, or not its secret")
        return self._issue(player_id)

    async def delete(self, player_id: str) -> None:
        """Erase the account; harmless to repeat after any break.

        The bare id is recorded first: it takes the player out of the rankings, and once the profile
        is gone no repeat would come so far. The request goes before the profile, so that a repeat
        of it cannot bring the profile back.
        """
        profile = await self._profiles.get(player_id)
        await self._forgotten.put(player_id, {})
        if profile.claim:
            await self._requests.erase(profile.claim)
        await self._profiles.erase(player_id)

    async def _claimed(self, name: str, request_id: str) -> _Claim:
        """The claim of this request: a new one, or the one of its first call."""
        nonce = secrets.token_bytes(32)
        key = _hash(request_id) if request_id else ""
        claim = _Claim(key, new_player_id(), nonce, _name_hash(nonce, name))
        if not key or await self._requests.create(key, _stored(claim)):
            return claim
        entry = await self._requests.get(key)
        if entry is None:
            raise Unavailable("busy", "the request was forgotten at this moment; repeat it")
        first = _read(key, entry.value)
        if first.name_hash != _name_hash(first.nonce, name):
            raise AlreadyExists("request_id_reused", "this request_id was used for another name")
        return first

    def _issue(self, player_id: str) -> Issued:
        now_s = time.time()
        token = self._keys.issue(player_id, "player", self._token_ttl_s, now_s)
        return Issued(token, int(now_s + self._token_ttl_s) * 1000)


def new_player_id() -> str:
    """A pseudonym: `p` and 80 random bits as 16 characters of [a-z2-7]."""
    return "p" + base64.b32encode(secrets.token_bytes(10)).decode().lower()


def _stored(claim: _Claim) -> dict[str, Any]:
    return {
        "player_id": claim.player_id,
        "nonce": claim.nonce.hex(),
        "name_hash": claim.name_hash,
    }


def _read(key: str, value: dict[str, Any]) -> _Claim:
    try:
        return _Claim(key, value["player_id"], bytes.fromhex(value["nonce"]), value["name_hash"])
    except (KeyError, ValueError, TypeError):
        raise Damaged(key) from None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _name_hash(nonce: bytes, name: str) -> str:
    return hmac.digest(nonce, name.encode(), "sha256").hex()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
