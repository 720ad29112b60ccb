"""Guests and their tokens, against the real accounts service."""

from __future__ import annotations

import pytest

from client.house import House
from spielwerk.client import Device, Spielwerk
from spielwerk.client.session import Session
from spielwerk.errors import Unauthenticated


async def test_a_guest_is_made_and_acts_at_once(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        device = await client.create_guest("Ada")
        profile = await client.accounts.profile()
    assert (profile.name, profile.player_id) == ("Ada", device.player_id)


async def test_a_device_is_the_same_player_again(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        device = await client.create_guest("Ada")
    async with Spielwerk.connect(house.address, device=device) as client:
        profile = await client.accounts.rename("Ada L.")
    assert (profile.name, profile.player_id) == ("Ada L.", device.player_id)


async def test_a_refused_token_is_renewed_and_the_call_repeated(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        device = await client.create_guest("Ada")
    expired = house.keys.issue(device.player_id, "player", ttl_s=10, now_s=1_000_000)
    async with Spielwerk.connect(house.address, device=device, token=expired) as client:
        assert (await client.accounts.profile()).name == "Ada"


async def test_a_watch_with_a_refused_token_is_renewed_too(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        device = await client.create_guest("Ada")
    match_id = await house.open_match(device.player_id, "ben")
    expired = house.keys.issue(device.player_id, "player", ttl_s=10, now_s=1_000_000)
    async with (
        Spielwerk.connect(house.address, device=device, token=expired) as client,
        client.match(match_id).watch() as watched,
    ):
        assert (await anext(watched)).version == 1


async def test_a_refused_token_without_a_device_is_an_error(house: House) -> None:
    expired = house.keys.issue("ada", "player", ttl_s=10, now_s=1_000_000)
    async with Spielwerk.connect(house.address, token=expired) as client:
        with pytest.raises(Unauthenticated) as refused:
            await client.accounts.profile()
    assert refused.value.reason == "token_expired"


async def test_a_wrong_secret_is_an_error(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        device = await client.create_guest("Ada")
    thief = Device(device.player_id, "x" * len(device.secret))
    async with Spielwerk.connect(house.address, device=thief) as client:
        with pytest.raises(Unauthenticated) as refused:
            await client.accounts.profile()
    assert refused.value.reason == "bad_device_secret"


async def test_a_token_is_renewed_before_its_end(house: House) -> None:
    device = Device("ada", "secret")
    asked: list[Device] = []

    async def renew(who: Device) -> str:
        asked.append(who)
        return house.token("ada")

    almost_over = house.keys.issue("ada", "player", ttl_s=0)
    session = Session(almost_over, device)
    await session.prepare(renew)
    await session.prepare(renew)
    assert asked == [device]
    assert session.token() != almost_over


async def test_many_callers_renew_a_token_once(house: House) -> None:
    device = Device("ada", "secret")
    asked: list[Device] = []

    async def renew(who: Device) -> str:
        asked.append(who)
        return house.token("ada")

    session = Session("refused", device)
    assert await session.replace("refused", renew)
    assert await session.replace("refused", renew)
    assert len(asked) == 1


async def test_a_deleted_account_leaves_a_client_without_identity(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        await client.create_guest("Ada")
        await client.accounts.delete()
        with pytest.raises(Unauthenticated):
            await client.accounts.profile()
    assert client.device is None


def test_a_device_never_prints_its_secret() -> None:
    assert "hush" not in repr(Device("ada", "hush"))
