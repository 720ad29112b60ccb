"""Holds the house to its word: to the seed it committed to, and to the entropy it was given.

The checks are those of VERIFYING.md that a player can make alone; the draws themselves are
recomputed from the stored records after the end.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, Final

from spielwerk.chance import commitment
from spielwerk.client.values import MatchView, Watched
from spielwerk.errors import InvalidArgument, PermissionDenied, SpielwerkError
from spielwerk.games.game import Seat
from spielwerk.match.model import Ended, Joined, Opened

_ENTROPY_BYTES: Final = 32


class CommitmentBroken(SpielwerkError):
    """The house broke its word; keep the pledge and what it told as evidence.

    Reasons: `commitment_changed`, `seed_not_committed`, `entropy_changed`, `entropy_missing`.
    Metadata: `match_id`, and in hexadecimal what was `kept` and what was `told`.
    """


@dataclass(frozen=True, slots=True)
class Pledge:
    """What a player keeps of a match from before its Join.

    The commitments are the house's: SHA-256 of the seeds of the draws and of the bots' choices.
    `entropy` is the player's part of the deal, to be kept secret until the end; None: this client
    does not know it, since the seat had been joined before.
    """

    match_id: str
    seat: Seat
    commitment: bytes
    bot_commitment: bytes
    entropy: bytes | None = field(repr=False)


class Witness:
    """Remembers what the house said first and compares all that it says later.

    Whoever only watches holds it to the first commitment that was seen; a player to its pledge.
    """

    def __init__(self, match_id: str, pledge: Pledge | None = None) -> None:
        if pledge is not None and pledge.match_id != match_id:
            raise ValueError("the pledge belongs to another match")
        self._match_id = match_id
        self._commitments = (pledge.commitment, pledge.bot_commitment) if pledge else None
        self.pledge = pledge
        self.seen_joined = False
        """Whether the pledge's entropy was seen in the seat's `joined`."""

    def make_pledge(self, view: MatchView, entropy: bytes | None) -> Pledge:
        """Make the caller's entropy (32 random bytes unless given) once the commitment is known.

        There is one pledge a match: a repeat gives the first one, as the house keeps the first
        entropy. PermissionDenied (no_such_match) without a seat, as Join says.
        """
        if self.pledge is not None:
            return self.pledge
        if view.seat is None:
            raise PermissionDenied("no_such_match")
        if entropy is not None and len(entropy) not in (0, _ENTROPY_BYTES):
            raise InvalidArgument("bad_entropy", "entropy is 0 or 32 bytes")
        given = secrets.token_bytes(_ENTROPY_BYTES) if entropy is None else entropy
        self.pledge = Pledge(
            self._match_id,
            view.seat,
            view.opened.commitment,
            view.opened.bot_commitment,
            None if view.seat in view.joined else given,
        )
        return self.pledge

    def see(self, item: Watched) -> None:
        """Compare a view or an update with what is known; raises CommitmentBroken."""
        if isinstance(item, MatchView):
            self._opened(item.opened)
            if item.ended is not None:
                self._ended(item.ended)
            return
        for event in item.events:
            self._event(event)

    def expect_joined(self) -> None:
        """All was told up to the Join: the caller's own has to be there."""
        if not self.seen_joined and self.pledge is not None and self.pledge.entropy is not None:
            raise self._broken("entropy_missing", self.pledge.entropy, b"")

    def _event(self, event: Any) -> None:
        match event:
            case Opened():
                self._opened(event)
            case Joined():
                self._joined(event)
            case Ended():
                self._ended(event)

    def _opened(self, opened: Opened) -> None:
        told = opened.commitment, opened.bot_commitment
        if self._commitments is None:
            self._commitments = told
        elif told != self._commitments:
            raise self._broken("commitment_changed", b"".join(self._commitments), b"".join(told))

    def _joined(self, joined: Joined) -> None:
        pledge = self.pledge
        if pledge is None or pledge.entropy is None or joined.seat != pledge.seat:
            return
        if joined.entropy != pledge.entropy:
            raise self._broken("entropy_changed", pledge.entropy, joined.entropy)
        self.seen_joined = True

    def _ended(self, ended: Ended) -> None:
        told = commitment(ended.seed), commitment(ended.bot_seed)
        if self._commitments is not None and told != self._commitments:
            seeds = ended.seed + ended.bot_seed
            raise self._broken("seed_not_committed", b"".join(self._commitments), seeds)

    def _broken(self, reason: str, kept: bytes, told: bytes) -> CommitmentBroken:
        facts = {"match_id": self._match_id, "kept": kept.hex(), "told": told.hex()}
        return CommitmentBroken(reason, f"match {self._match_id}: {reason}", **facts)
