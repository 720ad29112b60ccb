"""Matches with moves prepared in advance, so that clients cost as little as they can.

The bench may read the log, and with it the seed: both hands follow from it, no client has to ask
for legal commands. All moves are real: random among the legal ones, in long Cribbage matches.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count, islice

from bench.folding import replay
from bench.house import PLAYERS, House, RulesProcess
from spielwerk.api.games.cribbage.v1 import cribbage_pb2
from spielwerk.api.v1 import games_pb2
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.chance import HmacChance, draw_key
from spielwerk.codec import game_codec
from spielwerk.games.game import Context
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import Match

GAMES_TO_WIN = 100
"""A match of thousands of moves: none ends while it is measured."""
_CALLS = 32


@dataclass(frozen=True, slots=True)
class Move:
    """One command, as a request of its own and as a part of a Play stream's message."""

    seat: int
    request: bytes
    part: bytes


@dataclass(slots=True)
class Table:
    """A match under way and the moves that come next."""

    match_id: str
    moves: Iterator[Move]
    ready: deque[Move] = field(default_factory=deque)
    sent: Move | None = None
    sent_at: float = 0.0

    def prepare(self, least: int) -> None:
        """Have so many moves ready."""
        self.ready.extend(islice(self.moves, max(0, least - len(self.ready))))


async def open_tables(house: House, rules: RulesProcess, number: int) -> list[Table]:
    """Create and join matches over the API."""
    waiting = asyncio.Semaphore(_CALLS)
    async with AsyncExitStack() as stack:
        maker, *players = [
            MatchServiceStub(await stack.enter_async_context(house.channel(rules, subject, role)))
            for subject, role in (
                ("matchmaking", "service:matchmaking"),
                *((player, "player") for player in PLAYERS),
            )
        ]

        async def opened() -> Table:
            async with waiting:
                match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
                await maker.CreateMatch(_new_match(match_id))
                for player in players:
                    await player.Join(pb.JoinRequest(match_id=match_id))
                return Table(match_id, _moves(replay(await house.log.read(match_id))))

        return list(await asyncio.gather(*[opened() for _ in range(number)]))


def prepare(tables: Sequence[Table], moves: int) -> None:
    """Have this many moves ready in all."""
    for table in tables:
        table.prepare(moves // len(tables) + 1)


def _new_match(match_id: str) -> pb.CreateMatchRequest:
    options = cribbage_pb2.Options(games_to_win=GAMES_TO_WIN)
    return pb.CreateMatchRequest(
        match_id=match_id,
        game="cribbage",
        options=games_pb2.GameOptions(cribbage=options),
        occupants=[pb.Occupant(human=pb.Human(player_id=player)) for player in PLAYERS],
        watch=pb.WATCH_POLICY_PARTICIPANTS,
    )


def _moves(match: Match) -> Iterator[Move]:
    """The match's moves, as long as it lasts."""
    game, state, rng = match.game, match.state, random.Random(match.match_id)
    key = draw_key(match.secrets.seed, [entropy or b"" for entropy in match.entropies])
    context = Context(HmacChance(key, match.match_id), lambda _: 0)
    fill = game_codec(game).fill_command
    for number in count(1):
        turns = game.turns(state)
        if not turns:
            return
        seat, turn = next(iter(turns.items()))
        command = rng.choice(game.legal(state, seat))
        request = pb.SubmitRequest(match_id=match.match_id, command_id=f"c{number}")
        request.turn_key = turn.key
        fill(command, request.command)
        part = pb.PlayRequest(commands=[request])
        yield Move(seat, request.SerializeToString(), part.SerializeToString())
        for event in game.decide(state, seat, command, context):
            state = game.evolve(state, event)
