"""The caller's identity: a token from outside, or a device whose tokens are renewed in time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import jwt

from spielwerk.errors import Unclear

Renew = Callable[["Device"], Awaitable[str]]
"""Exchanges the device's secret for a token."""

_MARGIN: Final = 0.1
"""A token is renewed when this part of its life is left."""
_AGAIN_S: Final = 30.0
"""A renewal ahead of time that was not answered is tried again after so long."""


@dataclass(frozen=True, slots=True)
class Device:
    """What a guest keeps to be the same player again: keep the secret in safe storage."""

    player_id: str
    secret: str = field(repr=False)


class Session:
    """The token of the moment. Expiry is reckoned on this machine's monotonic clock alone, from
    the lifetime written in the token, so that a wrong wall clock does no harm.
    """

    def __init__(self, token: str | None, device: Device | None) -> None:
        self.device = device
        self._token = token
        self._renew_at = _renewal_time(token)
        self._lock = asyncio.Lock()

    def token(self) -> str | None:
        """What calls carry now; None before there is an identity."""
        return self._token

    def become(self, device: Device | None, token: str | None = None) -> None:
        """Act as this player from now on; None: as nobody. A missing token is asked for in time."""
        self.device = device
        self._take(token)

    async def prepare(self, renew: Renew, renew_early: Renew | None = None) -> None:
        """Get a missing token; renew one that is near its end.

        The latter is one call's business and may fail: the token is good for some time yet.
        """
        if self.device is None:
            return
        if self._token is None:
            await self.replace(None, renew)
        elif time.monotonic() >= self._renew_at and not self._lock.locked():
            self._renew_at = time.monotonic() + _AGAIN_S
            with suppress(Unclear):
                await self.replace(self._token, renew_early or renew)

    async def replace(self, refused: str | None, renew: Renew) -> bool:
        """Get another token than the refused one; False if there is no device to get one with.

        Many calls may ask at once; one of them renews.
        """
        async with self._lock:
            if self._token != refused:
                return True
            if self.device is None:
                return False
            device = self.device
            token = await renew(device)
            if self.device is device:  # else the caller has become somebody else meanwhile
                self._take(token)
            return True

    def _take(self, token: str | None) -> None:
        self._token = token
        self._renew_at = _renewal_time(token)


def _renewal_time(token: str | None) -> float:
    """Monotonic seconds; a token that tells no times is used until it is refused."""
    if token is None:
        return 0.0
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
        lifetime = float(claims["exp"]) - float(claims["nbf"])
    except (jwt.PyJWTError, KeyError, TypeError, ValueError):
        return float("inf")
    return time.monotonic() + lifetime * (1 - _MARGIN)
