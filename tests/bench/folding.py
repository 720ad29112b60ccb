"""Matches folded from their stored records."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from spielwerk.codec.match import read_record
from spielwerk.games import registry
from spielwerk.log.port import Stored
from spielwerk.match.fold import fold
from spielwerk.match.model import Match


@dataclass(frozen=True, slots=True)
class Replays:
    """How fast whole matches are folded from their bytes, in seconds of this process' CPU."""

    matches: int
    records: int
    cpu_s: float


def replay(stored: Sequence[Stored]) -> Match:
    """The match as rules folds it: every record decoded, hashed, checked, applied."""
    match: Match | None = None
    for message in stored:
        record, _ = read_record(message.data, match.game if match else None, registry.version)
        sha256 = hashlib.sha256(message.data).digest()
        match = fold(match, record, sha256, message.sequence, registry.version)
    assert match is not None
    return match


def measure_replays(histories: Sequence[Sequence[Stored]]) -> Replays:
    """Fold them all once."""
    begin = time.process_time()
    for stored in histories:
        replay(stored)
    spent = time.process_time() - begin
    return Replays(len(histories), sum(map(len, histories)), spent)
