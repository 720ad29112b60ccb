"""Interruptions: no version is lost or seen twice, and no command counts twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from client.house import House
from client.playing import play_on
from client.wire import Wire, wire_to
from spielwerk.client import MatchView, Patience, Spielwerk, Watched

QUICK = Patience(attempt_s=5.0, total_s=60.0, first_pause_s=0.01, longest_pause_s=0.1)


def through(wire: Wire, house: House, player: str) -> Spielwerk:
    return Spielwerk.connect(wire.address, token=house.token(player), calls=QUICK, streams=QUICK)


async def collect(watched: Any, seen: list[Watched]) -> None:
    async with watched:
        async for item in watched:
            seen.append(item)


def reached(seen: Sequence[Watched], length: int) -> bool:
    return len(seen) >= length


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.005)


def versions(seen: Sequence[Watched]) -> list[int]:
    return [item.version for item in seen]


async def test_a_watch_survives_cut_connections_without_gap_or_repeat(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    seen: list[Watched] = []
    async with (
        wire_to(house.address) as wire,
        through(wire, house, "eve") as eve,
        house.client("ada") as ada,
        house.client("ben") as ben,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(collect(eve.match(match_id).watch(0), seen))
        await until(lambda: len(seen) == 1)
        for match in (ada.match(match_id), ben.match(match_id)):
            await match.join()
            group.create_task(play_on(match))
        for length in (5, 12, 20):
            await until(partial(reached, seen, length))
            wire.cut()
    assert wire.connections > 3
    assert versions(seen) == list(range(1, len(seen) + 1))
    assert seen[-1].ended is not None


async def test_a_watch_and_its_players_survive_a_restart_of_the_server(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    seen: list[Watched] = []
    clients = [house.client(name, calls=QUICK, streams=QUICK) for name in ("ada", "ben", "eve")]
    matches = [client.match(match_id) for client in clients]
    async with asyncio.TaskGroup() as group:
        group.create_task(collect(matches[2].watch(), seen))
        await until(lambda: len(seen) == 1)
        for match in matches[:2]:
            await match.join()
            group.create_task(play_on(match))
        await until(lambda: len(seen) >= 15)
        await house.stop()
        await house.start()
    for client in clients:
        await client.close()
    assert isinstance(seen[0], MatchView)
    assert versions(seen) == list(range(1, len(seen) + 1))
    assert seen[-1].ended is not None


async def test_a_command_whose_answer_was_lost_counts_once(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    async with (
        wire_to(house.address) as wire,
        through(wire, house, "ada") as ada,
        house.client("ben") as ben,
    ):
        match = ada.match(match_id)
        await match.join()
        await ben.match(match_id).join()
        legal = await match.legal()
        wire.mute = True
        submitting = asyncio.create_task(match.submit(legal.commands[0], legal.turn_key))
        async with ben.match(match_id).watch(legal.version) as watched:
            stored = await anext(watched)
        assert not submitting.done()
        wire.cut()
        update = await submitting
        history = [item async for item in match.history()]
    assert update.version == stored.version
    assert len(history) == stored.version


async def test_an_answer_that_never_comes_is_asked_for_again_after_the_attempts_time(
    house: House,
) -> None:
    match_id = await house.open_match("ada", "ben")
    short = Patience(attempt_s=0.3, total_s=60.0, first_pause_s=0.01, longest_pause_s=0.1)
    async with wire_to(house.address) as wire, house.client("ben") as ben:
        token = house.token("ada")
        async with Spielwerk.connect(wire.address, token=token, calls=short) as ada:
            match = ada.match(match_id)
            await match.join()
            await ben.match(match_id).join()
            legal = await match.legal()
            wire.mute = True
            submitting = asyncio.create_task(match.submit(legal.commands[0], legal.turn_key))
            async with ben.match(match_id).watch(legal.version) as watched:
                stored = await anext(watched)
            await asyncio.wait({submitting}, timeout=0.5)
            assert not submitting.done()
            wire.cut()
            assert (await submitting).version == stored.version


async def test_a_play_stream_answers_every_command_once_over_cut_connections(house: House) -> None:
    match_ids = [await house.open_match("ada", "bot:beginner") for _ in range(20)]
    async with (
        wire_to(house.address) as wire,
        through(wire, house, "ada") as ada,
        ada.play() as stream,
    ):
        matches = [ada.match(match_id) for match_id in match_ids]
        answers = []
        for count, match in enumerate(matches):
            await match.join()
            legal = await match.legal()
            answers.append(await stream.submit(match, legal.commands[0], legal.turn_key))
            if count % 7 == 6:
                wire.cut()
        updates = await asyncio.gather(*answers)
        lengths = [[u.version async for u in match.history()][-1] for match in matches]
    assert [update.version for update in updates] == lengths


async def test_a_play_stream_follows_matches_over_cut_connections(house: House) -> None:
    match_id = await house.open_match("ada", "ben")
    seen: list[Watched] = []
    async with (
        wire_to(house.address) as wire,
        through(wire, house, "eve") as eve,
        house.client("ada") as ada,
        house.client("ben") as ben,
        eve.play() as stream,
        asyncio.TaskGroup() as group,
    ):
        await stream.watch(eve.match(match_id))
        seen.append(await anext(stream))
        for match in (ada.match(match_id), ben.match(match_id)):
            await match.join()
            group.create_task(play_on(match))
        while seen[-1].ended is None:
            seen.append(await anext(stream))
            if len(seen) in (5, 12, 20):
                wire.cut()
    assert versions(seen) == list(range(1, len(seen) + 1))
