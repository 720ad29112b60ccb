"""What one viewer may know of a record; depends on options, event and viewer alone.

Live, resumed and historic streams are therefore equal to the byte. The match's own events are
public: seeds are not in events before the last one.
"""

from __future__ import annotations

from typing import Any

from spielwerk.games.game import AnyGame, Seat
from spielwerk.match.model import PLATFORM_EVENTS, Record


def visible_events(game: AnyGame, options: Any, record: Record, viewer: Seat | None) -> list[Any]:
    """The record's events as the seat, or a spectator (None), may see them; hidden ones are left
    out."""
    shown = []
    for event in record.events:
        seen = event if isinstance(event, PLATFORM_EVENTS) else game.redact(options, event, viewer)
        if seen is not None:
            shown.append(seen)
    return shown
