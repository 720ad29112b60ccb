"""Guests who are bots play a rated match as ordinary clients, from the queue to the result."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console
from rich.live import Live

from spielwerk.chance import SEED_BYTES, HmacChance, decision_seed
from spielwerk.client import MatchClient, Spielwerk, Ticket
from spielwerk.errors import StaleTurn, Unavailable
from spielwerk.games.game import BotInformation
from spielwerk.games.registry import newest
from spielwerk.match.model import Ended
from spielwerk_local.terminal.drawing import draw
from spielwerk_local.terminal.seat import result_lines

_NAMES: Final = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
_LINE_EVERY: Final = 25
"""Without a terminal: a line each so many versions."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match of the demo that has ended."""

    match_id: str
    ended: Ended


async def demo(
    target: str, *, game: str = "cribbage", games: int = 1, console: Console | None = None
) -> str:
    """Let guests play `games` matches one after another; returns the id of the last one."""
    played = await demo_matches(target, game=game, games=games, console=console or Console())
    return played[-1].match_id


async def demo_matches(target: str, *, game: str, games: int, console: Console) -> list[Played]:
    """The same, with the results."""
    names = _NAMES[: newest(game).seats[0]]
    async with AsyncExitStack() as stack:
        clients = []
        for name in names:
            client = await stack.enter_async_context(Spielwerk.connect(target))
            await client.create_guest(name)
            clients.append(client)
        console.print(f"{', '.join(names)} are guests and wait in the queue of {game}.")
        return [await _one_match(clients, names, game, console) for _ in range(games)]


async def _one_match(
    clients: Sequence[Spielwerk], names: Sequence[str], game: str, console: Console
) -> Played:
    tickets = await asyncio.gather(*(_paired(client, game, len(clients)) for client in clients))
    match_id = tickets[0].match_id
    assert match_id is not None
    by_seat = [names[index] for index in _in_seat_order(tickets)]
    console.print(f"Match {match_id} begins.")
    matches = [client.match(match_id) for client in clients]
    await asyncio.gather(*(match.join() for match in matches))
    async with _policies_playing(matches, game):
        ended = await _drawn(matches[0], by_seat, console)
    for line in result_lines(ended, tuple(by_seat), "en"):
        console.print(line, highlight=False)
    return Played(match_id, ended)


async def _paired(client: Spielwerk, game: str, players: int) -> Ticket:
    ticket = await client.matchmaking.enqueue(game, players=players)
    matched = await client.matchmaking.wait_ticket(ticket.ticket_id)
    if matched.match_id is None:
        raise Unavailable("not_matched", f"the ticket is {matched.state}: {matched.reason}")
    return matched


def _in_seat_order(tickets: Sequence[Ticket]) -> list[int]:
    return sorted(range(len(tickets)), key=lambda index: tickets[index].seat or 0)


@asynccontextmanager
async def _policies_playing(matches: Sequence[MatchClient], game: str) -> AsyncIterator[None]:
    """Everybody plays while inside, the best policy against the second best and so on."""
    bots = newest(game).bots.values()
    strengths = [bot.strength for bot in bots if bot.information is BotInformation.OWN_VIEW][::-1]
    async with asyncio.TaskGroup() as group:
        for index, match in enumerate(matches):
            group.create_task(_play(match, strengths[index % len(strengths)]))
        yield


async def _play(match: MatchClient, strength: str) -> None:
    """Choose from the own view alone, as any client could."""
    seat = (await match.view()).seat
    seed = secrets.token_bytes(SEED_BYTES)
    answered: str | None = None
    async with match.watch() as watched:
        async for item in watched:
            opened = next((turn.key for turn in item.turns if turn.seat == seat), None)
            if opened is None or opened == answered:
                continue
            view, legal = await match.view(), await match.legal()
            if legal.turn_key is None or view.own_turn is None or not legal.commands:
                continue
            choose = view.game.bots[strength].choose
            key = decision_seed(seed, view.own_turn.seat, legal.turn_key)
            chance = HmacChance(key, match.match_id)
            try:
                command = await asyncio.to_thread(choose, view.table, legal.commands, chance)
                await match.submit(command, legal.turn_key)
            except StaleTurn:
                continue
            answered = legal.turn_key


async def _drawn(match: MatchClient, names: Sequence[str], console: Console) -> Ended:
    """Follow the match to its end: live at a terminal, else a line now and then."""
    if not console.is_terminal:
        return await _narrated(match, console)
    with Live(console=console, refresh_per_second=12) as live:
        async with match.watch() as watched:
            async for item in watched:
                view = await match.view()
                if view.table is not None:
                    live.update(draw(view.opened.game, view.table, names))
                if item.ended is not None:
                    return item.ended
    raise Unavailable("match_lost")


async def _narrated(match: MatchClient, console: Console) -> Ended:
    async with match.watch() as watched:
        async for item in watched:
            if item.version % _LINE_EVERY == 0:
                console.print(f"  version {item.version}: {_scores(await match.view())}")
            if item.ended is not None:
                console.print(f"  version {item.version}: over")
                return item.ended
    raise Unavailable("match_lost")


def _scores(view: Any) -> str:
    front = getattr(view.table, "front", None)
    return "scores " + ":".join(map(str, front)) if front is not None else "playing"
