"""Guests and their tokens, against the real accounts service."""

from __future__ import annotations

import asyncio

import jwt
import pytest

from client.house import House
from client.wire import wire_to
from spielwerk.client import Device, Endpoints, Spielwerk
from spielwerk.client.retrying import Patience
from spielwerk.client.session import Session
from spielwerk.errors import Unauthenticated, Unavailable


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


def due(player_id: str) -> str:
    """A token whose renewal is due."""
    return jwt.encode({"sub": player_id, "nbf": 0, "exp": 0}, "k" * 32, "HS256")


async def test_a_renewal_ahead_of_time_may_fail_and_is_one_calls_business() -> None:
    session = Session(token := due("ada"), Device("ada", "s"))
    asked, answer = [], asyncio.Event()

    async def renew(device: Device) -> str:
        asked.append(device)
        await answer.wait()
        raise Unavailable("away")

    first = asyncio.create_task(session.prepare(renew))
    await asyncio.sleep(0)
    await session.prepare(renew)  # another call goes on at once
    answer.set()
    await first
    await session.prepare(renew)
    assert len(asked) == 1
    assert session.token() == token


async def test_a_token_that_is_missing_is_waited_for() -> None:
    session = Session(None, Device("ada", "s"))

    async def renew(_device: Device) -> str:
        raise Unavailable("away")

    with pytest.raises(Unavailable):
        await session.prepare(renew)


async def test_who_becomes_somebody_else_during_a_renewal_stays_that() -> None:
    session = Session(due("ada"), Device("ada", "s"))
    answer = asyncio.Event()

    async def renew(device: Device) -> str:
        await answer.wait()
        return due(device.player_id)

    renewal = asyncio.create_task(session.prepare(renew))
    await asyncio.sleep(0)
    session.become(Device("ben", "s"), of_ben := due("ben"))
    answer.set()
    await renewal
    assert session.token() == of_ben


async def test_an_account_that_is_gone_is_deleted(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        device = await client.create_guest("Ada")
        await client.accounts.delete()
    async with Spielwerk.connect(house.address, token=house.token(device.player_id)) as again:
        await again.accounts.delete()


async def test_streams_outlast_accounts_that_are_away_longer_than_calls_do(house: House) -> None:
    async with Spielwerk.connect(house.address) as client:
        device = await client.create_guest("Ada")
    match_id = await house.open_match(device.player_id, "ben")
    async with wire_to(house.address) as wire:
        wire.mute = True
        places = Endpoints(house.address, wire.address, house.address, house.address)
        calls = Patience(attempt_s=0.1, total_s=0.3)
        async with (
            Spielwerk.connect(places, device=device, calls=calls) as client,
            client.match(match_id).watch() as watched,
        ):
            first = asyncio.ensure_future(anext(watched))
            with pytest.raises(Unavailable):
                await client.accounts.profile()  # it has lost its patience
            assert not first.done()
            wire.cut()
            assert (await first).version == 1
