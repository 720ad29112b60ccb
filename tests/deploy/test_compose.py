"""docker-compose.yml as an operator uses it: start, play, crash, stop, start again, scale."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from containers import daemon_trouble
from deploy.composed import ALL, SERVICES, Composed, build_image
from spielwerk.client import MatchClient, Spielwerk
from spielwerk.client.retrying import Patience
from spielwerk.client.session import Device
from spielwerk.errors import StaleTurn

PATIENCE = Patience(total_s=120, longest_pause_s=0.5)
OPTIONS = {"target": 121, "action_timeout_s": 0}
NEEDED = ("rules", "nats")
"""A move waits for these; without any other it goes on at once."""
TROUBLE = daemon_trouble()

pytestmark = [
    pytest.mark.docker,
    pytest.mark.timeout(900),
    pytest.mark.skipif(TROUBLE is not None, reason=str(TROUBLE)),
]


@pytest.fixture
def composed(tmp_path: Path) -> Iterator[Composed]:
    """Running; nothing of it is left afterwards."""
    build_image()
    installation = Composed(tmp_path)
    try:
        installation.up()
        yield installation
    finally:
        installation.down("--volumes", "--remove-orphans")


async def test_a_match_outlives_a_crash_of_each_container_and_a_new_start(
    composed: Composed,
) -> None:
    async with AsyncExitStack() as stack:
        ada, ben = [await stack.enter_async_context(connected(composed, None)) for _ in range(2)]
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


async def test_three_instances_of_rules_serve_the_same_matches(composed: Composed) -> None:
    composed.up(rules=3)
    first = int(composed.endpoints.matches.rpartition(":")[2])
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(connected(composed, None))
        ben = await stack.enter_async_context(connected(composed, None))
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


def connected(composed: Composed, device: Device | None) -> Spielwerk:
    """A client that outlasts the start of a container."""
    return Spielwerk.connect(composed.endpoints, device=device, calls=PATIENCE, streams=PATIENCE)


async def paired(ada: Spielwerk, ben: Spielwerk) -> str:
    """Two guests meet over the queue."""
    tickets = [await c.matchmaking.enqueue("cribbage", OPTIONS) for c in (ada, ben)]
    found = [
        await client.matchmaking.wait_ticket(ticket.ticket_id)
        for client, ticket in zip((ada, ben), tickets, strict=True)
    ]
    (match_id,) = {ticket.match_id for ticket in found}
    assert match_id is not None
    return match_id


async def play(matches: list[MatchClient], *, moves: int | None = None) -> int:
    """Both sides play, to the end or so many moves; how many were acknowledged."""
    played = 0
    while moves is None or played < moves:
        for match in matches:
            legal = await match.legal()
            if legal.turn_key is not None:
                try:
                    await match.submit(legal.commands[0], legal.turn_key)
                except StaleTurn:
                    continue
                played += 1
        if (await matches[0].view()).ended is not None:
            break
    return played


async def seen(client: Spielwerk, match_id: str, devices: list[Device]) -> tuple[object, ...]:
    """The match and the board, once scoring has counted it for both."""
    board = await client.rankings.board("cribbage")
    async with asyncio.timeout(60):
        while {entry.player_id for entry in board.entries} != {d.player_id for d in devices}:
            await asyncio.sleep(0.2)
            board = await client.rankings.board("cribbage")
    view = await client.match(match_id).view()
    assert view.ended is not None
    assert view.ended.result is not None
    return view.version, view.ended, board.entries
