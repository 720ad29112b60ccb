"""What the bots' service played is what its policies choose from the published bot seed."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence

from audit.playing import with_bots
from client.house import House
from games.playing import EVERY_GAME
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.audit.bots import check_bots
from spielwerk.audit.checking import verify_stored
from spielwerk.audit.replaying import steps
from spielwerk.codec.events import bot_message
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.port import Stored
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import Bot
from spielwerk.rpc.channel import open_channel

_RECORDS = 20


@EVERY_GAME
async def test_matches_of_the_service_are_recomputed(
    game: AnyGame, installed: House, log: JetStreamLog
) -> None:
    match_id = await played_by_service(installed, game, log)
    stored = await log.read(match_id)
    verified = verify_stored(match_id, stored, registry.version)
    choices = check_bots(steps(match_id, stored, registry.version))
    assert choices.recomputed >= min(_RECORDS, verified.records) - 2
    assert not choices.unknown


@EVERY_GAME
def test_choices_of_every_strength_are_recomputed(game: AnyGame) -> None:
    for strength in game.bots:
        table = with_bots(game, strength, 2, 8)
        choices = check_bots(steps(table.match_id, table.stored, registry.version))
        assert choices.recomputed


async def played_by_service(house: House, game: AnyGame, log: JetStreamLog) -> str:
    """Bots alone play the beginning of a match, which an operator then ends."""
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    policy = next(iter(game.bots.values()))
    bot = bot_message(Bot.of(policy))
    request = match_pb2.CreateMatchRequest(
        match_id=match_id,
        game=game.key,
        occupants=[match_pb2.Occupant(bot=bot)] * max(2, game.seats[0]),
        watch=match_pb2.WATCH_POLICY_ANYONE,
    )
    options = getattr(request.options, game.key)
    if "reveal_pause_ms" in options.DESCRIPTOR.fields_by_name:
        options.reveal_pause_ms = 0  # nobody looks
    operator = house.token("ops", "operator")
    async with open_channel(house.address, lambda: operator) as channel:
        stub = MatchServiceStub(channel)
        await stub.CreateMatch(request)
        async with asyncio.timeout(60):
            while not enough(await log.read(match_id)):
                await asyncio.sleep(0.05)
        if not ended(await log.read(match_id)):
            abort = match_pb2.AbortMatchRequest(match_id=match_id, reason="enough")
            await stub.AbortMatch(abort)
    return match_id


def enough(stored: Sequence[Stored]) -> bool:
    return len(stored) >= _RECORDS or ended(stored)


def ended(stored: Sequence[Stored]) -> bool:
    return bool(stored) and stored[-1].subject.endswith(".end")
