"""The fast path: many commands and matches on one stream."""

from __future__ import annotations

import asyncio

import pytest

from client.house import House
from client.playing import play_on
from spielwerk.client import MatchClient, Patience, Spielwerk
from spielwerk.client.playing import PlayStream
from spielwerk.errors import FailedPrecondition, PermissionDenied, StaleTurn, Unavailable


async def joined(house: House, client: Spielwerk, count: int) -> list[MatchClient]:
    """Matches against bots that nobody plays, each with an open turn of the client's."""
    matches = [client.match(await house.open_match("ada", "bot:beginner")) for _ in range(count)]
    for match in matches:
        await match.join()
    return matches


async def test_each_command_gets_its_own_answer(house: House) -> None:
    async with house.client("ada") as ada, ada.play() as stream:
        matches = await joined(house, ada, 30)
        legal = [await match.legal() for match in matches]
        answers = [
            await stream.submit(match, can.commands[0], can.turn_key)
            for match, can in zip(matches, legal, strict=True)
        ]
        updates = await asyncio.gather(*answers)
    assert [u.match_id for u in updates] == [match.match_id for match in matches]
    assert all(u.version == can.version + 1 for u, can in zip(updates, legal, strict=True))


async def test_a_refused_command_does_not_end_the_stream(house: House) -> None:
    async with house.client("ada") as ada, ada.play() as stream:
        (match,) = await joined(house, ada, 1)
        legal = await match.legal()
        first = await stream.submit(match, legal.commands[0], legal.turn_key)
        stale = await stream.submit(match, legal.commands[1], legal.turn_key)
        illegal = await stream.submit(match, legal.commands[1])
        await first
        with pytest.raises(StaleTurn):
            await stale
        with pytest.raises(FailedPrecondition) as refused:
            await illegal
        assert refused.value.reason == "already_discarded"


async def test_the_same_command_id_is_one_command(house: House) -> None:
    async with house.client("ada") as ada, ada.play() as stream:
        (match,) = await joined(house, ada, 1)
        command = (await match.legal()).commands[0]
        one = await stream.submit(match, command, command_id="mine-1")
        two = await stream.submit(match, command, command_id="mine-1")
        assert await one == await two
        again = await stream.submit(match, command, command_id="mine-1")
        assert await again == await one


async def test_matches_are_followed_beside_the_commands(house: House) -> None:
    async with house.client("ada") as ada, ada.play() as stream:
        matches = await joined(house, ada, 3)
        for match in matches:
            await stream.watch(match)
        snapshots = {(await anext(stream)).match_id for _ in matches}
        legal = await matches[1].legal()
        answer = await stream.submit(matches[1], legal.commands[0], legal.turn_key)
        assert await anext(stream) == await answer
    assert snapshots == {match.match_id for match in matches}


async def test_a_slow_reader_misses_no_version(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    async with house.client("ada") as ada, house.client("ben") as ben:
        for client in (ada, ben):
            await client.match(match_id).join()
        await asyncio.gather(play_on(ada.match(match_id)), play_on(ben.match(match_id)))
        quick = Patience(first_pause_s=0.001, longest_pause_s=0.01)
        eve = house.client("eve", streams=quick)
        async with eve, PlayStream(eve.connection, capacity=7) as stream:
            await stream.watch(eve.match(match_id), 0)
            seen = [await anext(stream)]
            while seen[-1].ended is None:
                seen.append(await anext(stream))
    assert [item.version for item in seen] == list(range(1, len(seen) + 1))


async def test_a_watch_that_is_not_allowed_is_told_and_the_stream_goes_on(house: House) -> None:
    async with house.client("ada") as ada, ada.play() as stream:
        await stream.watch(ada.match("01234567890123456789012345"))
        with pytest.raises(PermissionDenied):
            await anext(stream)
        (match,) = await joined(house, ada, 1)
        await stream.watch(match)
        assert (await anext(stream)).match_id == match.match_id


async def test_commands_without_an_answer_fail_when_the_stream_is_left(house: House) -> None:
    async with house.client("ada") as ada:
        (match,) = await joined(house, ada, 1)
        command = (await match.legal()).commands[0]
        async with ada.play() as stream:
            answer = await stream.submit(match, command)
        with pytest.raises(Unavailable):
            await answer
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def test_a_command_that_is_too_old_fails_while_the_server_is_away(house: House) -> None:
    short = Patience(total_s=0.3, first_pause_s=0.01, longest_pause_s=0.05)
    async with house.client("ada", calls=short) as ada:
        (match,) = await joined(house, ada, 1)
        command = (await match.legal()).commands[0]
        await house.stop()
        async with ada.play() as stream:
            answer = await stream.submit(match, command)
            with pytest.raises(Unavailable):
                await answer


async def test_leaving_the_stream_ends_its_call(house: House) -> None:
    async with house.client("ada") as ada:
        async with ada.play() as stream:
            (match,) = await joined(house, ada, 1)
            await stream.watch(match)
            await anext(stream)
            assert house.open_streams("Play") == 1
        async with asyncio.timeout(10):
            while house.open_streams("Play"):
                await asyncio.sleep(0.01)
