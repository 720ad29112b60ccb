"""Guests of an installation under Docker Compose: they meet, play, and look at the boards."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import Any, Final

from deploy.composed import Composed
from spielwerk.client import MatchClient, Spielwerk
from spielwerk.client.retrying import Patience
from spielwerk.client.session import Device
from spielwerk.errors import StaleTurn
from spielwerk.games import registry

_PATIENCE: Final = Patience(total_s=240, longest_pause_s=0.5)
_OPTIONS: Final = {"target": 121, "action_timeout_s": 0}
_QUICK: Final[Mapping[str, Mapping[str, Any]]] = {
    "cribbage": {"target": 61},
    "guandan": {"max_deals": 1},
    "house_of_cards": {},
    "maumau": {"max_turns": 100},
    "quartett": {"max_rounds": 30, "reveal_pause_ms": 0},
    "skat": {"series_length": 3},
    "yatzee": {},
}
_MATCH_S: Final = 300.0


def connected(composed: Composed, device: Device | None = None) -> Spielwerk:
    """A client that outlasts the start of a container."""
    return Spielwerk.connect(composed.endpoints, device=device, calls=_PATIENCE, streams=_PATIENCE)


async def paired(ada: Spielwerk, ben: Spielwerk) -> str:
    """Two guests meet over the queue, for Cribbage."""
    tickets = [await c.matchmaking.enqueue("cribbage", _OPTIONS) for c in (ada, ben)]
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
            played += await move(match, random.Random(0))
        if (await matches[0].view()).ended is not None:
            break
    return played


async def move(match: MatchClient, rng: random.Random) -> bool:
    """Answer the own turn; False if there is none any more."""
    legal = await match.legal()
    if legal.turn_key is None:
        return False
    try:
        await match.submit(rng.choice(legal.commands), legal.turn_key)
    except StaleTurn:
        return False
    return True


async def practised(composed: Composed, game: str) -> str:
    """A new guest plays a whole match against the usual bots; its id."""
    async with connected(composed) as client, asyncio.timeout(_MATCH_S):
        await client.create_guest(game)
        players = max(registry.newest(game).seats.start, 2)
        sat = await client.matchmaking.practice(game, _QUICK[game], players=players)
        match, rng = client.match(sat.match_id), random.Random(game)
        await match.join()
        async with match.watch() as updates:
            async for update in updates:
                if any(turn.seat == sat.seat for turn in update.turns):
                    await move(match, rng)
        ended = (await match.view()).ended
        assert ended is not None
        assert ended.result is not None, ended
        return sat.match_id


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
