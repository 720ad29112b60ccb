"""A person at a terminal against a bot."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

from spielwerk.client import Spielwerk
from spielwerk.games.game import Seat
from spielwerk.games.options import specs
from spielwerk.games.registry import newest
from spielwerk.match.model import Origin
from spielwerk.tls import ClientTls
from spielwerk_local.decks import deck_in
from spielwerk_local.terminal.guests import become_guest
from spielwerk_local.terminal.seat import TerminalSeat
from spielwerk_local.terminal.words import GENERAL, words


async def play(
    target: str,
    game: str = "cribbage",
    *,
    tls: ClientTls | None = None,
    bot: str = "",
    seat: Seat | None = None,
    points: int | None = None,
    deck: str | None = None,
    language: str = "en",
    data: Path = Path("data"),
    console: Console | None = None,
    source: TextIO | None = None,
) -> int:
    """Play a practice match, or go on with the one that is open; returns an exit code.

    `bot` "" is the game's usual strength, `points` the game's option `target`, where it has one,
    `deck` the id of an installed deck or the path of a deck file, where it is played with one.
    Errors of the installation are raised as `spielwerk.errors`.
    """
    console = console or Console()
    say = words(GENERAL, language)
    async with Spielwerk.connect(target, tls=tls) as client:
        await become_guest(client, data, target)
        match_id, greeting = await _running(client, game), "resumed"
        if match_id is None:
            options = _options(game, points, deck)
            practice = await client.matchmaking.practice(game, options, seat=seat, strength=bot)
            match_id, greeting = practice.match_id, "started"
        console.print(say(greeting, match_id=match_id))
        await TerminalSeat(client, match_id, language, console).play(source or sys.stdin)
    return 0


async def _running(client: Spielwerk, game: str) -> str | None:
    """The guest's open practice match of the game."""
    opened = await client.matchmaking.open()
    ids = [m.match_id for m in opened.matches if m.game == game and m.origin is Origin.PRACTICE]
    return ids[0] if ids else None


def _options(game: str, points: int | None, deck: str | None) -> Mapping[str, Any]:
    known = specs(newest(game).options)
    chosen: dict[str, Any] = {}
    if points is not None and "target" in known:
        chosen["target"] = points
    if deck is not None and "deck_id" in known:
        installed = deck in known["deck_id"].values
        chosen |= {"deck_id": deck} if installed else {"deck": deck_in(Path(deck))}
    return chosen
