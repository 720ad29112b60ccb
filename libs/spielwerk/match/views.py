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
    shown = []
    for event in record.events:
        if isinstance(event, PLATFORM_EVENTS):
            seen = _of_match(event, viewer)
        else:
            seen = game.redact(options, event, viewer)
        if seen is not None:
            shown.append(seen)
    return shown


def _of_match(event: Any, viewer: Seat | None) -> Any:
    """An event of the match itself; `Joined` keeps its entropy for its own seat alone."""
    if isinstance(event, Joined) and event.seat != viewer and event.entropy:
        return replace(event, entropy=b"")
    return event
