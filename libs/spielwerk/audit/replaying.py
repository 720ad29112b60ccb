"""Steps through a stored match: each record with the match before and after it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spielwerk.games.game import AnyGame
from spielwerk.log.port import Stored
from spielwerk.log.records import read_stored
from spielwerk.match.fold import Registry, fold
from spielwerk.match.model import Match, Record


@dataclass(frozen=True, slots=True)
class Step:
    """One record and what it made of the match; `before` None: it opened the match."""

    before: Match | None
    record: Record
    after: Match


def steps(match_id: str, messages: Iterable[Stored], find: Registry) -> Iterator[Step]:
    """All records in order, foreign messages left out; MatchDamaged where they do not follow, and
    Unavailable at one that this release does not know."""
    match: Match | None = None
    game: AnyGame | None = None
    for message in messages:
        found = read_stored(message, match_id, game, find)
        if found is not None:
            record, game = found
            sha256 = hashlib.sha256(message.data).digest()
            before, match = match, fold(match, record, sha256, message.sequence, find)
            yield Step(before, record, match)


def match_at(
    match_id: str, messages: Iterable[Stored], find: Registry, version: int
) -> Match | None:
    """The match at a version, or at its last one before; None without records."""
    match = None
    for step in steps(match_id, messages, find):
        if step.record.version > version:
            break
        match = step.after
    return match
