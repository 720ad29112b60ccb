"""The bots of Mau-Mau, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spielwerk.games.game import BotPolicy
from spielwerk.games.maumau.bots.beginner import play_carelessly
from spielwerk.games.maumau.bots.normal import play_soundly
from spielwerk.games.maumau.messages import Command
from spielwerk.games.maumau.views import View

__all__ = ["BOTS"]

BOTS: Final[Mapping[str, BotPolicy[Command, View]]] = {
    bot.strength: bot
    for bot in (
        BotPolicy(strength="beginner", version=1, choose=play_carelessly),
        BotPolicy(strength="normal", version=1, choose=play_soundly),
    )
}
"""`beginner` and `normal`."""
