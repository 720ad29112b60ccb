"""What matchmaking takes from the log: who sits in which match, and who has left the table.

Records hold seeds: nothing of them is kept but what is named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.log.headers import read_headers
from spielwerk.log.port import Stored
from spielwerk.log.subjects import match_id_of
from spielwerk_matchmaking.choices import pack_options
from spielwerk_matchmaking.messages import ORIGIN_WORDS, WATCH_WORDS, sitting


@dataclass(frozen=True, slots=True)
class Fact:
    """An opening or an end as fold.lua reads it; `rematch`: the match, if it can come again."""

    stored: dict[str, Any]
    rematch: str = ""


def facts_of(message: Stored) -> tuple[Fact, ...] | None:
    """The facts in one message, usually one; None for a foreign message, which is skipped."""
    match_id = match_id_of(message.subject)
    headers = read_headers(message.headers)
    if headers is None:
        return None
    try:
        record = record_pb2.Record.FromString(message.data)
    except DecodeError:
        return None
    if record.match_id != match_id:
        return None
    return tuple(_facts(match_id, message.sequence, headers.recorded_at_ms, record.events))


def _facts(
    match_id: str, sequence: int, at_ms: int, events: Iterable[match_pb2.MatchEvent]
) -> Iterable[Fact]:
    for event in events:
        match event.WhichOneof("event"):
            case "opened":
                yield _opened(match_id, sequence, event.opened)
            case "ended":
                yield _ended(match_id, sequence, at_ms, event.ended)
            case _:
                continue


def _opened(match_id: str, sequence: int, opened: match_pb2.Opened) -> Fact:
    about = {
        "game": opened.game,
        "options": pack_options(opened.options),
        "seats": [sitting(occupant).to_json() for occupant in opened.occupants],
        "watch": WATCH_WORDS.get(opened.watch, "participants"),
        "rated": opened.rated,
    }
    return Fact(
        {
            "kind": "open",
            "sequence": sequence,
            "match": match_id,
            "game": opened.game,
            "origin": ORIGIN_WORDS.get(opened.origin, ""),
            "seats": [
                {"seat": seat, "player": occupant.human.player_id}
                for seat, occupant in enumerate(opened.occupants)
                if occupant.HasField("human")
            ],
            "about": json.dumps(about),
        }
    )


def _ended(match_id: str, sequence: int, at_ms: int, ended: match_pb2.Ended) -> Fact:
    humans = {
        seat: occupant.human.player_id
        for seat, occupant in enumerate(ended.occupants)
        if occupant.HasField("human")
    }
    again = ended.HasField("result")
    stored = {
        "kind": "end",
        "sequence": sequence,
        "match": match_id,
        "origin": ORIGIN_WORDS.get(ended.origin, ""),
        "players": list(humans.values()),
        "reason": ended.reason,
        "joined": {humans[seat]: True for seat in ended.joined if seat in humans},
        "rematch": again,
        "at": at_ms,
    }
    return Fact(stored, match_id if again else "")
