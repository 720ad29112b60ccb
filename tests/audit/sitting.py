"""People, a bot and a spectator at one table of an installation, who look at everything."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from audit.hidden import Secrets
from audit.looking import SPECTATOR, Eyes, eyes, look_at_everything
from client.house import House
from spielwerk.api.v1 import match_pb2
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.codec.events import bot_message
from spielwerk.games.game import AnyGame
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import Bot
from spielwerk.rpc.channel import open_channel

_MOVES = 12


@dataclass
class Sitting:
    """A match under way and what everybody has received of it so far."""

    match_id: str
    players: list[str]
    eyes: dict[str, Eyes]
    secrets: Secrets

    def viewers(self) -> list[tuple[Eyes, int | None]]:
        """Everybody's eyes and seat; the spectator has none."""
        seats = [(self.eyes[player], seat) for seat, player in enumerate(self.players)]
        return [*seats, (self.eyes[SPECTATOR], None)]


@asynccontextmanager
async def sitting(house: House, game: AnyGame, log: JetStreamLog) -> AsyncIterator[Sitting]:
    """Some moves of a match, after each few of which everybody looks; the last seat is a bot."""
    rng = random.Random(f"canary {game.key}")
    players = [f"p{seat}" for seat in range(min(4, game.seats[-1]) - 1)]
    match_id = await opened(house, game, players)
    async with eyes(house.address, house.keys, *players) as found:
        for player in players:
            request = match_pb2.JoinRequest(match_id=match_id, entropy=os.urandom(32))
            await found[player].call("Join", request)
        for _ in range(3):
            await play(found, match_id, rng, _MOVES // 3)
            version = await told_version(found[SPECTATOR], match_id)
            for one in found.values():
                await look_at_everything(one, match_id, len(players) + 1, version)
        assert version > len(players) + _MOVES // 2
        secrets = Secrets(match_id, list(await log.read(match_id)))
        yield Sitting(match_id, players, found, secrets)


async def opened(house: House, game: AnyGame, players: list[str]) -> str:
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    occupants = [match_pb2.Occupant(human=match_pb2.Human(player_id=p)) for p in players]
    policy = next(iter(game.bots.values()))
    bot = bot_message(Bot.of(policy))
    request = match_pb2.CreateMatchRequest(
        match_id=match_id,
        game=game.key,
        occupants=[*occupants, match_pb2.Occupant(bot=bot)],
        watch=match_pb2.WATCH_POLICY_ANYONE,
    )
    options = getattr(request.options, game.key)
    if "reveal_pause_ms" in options.DESCRIPTOR.fields_by_name:
        options.reveal_pause_ms = 0  # nobody looks
    async with operator(house) as stub:
        await stub.CreateMatch(request)
    return match_id


@asynccontextmanager
async def operator(house: House) -> AsyncIterator[Any]:
    token = house.token("ops", "operator")
    async with open_channel(house.address, lambda: token) as channel:
        yield MatchServiceStub(channel)


async def play(found: dict[str, Eyes], match_id: str, rng: random.Random, moves: int) -> None:
    """Random moves of the people; the bot moves by itself."""
    for _ in range(moves):
        async with asyncio.timeout(30):
            while not await one_move(found, match_id, rng):
                await asyncio.sleep(0.02)


async def one_move(found: dict[str, Eyes], match_id: str, rng: random.Random) -> bool:
    """A move of somebody who must act; others try the same and are refused, which is looked at,
    too."""
    for player in rng.sample(sorted(found), len(found)):
        legal = await found[player].call("ListLegal", match_pb2.ListLegalRequest(match_id=match_id))
        if not getattr(legal, "turn_key", ""):
            continue
        commands = [command for command in legal.commands if not gives_up(command)]
        submit = match_pb2.SubmitRequest(
            match_id=match_id, command=rng.choice(commands), turn_key=legal.turn_key
        )
        for one in sorted(found, key=player.__eq__):
            submit.command_id = f"c{rng.randrange(10**9)}"
            await found[one].call("Submit", submit)
        return True
    return False


def gives_up(command: Any) -> bool:
    """Whether a command could end the match early."""
    chosen = getattr(command, command.WhichOneof("game"))
    return chosen.WhichOneof("command") in ("resign", "finish")


async def told_version(one: Eyes, match_id: str) -> int:
    answer = await one.call("GetView", match_pb2.GetViewRequest(match_id=match_id))
    return int(answer.view.version)


async def abort(house: House, match_id: str) -> None:
    async with operator(house) as stub:
        await stub.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id, reason="test"))
