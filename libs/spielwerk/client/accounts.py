"""Accounts: guests, profiles, names."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from spielwerk.api.v1 import account_pb2
from spielwerk.client.connection import Connection
from spielwerk.client.match import new_id
from spielwerk.client.reading import read_value
from spielwerk.client.session import Device
from spielwerk.errors import NotFound


@dataclass(frozen=True, slots=True)
class Profile:
    """A player as others see it; names are not unique."""

    player_id: str
    name: str
    created_at_ms: int


class Accounts:
    """Who the caller is. All methods raise the exceptions of `spielwerk.errors`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create_guest(self, name: str) -> Device:
        """Make an account and act as it from now on; keep the device to be this player again."""
        request = account_pb2.CreateGuestRequest(name=name, request_id=new_id())
        create = self._connection.accounts.CreateGuest
        answer = await self._connection.call(create, request, public=True)
        device = Device(answer.player_id, answer.device_secret)
        self._connection.session.become(device, answer.token)
        return device

    def become(self, device: Device | None) -> None:
        """Act as a known guest from the next call on; None: as nobody."""
        self._connection.session.become(device)

    async def profile(self, player_id: str = "") -> Profile:
        """A player's profile; the caller's own unless given."""
        request = account_pb2.GetProfileRequest(player_id=player_id)
        answer = await self._connection.call(self._connection.accounts.GetProfile, request)
        return read_value(Profile, answer.profile)

    async def rename(self, name: str) -> Profile:
        """Give the caller's account another name."""
        request = account_pb2.RenameProfileRequest(name=name)
        answer = await self._connection.call(self._connection.accounts.RenameProfile, request)
        return read_value(Profile, answer.profile)

    async def delete(self) -> None:
        """Delete the caller's account for good; one that is gone is done, too."""
        request = account_pb2.DeleteAccountRequest()
        with suppress(NotFound):  # the answer of the first attempt may have been lost
            await self._connection.call(self._connection.accounts.DeleteAccount, request)
        self.become(None)
