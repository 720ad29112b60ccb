"""Recomputes a match from its records: every decision from its command, every draw from the seed.

Checked are the chain of hashes, versions, causes (who may cause what, and that no command id is
used twice), decisions (and with them legality, draws, timeouts against their deadlines, and the
result), turns and deadlines, state digests, that the published seeds are the committed ones, that
the end repeats what scoring needs, and that nothing follows it.
"""

from __future__ import annotations

import re
from typing import Final

from spielwerk.chance import SEED_BYTES, commitment
from spielwerk.errors import MatchDamaged, SpielwerkError
from spielwerk.games.game import Seat
from spielwerk.match.again import again
from spielwerk.match.canonical import digest
from spielwerk.match.decide import Decided
from spielwerk.match.fold import Registry, fold
from spielwerk.match.model import CauseKind, Joined, Match, Opened, Phase, Record

_COMPARED: Final = (
    "match_id",
    "version",
    "events",
    "turns",
    "state_sha256",
    "recorded_at_ms",
    "previous_sha256",
    "cause",
    "secrets",
)
_COMMAND_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


class Mismatch(Exception):
    """The first record that is not what the rules make of its cause."""

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"record {version}: {why}")
        self.version = version
        self.why = why


class Verifier:
    """Feed it the records of one match in order, then ask for the end."""

    def __init__(self, find: Registry) -> None:
        self._find = find
        self.match: Match | None = None

    def feed(self, record: Record, sha256: bytes) -> None:
        """Check one more record, given the hash of its stored bytes; raises Mismatch."""
        due = self.match.version + 1 if self.match else 1
        if record.version != due:
            raise Mismatch(due, f"missing; record {record.version} stands in its place")
        try:
            if self.match is not None:
                _check_seat(self.match, record)
            after = fold(self.match, record, sha256, 0, self._find)
            if self.match is None:
                _check_commitments(record)
            elif record.cause.seat is not None:
                _check_cause(self.match, record, record.cause.seat)
            _compare(record, self._decided(record))
            if record.state_sha256 and digest(after.state) != record.state_sha256:
                raise Mismatch(record.version, "its digest is not the folded state's")
        except Mismatch:
            raise
        except MatchDamaged as damaged:
            raise Mismatch(record.version, damaged.why) from damaged
        except SpielwerkError as refused:
            why = f"the rules refuse its cause: {refused.reason}"
            raise Mismatch(record.version, why) from refused
        except Exception as error:  # a manipulated record may break the rules' code anywhere
            raise Mismatch(record.version, f"it cannot be followed: {error!r}") from error
        self.match = after

    def close(self) -> Match:
        """The verified match; Mismatch if it is empty or its end is missing."""
        if self.match is None:
            raise Mismatch(1, "there are no records")
        if self.match.phase is not Phase.ENDED:
            raise Mismatch(self.match.version + 1, "missing; the match has not ended")
        return self.match

    def _decided(self, record: Record) -> Decided:
        if self.match is not None:
            game = self.match.game
        else:
            opened = record.events[0]
            game = self._find(opened.game, opened.rules_version)
        decided = again(self.match, record, game)
        if decided is None:
            raise Mismatch(record.version, "its cause leads to no such record")
        return decided


def _compare(stored: Record, decided: Decided) -> None:
    for name in _COMPARED:
        if getattr(stored, name) != getattr(decided.record, name):
            raise Mismatch(stored.version, f"the rules lead to other {name}")


def _check_commitments(record: Record) -> None:
    opened, secrets = record.events[0], record.secrets
    if not isinstance(opened, Opened) or secrets is None:
        raise Mismatch(1, "it opens no match")
    if {len(secrets.seed), len(secrets.bot_seed)} != {SEED_BYTES}:
        raise Mismatch(1, f"a seed has not {SEED_BYTES} bytes")
    if opened.commitment != commitment(secrets.seed):
        raise Mismatch(1, "the commitment is not the seed's")
    if opened.bot_commitment != commitment(secrets.bot_seed):
        raise Mismatch(1, "the bot commitment is not the bot seed's")


def _check_seat(match: Match, record: Record) -> None:
    if record.cause.seat is not None and record.cause.seat >= len(match.opened.occupants):
        raise Mismatch(record.version, "its cause is a seat that there is not")


def _check_cause(match: Match, record: Record, seat: Seat) -> None:
    """Whether a seat can have caused this: as who it is, and by a command id of its own."""
    cause = record.cause
    if cause.kind is CauseKind.TIMER:
        return
    if cause.kind is not (CauseKind.BOT if match.is_bot(seat) else CauseKind.PLAYER):
        raise Mismatch(record.version, f"the {cause.kind.value} cannot act for seat {seat}")
    if isinstance(record.events[0] if record.events else None, Joined):
        return
    if not _COMMAND_ID.fullmatch(cause.command_id):
        raise Mismatch(record.version, "its command id is none")
    if any(receipt.command_id == cause.command_id for receipt in match.receipts[seat]):
        raise Mismatch(record.version, "its command id was used before")
