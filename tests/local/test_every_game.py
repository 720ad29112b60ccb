"""Whole matches of every game over the real services: played by bots, with people who leave or
sleep, and recomputed from the log."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.audit.checking import Verified, verify_stored
from spielwerk.client import Spielwerk
from spielwerk.client.rankings import PeriodKind, RankEntry
from spielwerk.codec import game_codec
from spielwerk.codec.events import bot_message
from spielwerk.games import registry
from spielwerk.games.game import Result
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import Bot, Ended
from spielwerk.rpc.channel import open_channel
from spielwerk.settings import AuthSettings, LogSettings, NatsSettings
from spielwerk_accounts.keys import load
from spielwerk_accounts.settings import KeySettings
from spielwerk_local.app import Installation, installation

BOT = "bot:"


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Installation]:
    async with installation(tmp_path, listen="127.0.0.1:0", sync_always=False) as hosted:
        yield hosted


async def create(running: Installation, key: str, *seats: str, options: Mapping[str, Any]) -> str:
    """A match that anybody may watch; a seat is a player id, or `bot:<strength>`."""
    game = registry.newest(key)
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    request = match_pb2.CreateMatchRequest(
        match_id=match_id,
        game=key,
        occupants=[occupant(key, seat) for seat in seats],
        watch=match_pb2.WATCH_POLICY_ANYONE,
    )
    game_codec(game).fill_options(game.options(**options), request.options)
    keys = load(KeySettings(data=running.data / "accounts"), AuthSettings(), "development")
    async with open_channel(running.api, lambda: keys.issue("op", "operator", 60)) as channel:
        await MatchServiceStub(channel).CreateMatch(request)
    return match_id


def occupant(key: str, seat: str) -> match_pb2.Occupant:
    if not seat.startswith(BOT):
        return match_pb2.Occupant(human=match_pb2.Human(player_id=seat))
    policy = registry.newest(key).bots[seat.removeprefix(BOT)]
    return match_pb2.Occupant(bot=bot_message(Bot.of(policy)))


async def ended(client: Spielwerk, match_id: str, seconds: float = 240) -> Ended:
    async with client.match(match_id).watch() as updates, asyncio.timeout(seconds):
        last = [update.ended async for update in updates][-1]
    assert last is not None
    return last


async def verified(running: Installation, match_id: str) -> Verified:
    async with connect(NatsSettings(url=running.nats_url)) as broker:
        stored = await JetStreamLog(broker, LogSettings()).read(match_id)
        return verify_stored(match_id, stored, registry.version)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("key", "seats", "options"),
    [
        ("cribbage", ("expert", "normal"), {}),
        ("skat", ("normal", "beginner", "normal"), {}),
        ("guandan", ("normal", "beginner", "normal", "beginner"), {}),
        ("maumau", ("normal", "beginner", "normal", "beginner"), {"games": 3}),
        ("house_of_cards", ("planner", "greedy", "greedy"), {}),
        *(
            ("quartett", (strength, "rank1"), {"reveal_pause_ms": 0})
            for strength in ("random", "rank4", "rank2", "memory4", "memory2", "oracle")
        ),
    ],
)
async def test_bots_play_whole_matches_that_verify(
    running: Installation, key: str, seats: tuple[str, ...], options: dict[str, Any]
) -> None:
    match_id = await create(running, key, *(BOT + s for s in seats), options=options)
    async with Spielwerk.connect(running.api) as watcher:
        await watcher.create_guest("Eve")
        end = await ended(watcher, match_id)
    assert end.result is not None
    found = await verified(running, match_id)
    print(f"{key} {seats}: {found.records} records, {end.result.reason}")
    assert found.foreign == ()


async def test_five_play_yatzee_one_leaves_and_one_sleeps_through_its_budget(
    running: Installation,
) -> None:
    async with Spielwerk.connect(running.api) as leaver, Spielwerk.connect(running.api) as sleeper:
        people = [await client.create_guest(n) for client, n in ((leaver, "Ada"), (sleeper, "Ben"))]
        seats = [person.player_id for person in people] + [BOT + "normal"] * 3
        match_id = await create(running, "yatzee", *seats, options={"time_budget_s": 3})
        await leaver.match(match_id).join()
        await sleeper.match(match_id).join()
        await leaver.match(match_id).resign()
        end = await ended(sleeper, match_id)
    assert end.result is not None
    places = [standing.place for standing in end.result.standings]
    assert min(places[2:]) == 1
    await verified(running, match_id)


async def test_the_board_of_house_of_cards_keeps_the_best_house_and_adds_the_credits(
    running: Installation,
) -> None:
    async with Spielwerk.connect(running.api) as client:
        await client.create_guest("Ada")
        standings = [(await built_alone(client, moves)).standings[0] for moves in (2, 8, 5)]
        async with asyncio.timeout(30):
            while (entry := await all_time(client)) is None or entry.games < 3:
                await asyncio.sleep(0.05)
    assert entry.n_milli == max(standing.rank_n_milli for standing in standings)
    assert entry.extras["credits"] == sum(s.extras["credits"] for s in standings)


async def built_alone(client: Spielwerk, moves: int) -> Result:
    """A solitaire of some moves, then finished."""
    ticket = await client.matchmaking.enqueue("house_of_cards", players=1)
    matched = await client.matchmaking.wait_ticket(ticket.ticket_id)
    assert matched.match_id is not None
    match = client.match(matched.match_id)
    await match.join()
    for _ in range(moves):
        offered = await match.legal()
        await match.submit(offered.commands[0], offered.turn_key)
    end = (await match.resign()).ended
    assert end is not None
    assert end.result is not None
    return end.result


async def all_time(client: Spielwerk) -> RankEntry | None:
    stats = await client.rankings.stats("house_of_cards")
    return next(s.entry for s in stats if s.period.kind is PeriodKind.ALL_TIME)
