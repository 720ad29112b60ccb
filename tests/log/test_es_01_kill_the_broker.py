"""ES-01: a move that was acknowledged is in the log, whatever moment the broker is killed at."""

from __future__ import annotations

import asyncio
import json
import random
import urllib.request
from pathlib import Path
from typing import Final

import pytest

from faults.servers import NatsServer
from faults.witness import Witness
from log.whole import Whole, opened_log
from spielwerk.client import Spielwerk
from spielwerk.client.match import MatchClient
from spielwerk.errors import FailedPrecondition
from spielwerk.log.settings import LogSettings, NatsSettings
from spielwerk.rpc.host import Host
from spielwerk.settings import RpcSettings
from spielwerk_local.brokers import local_brokers, start_nats
from spielwerk_rules.app import serving
from spielwerk_rules.settings import RulesSettings, Settings

SEED: Final = 20261130
MATCHES: Final = 6

Acknowledged = dict[tuple[str, str], int]
"""Match and command id -> the version that the player was told."""


async def play(
    installed: Whole, rng: random.Random, acknowledged: Acknowledged, enough: asyncio.Event
) -> None:
    """Two people play one match after the other until it is enough."""
    async with installed.client() as ada, installed.client() as ben:
        players = [(await client.create_guest("X")).player_id for client in (ada, ben)]
        while not enough.is_set():
            match_id = await installed.match(*players)
            seats = [ada.match(match_id), ben.match(match_id)]
            for seat in seats:
                await seat.join()
            while not enough.is_set() and any([await act(s, rng, acknowledged) for s in seats]):
                pass


async def act(seat: MatchClient, rng: random.Random, acknowledged: Acknowledged) -> bool:
    """Answer the own turn, if there is one; False at the end of the match."""
    legal = await seat.legal()
    if legal.turn_key is None:
        return (await seat.view()).ended is None
    command_id = f"{rng.getrandbits(64):016x}"
    try:
        done = await seat.submit(rng.choice(legal.commands), legal.turn_key, command_id=command_id)
    except FailedPrecondition:  # the match ended, or the turn: nothing was acknowledged
        return True
    acknowledged[seat.match_id, command_id] = done.version
    return True


@pytest.mark.parametrize("kills", [5, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.timeout(900)
async def test_es_01_every_acknowledged_move_survives_kill_9_of_the_broker(
    installed: Whole, server: NatsServer, kills: int
) -> None:
    chance = random.Random(SEED)
    acknowledged: Acknowledged = {}
    enough = asyncio.Event()
    players = [
        asyncio.create_task(play(installed, random.Random(SEED + n), acknowledged, enough))
        for n in range(MATCHES)
    ]
    for _ in range(kills):
        more = len(acknowledged) + chance.randint(20, 120)
        await until_acknowledged(acknowledged, more, players)
        server.kill()
        await server.start()
    await until_acknowledged(acknowledged, len(acknowledged) + 50, players)
    enough.set()
    await asyncio.gather(*players)

    server.kill()
    await server.start()
    async with opened_log(server.url) as log:
        witness = await Witness.of(log)
    stored = places(witness)
    lost = {key: version for key, version in acknowledged.items() if stored.get(key) != [version]}
    print(f"{len(acknowledged)} acknowledged, {len(stored)} commands stored, {kills} kills")
    assert lost == {}
    assert [key for key, versions in stored.items() if len(versions) > 1] == []
    for match_id in witness.stored:
        versions = [record.version for record in witness.records(match_id)]
        assert versions == list(range(1, len(versions) + 1))


async def until_acknowledged(
    acknowledged: Acknowledged, number: int, players: list[asyncio.Task[None]]
) -> None:
    async with asyncio.timeout(120):
        while len(acknowledged) < number:
            for player in players:
                if player.done():
                    player.result()
            await asyncio.sleep(0.01)


def places(witness: Witness) -> dict[tuple[str, str], list[int]]:
    """Every command of the log and its versions."""
    found: dict[tuple[str, str], list[int]] = {}
    for match_id in witness.stored:
        for record in witness.records(match_id):
            if record.cause.command_id:
                found.setdefault((match_id, record.cause.command_id), []).append(record.version)
    return found


async def test_es_01_the_shipped_broker_flushes_every_record_before_it_acknowledges(
    tmp_path: Path,
) -> None:
    """As the running server itself tells, not only the file."""
    async with local_brokers(tmp_path) as brokers:
        with urllib.request.urlopen(f"{brokers.monitor_url}/jsz?config=true") as page:
            told = json.load(page)
    assert told["config"].get("sync_always") is True
    shipped = Path(__file__).parents[2] / "deploy" / "nats.conf"
    assert "sync_interval: always" in shipped.read_text()


@pytest.mark.parametrize("durability", ["power", "process"])
async def test_es_01_the_start_up_log_tells_what_an_acknowledgement_means(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, durability: str
) -> None:
    child, url = await start_nats(tmp_path, sync_always=durability == "power")
    try:
        settings = Settings(
            nats=NatsSettings(url=url),
            log=LogSettings(new_installation=True),
            rpc=RpcSettings(listen="127.0.0.1:0"),
            rules=RulesSettings(durability=durability),  # type: ignore[arg-type]
        )
        with caplog.at_level("INFO"):
            async with serving(settings, Host(settings)):
                pass
    finally:
        await child.stop()
    assert f"'durability': '{durability}'" in caplog.text


async def test_es_01_clients_can_ask_what_an_acknowledgement_means(installed: Whole) -> None:
    async with Spielwerk.connect(installed.address) as client:
        assert (await client.server_info()).durability.value == "process"
