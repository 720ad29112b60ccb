"""AccountService: translates between messages and use cases."""

from __future__ import annotations

from typing import Any

from spielwerk.api.v1 import account_pb2 as pb
from spielwerk.api.v1.account_pb2_grpc import AccountServiceServicer
from spielwerk.errors import Unauthenticated
from spielwerk.rpc.auth import current_caller
from spielwerk.telemetry.metrics import Metrics
from spielwerk_accounts.guests import Guests
from spielwerk_accounts.keys import SigningKeys
from spielwerk_accounts.names import valid_name
from spielwerk_accounts.profiles import Profile, Profiles
from spielwerk_accounts.rate import Rate


class AccountServicer(AccountServiceServicer):
    """See account.proto."""

    def __init__(
        self, guests: Guests, profiles: Profiles, keys: SigningKeys, rate: Rate, metrics: Metrics
    ) -> None:
        self._guests = guests
        self._profiles = profiles
        self._jwks = keys.jwks()
        self._rate = rate
        self._metrics = metrics

    async def CreateGuest(
        self, request: pb.CreateGuestRequest, _context: Any
    ) -> pb.CreateGuestResponse:
        """Makes a guest account."""
        self._rate.take("too_many_guests")
        guest = await self._guests.create(request.name, request.request_id)
        self._metrics.accounts.labels(action="created").inc()
        return pb.CreateGuestResponse(
            player_id=guest.player_id,
            device_secret=guest.device_secret,
            token=guest.issued.token,
            expires_at_ms=guest.issued.expires_at_ms,
        )

    async def RenewToken(
        self, request: pb.RenewTokenRequest, _context: Any
    ) -> pb.RenewTokenResponse:
        """Exchanges the device secret for a token."""
        try:
            issued = await self._guests.renew(request.player_id, request.device_secret)
        except Unauthenticated:
            self._metrics.tokens.labels(outcome="refused").inc()
            raise
        self._metrics.tokens.labels(outcome="issued").inc()
        return pb.RenewTokenResponse(token=issued.token, expires_at_ms=issued.expires_at_ms)

    async def GetProfile(
        self, request: pb.GetProfileRequest, _context: Any
    ) -> pb.GetProfileResponse:
        """Gives a public profile."""
        player_id = request.player_id or current_caller().subject
        return pb.GetProfileResponse(profile=_profile(await self._profiles.get(player_id)))

    async def RenameProfile(
        self, request: pb.RenameProfileRequest, _context: Any
    ) -> pb.RenameProfileResponse:
        """Renames the caller."""
        name = valid_name(request.name)
        profile = await self._profiles.rename(current_caller().subject, name)
        self._metrics.accounts.labels(action="renamed").inc()
        return pb.RenameProfileResponse(profile=_profile(profile))

    async def DeleteAccount(
        self, _request: pb.DeleteAccountRequest, _context: Any
    ) -> pb.DeleteAccountResponse:
        """Erases the caller's account."""
        await self._guests.delete(current_caller().subject)
        self._metrics.accounts.labels(action="deleted").inc()
        return pb.DeleteAccountResponse()

    async def GetPublicKeys(
        self, _request: pb.GetPublicKeysRequest, _context: Any
    ) -> pb.GetPublicKeysResponse:
        """Gives the public keys."""
        return pb.GetPublicKeysResponse(jwks=self._jwks)


def _profile(profile: Profile) -> pb.Profile:
    return pb.Profile(
        player_id=profile.player_id, name=profile.name, created_at_ms=profile.created_at_ms
    )
