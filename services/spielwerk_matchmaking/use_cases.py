"""All that the service can do, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from spielwerk_matchmaking.lobby import Lobby
from spielwerk_matchmaking.overview import Overview
from spielwerk_matchmaking.practice import Practice
from spielwerk_matchmaking.queue import Queue
from spielwerk_matchmaking.rematch import Rematches
from spielwerk_matchmaking.tickets import Tickets
from spielwerk_matchmaking.watching import Watching


@dataclass(frozen=True, slots=True)
class UseCases:
    """What the servicer calls."""

    queue: Queue
    tickets: Tickets
    lobby: Lobby
    practice: Practice
    rematches: Rematches
    overview: Overview
    watching: Watching
