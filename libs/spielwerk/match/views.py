"""What one viewer may know of a record; depends on options, event and viewer alone.

Live, resumed and historic streams are therefore equal to the byte. The match's own events are
public (seeds are not in events before the last one), but a player's entropy is shown to that seat
alone: it is a part of the key of all draws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from spielwerk.games.game import AnyGame, Seat
from spielwerk.match.model import PLATFORM_EVENTS, Joined, Record


def visible_events(game: AnyGame, options: Any, record: Record, viewer: Seat | None) -> list[Any]:
    """The record's events as the seat, or a spectator (None), may see them; hidden ones are left
    out."""
    seen = [visible_event(game, options, event, viewer) for event in record.events]
    return [event for event in seen if event is not None]


def visible_event(game: AnyGame, options: Any, event: Any, viewer: Seat | None) -> Any:
    """The event as the viewer may see it: the very same object if nothing is hidden; None: not at
    all."""
    if isinstance(event, PLATFORM_EVENTS):
        return _of_match(event, viewer)
    return game.redact(options, event, viewer)


def _of_match(event: Any, viewer: Seat | None) -> Any:
    """An event of the match itself; `Joined` keeps its entropy for its own seat alone."""
    if isinstance(event, Joined) and event.seat != viewer and event.entropy:
        return replace(event, entropy=b"")
    return event
