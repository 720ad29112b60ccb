"""Players for tests: each plays the first legal command of every turn until the match is over."""

from __future__ import annotations

from spielwerk.client import MatchClient, Watched
from spielwerk.errors import StaleTurn


async def play_on(match: MatchClient, *, moves: int | None = None) -> int:
    """Play to the end, or so many moves; returns how many."""
    played = 0
    async with match.watch() as watched:
        async for item in watched:
            if moves is not None and played >= moves:
                break
            key = own_turn(item, (await match.view()).seat)
            if key is None:
                continue
            legal = await match.legal()
            if legal.turn_key == key:
                try:
                    await match.submit(legal.commands[0], key)
                    played += 1
                except StaleTurn:
                    continue
    return played


def own_turn(item: Watched, seat: int | None) -> str | None:
    """The key of the seat's open turn."""
    return next((turn.key for turn in item.turns if turn.seat == seat), None)
