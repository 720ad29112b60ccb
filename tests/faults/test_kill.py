"""Any process is killed with -9 while fifty matches run: nothing is lost, doubled or left
unfinished."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from faults.processes import Installation
from faults.servers import NatsServer
from faults.witness import (
    Witness,
    check_acknowledged,
    check_refused,
    check_versions,
    rows_of,
)
from spielwerk.client import Spielwerk
from spielwerk.client.match import MatchClient
from spielwerk.client.meeting import TicketState
from spielwerk.client.rankings import PeriodKind as ClientPeriod
from spielwerk.client.retrying import Patience
from spielwerk.client.values import Watched
from spielwerk.errors import FailedPrecondition
from spielwerk.log.connect import connect
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.match.model import Phase
from spielwerk.rankings.periods import PeriodKind
from spielwerk.settings import LogSettings, NatsSettings
from spielwerk_local.brokers import start_redis

MATCHES: Final = 50
KILLED: Final = ("rules", "timer", "matchmaking", "scoring", "nats")
PATIENCE: Final = Patience(total_s=120, longest_pause_s=0.5)
SEED: Final = 20261129


@dataclass
class Recorder:
    """What the clients were told."""

    acknowledged: dict[tuple[str, str], int] = field(default_factory=dict)
    refused: set[tuple[str, str]] = field(default_factory=set)
    matches: dict[str, set[str]] = field(default_factory=dict)

    def matched(self, match_id: str, player_id: str) -> None:
        self.matches.setdefault(match_id, set()).add(player_id)


async def play_one(client: Spielwerk, recorder: Recorder, rng: random.Random) -> None:
    """A guest who waits in the queue and plays random legal commands to the end."""
    device = await client.create_guest("Ada")
    options = {"target": 61, "action_timeout_s": 0}
    while True:
        ticket = await client.matchmaking.enqueue("cribbage", options)
        ticket = await client.matchmaking.wait_ticket(ticket.ticket_id)
        if ticket.state is not TicketState.MATCHED or ticket.match_id is None:
            continue
        match = client.match(ticket.match_id)
        try:
            seat = (await match.join()).seat
        except FailedPrecondition as void:  # the other side, or this one, came too late
            if void.reason != "match_over":
                raise
            continue
        if await play_to_the_end(match, seat, recorder, rng):
            recorder.matched(match.match_id, device.player_id)
            return


async def play_to_the_end(
    match: MatchClient, seat: int, recorder: Recorder, rng: random.Random
) -> bool:
    """Whether the match had a result (and was not void)."""
    async with match.watch() as updates:
        async for update in updates:
            if update.ended is not None:
                return update.ended.result is not None
            await act(match, seat, update, recorder, rng)
    view = await match.view()
    assert view.phase is Phase.ENDED
    return view.ended is not None and view.ended.result is not None


async def act(
    match: MatchClient, seat: int, update: Watched, recorder: Recorder, rng: random.Random
) -> None:
    """Answer the own turn, if there is one."""
    if all(turn.seat != seat or turn.key == "join" for turn in update.turns):
        return
    legal = await match.legal()
    if legal.turn_key is None:
        return
    command_id = f"{rng.getrandbits(64):016x}"
    command = rng.choice(legal.commands)
    try:
        done = await match.submit(command, legal.turn_key, command_id=command_id)
    except FailedPrecondition as stale:  # an honest refusal: the turn was answered before
        if stale.reason not in ("stale_turn", "match_over"):
            raise
        recorder.refused.add((match.match_id, command_id))
    else:
        recorder.acknowledged[match.match_id, command_id] = done.version


async def kill_at_random(
    installation: Installation, nats: NatsServer, playing: asyncio.Future[Any], kills: Counter[str]
) -> None:
    """Kill one process after another, each at least twice, at moments that a seed decides."""
    rng = random.Random(SEED)
    while not playing.done():
        for name in rng.sample(KILLED, len(KILLED)):
            await asyncio.wait({playing}, timeout=rng.uniform(0.5, 1.5))
            if playing.done():
                return
            if name == "nats":
                nats.kill()
                await asyncio.wait({playing}, timeout=rng.uniform(0.1, 0.5))
                await nats.start()
            else:
                service = installation.services[name]
                await service.kill()
                await service.start()
                while not service.serves() and not playing.done():
                    await asyncio.wait({playing}, timeout=0.05)
            kills[name] += 1


@pytest.mark.timeout(600)
async def test_killed_processes_change_no_result(tmp_path: Path) -> None:
    recorder, kills = Recorder(), Counter[str]()
    async with AsyncExitStack() as stack:
        nats = NatsServer(tmp_path)
        await nats.start()
        stack.callback(nats.kill)
        redis = start_redis(tmp_path, tmp_path / "redis.sock")
        stack.push_async_callback(redis.stop)
        installation = Installation.at(tmp_path, nats.url, f"unix://{tmp_path}/redis.sock?db=0")
        await installation.start()
        stack.push_async_callback(installation.stop)
        clients = [
            await stack.enter_async_context(
                Spielwerk.connect(installation.endpoints, calls=PATIENCE, streams=PATIENCE)
            )
            for _ in range(2 * MATCHES)
        ]
        began = time.monotonic()
        playing = asyncio.gather(
            *(play_one(c, recorder, random.Random(SEED + n)) for n, c in enumerate(clients))
        )
        await kill_at_random(installation, nats, playing, kills)
        try:
            await playing
        finally:
            for service in installation.services.values():
                print(*service.failures(), sep="\n")
        print(
            f"seed {SEED}: {len(recorder.acknowledged)} commands acknowledged, kills {dict(kills)}"
        )
        print(f"played in {time.monotonic() - began:.0f} s")
        failures = [f for service in installation.services.values() for f in service.failures()]
        assert failures == []
        await check_everything(nats.url, clients[0], recorder)
    assert all(kills[name] >= 1 for name in KILLED), kills


async def check_everything(nats_url: str, client: Spielwerk, recorder: Recorder) -> None:
    """The log against what clients were told, and the boards against the log."""
    async with connect(NatsSettings(url=nats_url)) as broker:
        witness = await Witness.of(JetStreamLog(broker, LogSettings()))
    assert check_acknowledged(witness, recorder.acknowledged) == []
    assert check_refused(witness, recorder.refused) == []
    assert check_versions(witness) == []
    assert len(recorder.matches) == MATCHES
    for match_id, players in recorder.matches.items():
        match = witness.verified(match_id)
        assert match.phase is Phase.ENDED
        assert len(players) == 2
    zone = ZoneInfo("Europe/Berlin")
    expected = rows_of_plain(witness, zone)
    await until_board(client, expected)


def rows_of_plain(witness: Witness, zone: ZoneInfo) -> list[tuple[int, str, int, int]]:
    rows = witness.board("cribbage", PeriodKind.ALL_TIME, zone)
    return [(r.rank, r.player_id, r.total.n_milli, r.total.games) for r in rows]


async def until_board(client: Spielwerk, expected: list[tuple[int, str, int, int]]) -> None:
    """Scoring comes to the same board, in the same order, within a few seconds."""
    found: list[tuple[int, str, int, int]] = []
    async with asyncio.timeout(30):
        while found != expected:
            found = await board(client)
            await asyncio.sleep(0.1)


async def board(client: Spielwerk) -> list[tuple[int, str, int, int]]:
    async with client.rankings.entries("cribbage", ClientPeriod.ALL_TIME) as entries:
        return rows_of([entry async for entry in entries])
