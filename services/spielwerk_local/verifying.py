"""Reads a match from the log and recomputes it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from spielwerk.codec.match import read_record
from spielwerk.errors import MatchDamaged, NotFound
from spielwerk.games import registry
from spielwerk.games.game import AnyGame
from spielwerk.log.headers import read_headers
from spielwerk.log.port import MatchLog
from spielwerk.match.model import Match
from spielwerk.match.verify import Mismatch, Verifier


@dataclass(frozen=True, slots=True)
class Verified:
    """A match that was recomputed without a difference; `foreign` messages were skipped."""

    match: Match
    records: int
    foreign: int


async def verify_match(log: MatchLog, match_id: str) -> Verified:
    """Recompute a finished match; raises Mismatch at the first record that does not follow."""
    stored = await log.read(match_id)
    if not stored:
        raise NotFound("no_such_match", f"the log has no match {match_id}")
    verifier = Verifier(registry.version)
    game: AnyGame | None = None
    records = foreign = 0
    for message in stored:
        if read_headers(message.headers) is None:
            foreign += 1
            continue
        records += 1
        try:
            record, game = read_record(message.data, game, registry.version)
        except MatchDamaged as damaged:
            raise Mismatch(records, damaged.why) from damaged
        verifier.feed(record, hashlib.sha256(message.data).digest())
    return Verified(verifier.close(), records, foreign)
