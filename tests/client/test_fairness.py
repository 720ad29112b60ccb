"""A client holds the house to its commitment and to the entropy that it was given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from client.falsifying import (
    OTHER,
    another_bot_commitment,
    another_bot_seed,
    another_commitment,
    another_entropy,
    another_seed,
    another_seed_of,
)
from client.house import House
from client.middleman import Falsify, Middleman, middleman_before
from spielwerk.api.v1 import match_pb2
from spielwerk.client import CommitmentBroken, MatchClient, Spielwerk
from spielwerk.games.game import Resign
from spielwerk.match.model import Joined

End = Callable[[Spielwerk, MatchClient], Awaitable[Any]]


async def resigned(_: Spielwerk, match: MatchClient) -> None:
    await match.resign()


async def submitted(_: Spielwerk, match: MatchClient) -> None:
    await match.submit(Resign())


async def seen(_: Spielwerk, match: MatchClient) -> None:
    await over(match)
    await match.view()


async def read(_: Spielwerk, match: MatchClient) -> None:
    await over(match)
    async for _item in match.history():
        pass


async def watched(_: Spielwerk, match: MatchClient) -> None:
    await over(match)
    async with match.watch() as items:
        await anext(items)


async def watched_from_the_beginning(_: Spielwerk, match: MatchClient) -> None:
    await over(match)
    async with match.watch(0) as items:
        async for _item in items:
            pass


async def played(client: Spielwerk, match: MatchClient) -> None:
    async with client.play() as stream:
        await (await stream.submit(match, Resign()))


async def followed(client: Spielwerk, match: MatchClient) -> None:
    await over(match)
    async with client.play() as stream:
        await stream.watch(match, 0)
        while (await anext(stream)).ended is None:
            pass


async def over(match: MatchClient) -> None:
    """End it without looking at the answer."""
    matches = match._connection.matches
    request = match_pb2.ResignRequest(match_id=match.match_id, command_id="the-end")
    await match._connection.call(matches.Resign, request)


ENDS = [resigned, submitted, seen, read, watched, watched_from_the_beginning, played, followed]


@pytest.mark.parametrize("end", ENDS)
async def test_an_honest_house_is_not_accused(
    between: tuple[Middleman, Spielwerk], match: MatchClient, end: End
) -> None:
    await match.join()
    await end(between[1], match)
    assert (await match.view()).ended is not None


async def test_a_match_of_two_players_is_played_without_an_accusation(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    async with house.client("ada") as ada, house.client("ben") as ben:
        for_ada, for_ben = ada.match(match_id), ben.match(match_id)
        await for_ada.join()
        await for_ben.join(b"")
        await for_ben.resign()
        events = [event async for update in for_ada.history() for event in update.events]
    joined = [event for event in events if isinstance(event, Joined)]
    assert joined == [Joined(0, (await for_ada.pledge()).entropy or b""), Joined(1, b"")]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("falsify", [another_seed, another_bot_seed])
async def test_a_seed_that_was_not_committed_to_is_told(
    between: tuple[Middleman, Spielwerk], match: MatchClient, end: End, falsify: Falsify
) -> None:
    await match.join()
    between[0].falsify = falsify
    with pytest.raises(CommitmentBroken) as broken:
        await end(between[1], match)
    assert broken.value.reason == "seed_not_committed"
    assert broken.value.metadata["match_id"] == match.match_id
    assert OTHER.hex() in broken.value.metadata["told"]


@pytest.mark.parametrize("end", [seen, read, watched, watched_from_the_beginning, followed])
@pytest.mark.parametrize("falsify", [another_commitment, another_bot_commitment])
async def test_another_commitment_than_before_is_told(
    between: tuple[Middleman, Spielwerk], match: MatchClient, end: End, falsify: Falsify
) -> None:
    await match.join()
    between[0].falsify = falsify
    with pytest.raises(CommitmentBroken) as broken:
        await end(between[1], match)
    assert broken.value.reason == "commitment_changed"


async def test_a_spectator_notices_another_seed_too(house: House, match: MatchClient) -> None:
    await match.join()
    async with (
        middleman_before(house) as (middleman, address),
        Spielwerk.connect(address, token=house.token("eve")) as eve,
        eve.match(match.match_id).watch() as items,
    ):
        await anext(items)
        middleman.falsify = another_seed
        await match.resign()
        with pytest.raises(CommitmentBroken):
            await anext(items)


async def test_entropy_that_the_history_changes_later_is_told(
    between: tuple[Middleman, Spielwerk], match: MatchClient
) -> None:
    await match.join()
    between[0].falsify = another_entropy
    with pytest.raises(CommitmentBroken) as broken:
        await read(between[1], match)
    assert broken.value.reason == "entropy_changed"


async def two_joined(ada: Spielwerk, house: House) -> list[MatchClient]:
    matches = [ada.match(await house.open_match("ada", "bot:beginner")) for _ in range(2)]
    for match in matches:
        await match.join()
    return matches


async def test_a_broken_commitment_ends_one_match_of_a_play_stream_and_no_other(
    between: tuple[Middleman, Spielwerk], house: House
) -> None:
    middleman, ada = between
    bad, good = await two_joined(ada, house)
    await over(bad)
    middleman.falsify = another_seed_of(bad)
    async with ada.play() as stream:
        await stream.watch(bad, (await bad.view()).version - 1)
        with pytest.raises(CommitmentBroken):
            await anext(stream)
        await stream.watch(good)
        assert (await anext(stream)).match_id == good.match_id


async def test_a_command_that_a_broken_commitment_answers_leaves_the_stream_to_others(
    between: tuple[Middleman, Spielwerk], house: House
) -> None:
    middleman, ada = between
    bad, good = await two_joined(ada, house)
    middleman.falsify = another_seed_of(bad)
    async with ada.play() as stream:
        answer = await stream.submit(bad, Resign())
        with pytest.raises(CommitmentBroken):
            await answer
        assert (await (await stream.submit(good, Resign()))).ended is not None
