"""TM-02: the services are restarted one after the other, then everything is away for a while:
nobody loses on time for it, and every acknowledged move is kept."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest

from faults.checks_log import check_versions
from faults.checks_timeouts import check_timeouts
from faults.history import History
from faults.processes import SERVING, Service
from faults.servers import NatsServer, RedisServer
from faults.witness import Witness
from ports import free_ports
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.client import Spielwerk
from spielwerk.client.match import MatchClient
from spielwerk.client.retrying import Patience
from spielwerk.codec import game_codec
from spielwerk.codec.events import bot_message
from spielwerk.errors import FailedPrecondition
from spielwerk.games import registry
from spielwerk.log.connect import connect
from spielwerk.log.health import Outages
from spielwerk.log.health_stream import HealthStream
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import Bot, CauseKind, ClockShifted, Match, Outage
from spielwerk.match.outages import first_due
from spielwerk.rpc.channel import open_channel
from spielwerk.settings import AuthSettings, LogSettings, NatsSettings
from spielwerk_accounts import keys as signing
from spielwerk_accounts.settings import KeySettings

SERVICES: Final = ("rules-0", "rules-1", "timer", "bots")
"""All that a match under way needs."""
MATCHES: Final = 40
OUTAGE_S: Final = 3.0
DOWN_S: Final = 6.0
"""Longer than the turns of 5 s: each open deadline passes while everything is away."""
PLAYERS: Final = ("ada", "bob")
SILENT: Final = 4
"""In one match of so many the second player never moves, so that the timer has work."""
PATIENCE: Final = Patience(total_s=120, longest_pause_s=0.5)
YEAR_S: Final = 365 * 86_400.0
SEED: Final = 20261130


@dataclass
class House:
    """All services as processes, and what players were told."""

    folder: Path
    nats: NatsServer
    redis: RedisServer
    keys: signing.SigningKeys
    services: dict[str, Service] = field(default_factory=dict)
    acknowledged: dict[tuple[str, str], int] = field(default_factory=dict)
    refused: set[tuple[str, str]] = field(default_factory=set)

    @property
    def rules(self) -> str:
        """Both processes as one target."""
        both = (self.services[name].environment["SPIELWERK_RPC__LISTEN"] for name in SERVICES[:2])
        return "ipv4:" + ",".join(both)

    def token(self, name: str, role: str) -> str:
        return self.keys.issue(name, role, YEAR_S)

    async def start(self, *names: str) -> None:
        await asyncio.gather(*(self.services[name].start() for name in names))

    async def until_serving(self, *names: str) -> None:
        async with asyncio.timeout(60):
            for name in names:
                while await self.services[name].health() != SERVING:
                    await asyncio.sleep(0.05)

    async def read(self) -> tuple[Witness, Outages]:
        """The whole log, and the outages that the signs of life show."""
        outages = Outages(round(OUTAGE_S * 1000))
        async with connect(NatsSettings(url=self.nats.url)) as broker:
            witness = await Witness.of(JetStreamLog(broker, LogSettings()))
            stream, position = HealthStream(broker, 1), 0
            while signs := await stream.read(position):
                for sign in signs:
                    outages.take(sign)
                    position = sign.sequence
        return witness, outages


@asynccontextmanager
async def house(folder: Path) -> AsyncIterator[House]:
    """Everything is ready; nothing is left after the block."""
    async with AsyncExitStack() as stack:
        nats, redis = NatsServer(folder), RedisServer(folder)
        await nats.start()
        stack.callback(nats.kill)
        await redis.start()
        stack.callback(redis.kill)
        keys = signing.load(KeySettings(data=folder / "accounts"), AuthSettings(), "development")
        made = House(folder, nats, redis, keys)
        for name, port in zip(SERVICES, free_ports(len(SERVICES)), strict=True):
            environment = {"SPIELWERK_RPC__LISTEN": f"127.0.0.1:{port}"}
            made.services[name] = Service(name, environment, folder / f"{name}.log")
        for name in SERVICES:
            made.services[name].environment |= settings_of(made, name.partition("-")[0])
        for service in made.services.values():
            await service.start()
            stack.push_async_callback(service.kill)
        await made.until_serving(*SERVICES)
        yield made


def settings_of(house: House, kind: str) -> dict[str, str]:
    return {
        "SPIELWERK_NATS__URL": house.nats.url,
        "SPIELWERK_REDIS__URL": f"unix://{house.redis.socket}?db=0",
        "SPIELWERK_LOG__MARKER_FILE": str(house.folder / "stream.json"),
        "SPIELWERK_RPC__GRACE_S": "2",
        "SPIELWERK_API_TARGET": house.rules,
        "SPIELWERK_AUTH__JWKS": house.keys.jwks(),
        "SPIELWERK_AUTH__TOKEN": house.token(kind, f"service:{kind}"),
        "SPIELWERK_RULES__BEAT_S": "0.5",
        "SPIELWERK_RULES__OUTAGE_S": str(OUTAGE_S),
    }


async def opened(house: House) -> list[str]:
    """Matches with turns of five seconds: two people, or a person and a bot."""
    game = registry.newest("quartett")
    request = pb.CreateMatchRequest(
        game="quartett", watch=pb.WATCH_POLICY_PARTICIPANTS, seating_ms=60_000
    )
    options = game.options(turn_seconds=5, away_after=100, reveal_pause_ms=0)
    game_codec(game).fill_options(options, request.options)
    bot = pb.Occupant(bot=bot_message(Bot.of(game.bots["random"])))
    people = [pb.Occupant(human=pb.Human(player_id=player)) for player in PLAYERS]
    found = []
    token = house.token("matchmaking", "service:matchmaking")
    async with open_channel(house.rules, lambda: token) as channel:
        for number in range(MATCHES):
            request.match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
            del request.occupants[:]
            request.occupants.extend([people[0], people[1] if number % 2 else bot])
            await MatchServiceStub(channel).CreateMatch(request)
            found.append(request.match_id)
    return found


async def play(house: House, match: MatchClient, rng: random.Random, *, silent: bool) -> None:
    """Think for a moment, move, and so on to the end; the silent only sit there."""
    seat = (await match.join()).seat
    async with match.watch() as updates:
        async for update in updates:
            if update.ended is not None:
                return
            if silent or all(turn.seat != seat or turn.key == "join" for turn in update.turns):
                continue
            await asyncio.sleep(rng.uniform(0, 1))  # how people play
            await act(house, match, rng)


async def act(house: House, match: MatchClient, rng: random.Random) -> None:
    legal = await match.legal()
    if legal.turn_key is None or not legal.commands:
        return
    command_id = f"{rng.getrandbits(64):016x}"
    key = (match.match_id, command_id)
    try:
        done = await match.submit(rng.choice(legal.commands), legal.turn_key, command_id=command_id)
    except FailedPrecondition as late:  # an honest answer: the turn was over
        if late.reason not in ("stale_turn", "match_over"):
            raise
        house.refused.add(key)
    else:
        house.acknowledged[key] = done.version


async def everybody(house: House, matches: list[str], clients: list[Spielwerk]) -> None:
    """All seats of people at once."""
    async with asyncio.TaskGroup() as seats:
        for number, match_id in enumerate(matches):
            for seat, client in enumerate(clients[: 1 + number % 2]):
                silent = seat == 1 and number % SILENT == 1
                rng = random.Random(f"{SEED} {number} {seat}")
                seats.create_task(play(house, client.match(match_id), rng, silent=silent))


async def rolling_restart(house: House) -> None:
    """One after the other; one rules process is always there."""
    for name in SERVICES:
        await house.services[name].stop()
        await house.services[name].start()
        if name.startswith("rules"):
            await house.until_serving(name)
    await house.until_serving(*SERVICES)


async def everything_down(house: House) -> Outage:
    """From the kills until rules serves again, by this machine's clock, which is the broker's."""
    from_ms = time.time_ns() // 1_000_000
    await asyncio.gather(*(service.kill() for service in house.services.values()))
    house.nats.kill()
    house.redis.kill()
    await asyncio.sleep(DOWN_S)  # the outage itself
    await asyncio.gather(house.nats.start(), house.redis.start())
    await house.start(*SERVICES)
    await house.until_serving("rules-0")
    until_ms = time.time_ns() // 1_000_000
    await house.until_serving(*SERVICES)
    return Outage(from_ms, until_ms)


async def until_accounted(house: House, matches: list[str], outage: Outage) -> None:
    """Until no match has a turn left that the outage took time from."""
    async with asyncio.timeout(30):
        waiting = matches
        while waiting:
            await asyncio.sleep(0.3)
            witness, _ = await house.read()
            waiting = [
                match_id
                for match_id in matches
                if any(
                    turn.deadline_ms is not None and turn.deadline_ms < outage.until_ms
                    for turn in folded(witness, match_id).turns.values()
                )
            ]


def folded(witness: Witness, match_id: str) -> Match:
    match = witness.recomputed(match_id)  # by the verifier, from the first record on
    assert match is not None
    return match


def unforgiven(witness: Witness, outages: Outages) -> Iterator[str]:
    """Timeouts of turns that a known outage took time from which was not given back before."""
    for match_id in witness.stored:
        for before, record in witness.walk(match_id):
            if before is None or record.cause.kind is not CauseKind.TIMER:
                continue
            seat = record.cause.seat
            assert seat is not None
            alone = replace(before, turns={seat: before.turns[seat]})
            due = first_due(alone, outages.since(0))
            if due is not None:
                yield f"{match_id} version {record.version}: {due}"


@pytest.mark.timeout(300)
async def test_tm_02_nobody_loses_on_time_because_of_an_outage(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(house(tmp_path))
        matches = await opened(running)
        clients = [
            await stack.enter_async_context(
                Spielwerk.connect(
                    running.rules,
                    token=running.token(player, "player"),
                    calls=PATIENCE,
                    streams=PATIENCE,
                )
            )
            for player in PLAYERS
        ]
        playing = asyncio.create_task(everybody(running, matches, clients))
        stack.callback(playing.cancel)
        await rolling_restart(running)
        before = len(running.acknowledged)
        down = await everything_down(running)
        await until_accounted(running, matches, down)
        if playing.done():
            playing.result()
        kept, refused = dict(running.acknowledged), set(running.refused)
        witness, outages = await running.read()
    shifts = [
        event
        for match_id in witness.stored
        for record in witness.records(match_id)
        for event in record.events
        if isinstance(event, ClockShifted)
    ]
    timeouts = sum(
        record.cause.kind is CauseKind.TIMER
        for match_id in witness.stored
        for record in witness.records(match_id)
    )
    print(f"{before} moves before the outage, {len(kept)} in all; {timeouts} timeouts")
    print(f"{len(outages.since(0))} outages, {len(shifts)} shifts in {len(matches)} matches")
    assert before > MATCHES
    assert shifts
    assert any(o.from_ms < down.until_ms and down.from_ms < o.until_ms for o in outages.since(0))
    assert list(unforgiven(witness, outages)) == []
    assert check_timeouts(witness, History(), outages=[down]) == []
    assert check_versions(witness, History()) == []
    places = witness.places()
    lost = {key: at for key, at in kept.items() if at not in [p.version for p in places[key]]}
    assert lost == {}
    assert [key for key in refused if places[key]] == []
