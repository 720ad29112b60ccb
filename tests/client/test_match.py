"""Playing a match with the client against the real rules service."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from client.house import House
from spielwerk.client import MatchClient, MatchView, Update
from spielwerk.errors import FailedPrecondition, PermissionDenied, StaleTurn, Unavailable
from spielwerk.games.cribbage.messages import CardsDealt, Discard
from spielwerk.match.model import Ended, Phase


async def seated(house: House, ada: Any, ben: Any) -> tuple[MatchClient, MatchClient]:
    match_id = await house.open_match("ada", "ben")
    matches = ada.match(match_id), ben.match(match_id)
    for match in matches:
        await match.join()
    return matches


async def test_both_players_join_and_see_only_their_own_cards(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        for_ada, for_ben = await seated(house, ada, ben)
        mine, theirs = await for_ada.view(), await for_ben.view()
    assert (mine.seat, theirs.seat) == (0, 1)
    assert mine.phase is Phase.PLAYING
    assert len(mine.table.hand) == len(theirs.table.hand) == 6
    assert not set(mine.table.hand) & set(theirs.table.hand)


async def test_a_discard_becomes_a_version_with_the_own_cards_in_it(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        match, _ = await seated(house, ada, ben)
        legal = await match.legal()
        update = await match.submit(legal.commands[0], legal.turn_key)
        view = await match.view()
    assert isinstance(legal.commands[0], Discard)
    assert update.version == legal.version + 1
    assert view.table.discards == legal.commands[0].cards


async def test_a_command_for_a_turn_that_is_over_is_stale(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        match, _ = await seated(house, ada, ben)
        legal = await match.legal()
        await match.submit(legal.commands[0], legal.turn_key)
        with pytest.raises(StaleTurn):
            await match.submit(legal.commands[0], legal.turn_key)


async def test_a_command_against_the_rules_is_refused_with_the_games_reason(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        match, other = await seated(house, ada, ben)
        theirs = (await other.view()).table.hand
        with pytest.raises(FailedPrecondition) as refused:
            await match.submit(Discard(theirs[:2]))
    assert refused.value.reason == "bad_discard"


async def test_the_same_command_id_answers_with_the_same_version(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        match, _ = await seated(house, ada, ben)
        command = (await match.legal()).commands[0]
        first = await match.submit(command, command_id="mine-1")
        again = await match.submit(command, command_id="mine-1")
    assert again == first


async def test_an_unknown_match_is_refused(house: House) -> None:
    async with house.client("ada") as ada:
        with pytest.raises(PermissionDenied):
            await ada.match("01234567890123456789012345").view()


async def test_a_resigned_match_ends_for_everybody_who_watches(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        match, other = await seated(house, ada, ben)
        async with other.watch() as watched:
            first = await anext(watched)
            await match.resign()
            rest = [item async for item in watched]
    assert isinstance(first, MatchView)
    assert isinstance(rest[-1], Update)
    assert isinstance(rest[-1].ended, Ended)


async def test_history_and_a_watch_from_the_beginning_tell_the_same(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        match, _ = await seated(house, ada, ben)
        await match.resign()
        history = [update async for update in match.history()]
        watched = [update async for update in match.watch(0)]
    assert history == watched
    assert [update.version for update in history] == list(range(1, len(history) + 1))


async def test_a_watch_of_an_ended_match_from_its_last_version_ends_at_once(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben:
        match, _ = await seated(house, ada, ben)
        last = await match.resign()
        assert [item async for item in match.watch(last.version)] == []


async def test_a_spectator_sees_no_cards(house: House) -> None:
    async with house.client("ada") as ada, house.client("ben") as ben, house.client("eve") as eve:
        match, _ = await seated(house, ada, ben)
        await match.resign()
        events = [e async for u in eve.match(match.match_id).history() for e in u.events]
    dealt = [event for event in events if isinstance(event, CardsDealt)]
    assert len(dealt) == 2
    assert all(event.cards == () for event in dealt)


async def test_a_closed_client_ends_its_watches_with_an_error(house: House) -> None:
    ada = house.client("ada")
    watched = ada.match(await house.open_match("ada", "ben")).watch()
    await anext(watched)
    waiting = asyncio.ensure_future(anext(watched))
    await ada.server_info()
    await ada.close()
    with pytest.raises(Unavailable) as closed:
        await waiting
    assert closed.value.reason == "client_closed"
