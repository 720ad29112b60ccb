"""docker-compose.yml as an operator uses it: start, play, crash, stop, start again, scale, save,
restore, and go on after a full disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from containers import NATS_IMAGE, daemon_trouble
from deploy.composed import ALL, PORTS, SERVICES, Composed
from deploy.guests import connected, paired, play, practised, seen
from ports import reserved_ports
from spielwerk.client import Spielwerk
from spielwerk.errors import PermissionDenied
from spielwerk.games import registry

NEEDED: Final = ("rules", "nats")
"""A move waits for these; without any other it goes on at once."""
SMALL_DISK: Final[dict[str, Any]] = {
    "services": {
        "disk": {
            "image": NATS_IMAGE,
            "entrypoint": ["sleep", "infinity"],
            "healthcheck": {"test": ["CMD", "true"], "interval": "1s"},
            "volumes": ["log:/data"],
        }
    },
    "volumes": {
        "log": {"driver_opts": {"type": "tmpfs", "device": "tmpfs", "o": "size=48m"}},
    },
}
"""The log's volume is small, and a container more keeps it mounted and fills it."""
_BACK_S: Final = 220.0
TROUBLE = daemon_trouble()

pytestmark = [
    pytest.mark.docker,
    pytest.mark.timeout(900),
    pytest.mark.skipif(TROUBLE is not None, reason=str(TROUBLE)),
]


@contextmanager
def running(folder: Path, also: dict[str, Any] | None = None) -> Iterator[Composed]:
    """Built and up; nothing of it is left afterwards."""
    with reserved_ports(PORTS) as ports:
        installation = Composed(folder, ports, also)
        try:
            installation.build()
            installation.up()
            yield installation
        finally:
            installation.down("--volumes", "--remove-orphans")


@pytest.fixture
def composed(tmp_path: Path) -> Iterator[Composed]:
    with running(tmp_path) as installation:
        yield installation


async def test_a_match_outlives_a_crash_of_each_container_and_a_new_start(
    composed: Composed,
) -> None:
    async with connected(composed) as ada, connected(composed) as ben:
        devices = [await ada.create_guest("Ada"), await ben.create_guest("Ben")]
        match_id = await paired(ada, ben)
        matches = [ada.match(match_id), ben.match(match_id)]
        await asyncio.gather(*(match.join() for match in matches))
        for name in ALL:
            await play(matches, moves=2)
            await asyncio.to_thread(composed.kill, name)
            if name in NEEDED:
                await asyncio.to_thread(composed.start, name)
            assert await play(matches, moves=2) >= 2, f"the match stands still without {name}"
            await asyncio.to_thread(composed.start, name)
        await play(matches)
        before = await seen(ada, match_id, devices)
    assert "verified" in composed.inside("rules", "spielwerk", "verify", match_id)

    composed.down()
    composed.up()
    async with connected(composed, devices[0]) as ada:
        assert await seen(ada, match_id, devices) == before


async def test_every_game_is_played_to_its_end_at_the_same_time_and_verifies(
    composed: Composed,
) -> None:
    played = await asyncio.gather(*(practised(composed, game) for game in registry.GAMES))
    assert len(played) == 7
    for match_id in played:
        told = composed.inside("rules", "spielwerk", "verify", "--bots", match_id)
        assert f"match {match_id} verified" in told


async def test_a_backup_is_restored_into_an_empty_volume(
    composed: Composed, tmp_path: Path
) -> None:
    saved = tmp_path / "backup"
    saved.mkdir()
    async with connected(composed) as ada, connected(composed) as ben:
        devices = [await ada.create_guest("Ada"), await ben.create_guest("Ben")]
        match_id = await paired(ada, ben)
        matches = [ada.match(match_id), ben.match(match_id)]
        await asyncio.gather(*(match.join() for match in matches))
        await play(matches)
        before = await seen(ada, match_id, devices)
        told = composed.beside("rules", "spielwerk", "backup", "/backup/one", backup=saved)
        assert "saved in /backup/one: MATCHES" in told
    after = await practised(composed, "cribbage")

    composed.down()
    composed.lose("log")
    told = composed.beside("rules", "spielwerk", "restore", "/backup/one", backup=saved)
    assert "restored: MATCHES" in told
    told = composed.beside("scoring", "spielwerk", "repair")
    assert "rankings rebuilt from 1 matches" in told
    composed.up()

    async with connected(composed, devices[0]) as ada:
        assert await seen(ada, match_id, devices) == before
        with pytest.raises(PermissionDenied):
            await ada.match(after).view()
    later = await practised(composed, "cribbage")
    for known in (match_id, later):
        assert "verified" in composed.inside("rules", "spielwerk", "verify", known)


async def test_es_07_a_full_disk_ends_the_broker_which_writes_again_when_there_is_room(
    tmp_path: Path,
) -> None:
    with running(tmp_path, SMALL_DISK) as composed:
        async with connected(composed) as ada, connected(composed) as ben:
            await asyncio.gather(ada.create_guest("Ada"), ben.create_guest("Ben"))
            match_id = await paired(ada, ben)
            matches = [ada.match(match_id), ben.match(match_id)]
            await asyncio.gather(*(match.join() for match in matches))
            await play(matches, moves=2)
            composed.inside("disk", "sh", "-c", "dd if=/dev/zero of=/data/ballast bs=4k || true")
            trying = asyncio.create_task(play(matches))
            async with asyncio.timeout(_BACK_S):
                while not await asyncio.to_thread(composed.restarts, "nats"):
                    assert not trying.done(), "it was played to the end on a full disk"
                    await asyncio.sleep(0.5)
            trying.cancel()
            composed.inside("disk", "rm", "/data/ballast")
            async with asyncio.timeout(_BACK_S):
                await play(matches)
        assert "verified" in composed.inside("rules", "spielwerk", "verify", match_id)


async def test_three_instances_of_rules_serve_the_same_matches(composed: Composed) -> None:
    composed.up(rules=3)
    first = int(composed.endpoints.matches.rpartition(":")[2])
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(connected(composed))
        ben = await stack.enter_async_context(connected(composed))
        device, _ = await ada.create_guest("Ada"), await ben.create_guest("Ben")
        match_id = await paired(ada, ben)
        await asyncio.gather(*(client.match(match_id).join() for client in (ada, ben)))
        versions = []
        for port in range(first, first + 3):
            client = Spielwerk.connect(f"127.0.0.1:{port}", token=ada.connection.session.token())
            one = await stack.enter_async_context(client)
            versions.append((await one.match(match_id).view()).version)
        assert versions[0] >= 3
        assert len(set(versions)) == 1
        assert device.player_id


async def test_containers_run_without_root_and_without_a_writable_system(
    composed: Composed,
) -> None:
    for name in SERVICES:
        assert composed.inside(name, "id", "-u").strip() == "10001"
        command = "touch /opt/code/x 2>/dev/null || echo refused"
        assert composed.inside(name, "sh", "-c", command).strip() == "refused"
