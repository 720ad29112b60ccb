"""What must not be seen of a running match: seeds, what follows from them, and hidden cards."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Sequence
from typing import Any

import pytest

from audit.looking import Eyes, items_in, lists_in, runs_of, texts_of
from audit.worlds import OtherChance
from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2
from spielwerk.audit.replaying import Step, steps
from spielwerk.chance import Chance, HmacChance, decision_seed, draw_key
from spielwerk.codec.match import fill_update
from spielwerk.games import registry
from spielwerk.log.port import Stored
from spielwerk.match import decide
from spielwerk.match.again import again
from spielwerk.match.canonical import digest

_RUN = 4
"""So many hidden cards in a row are no coincidence."""
_FOR_NOBODY = frozenset({"deck", "stock", "order"})
"""Fields of events with cards in the order of a shuffle: even if told, they are hidden."""


class Secrets:
    """What nobody, or one seat alone, may know of a running match."""

    def __init__(self, match_id: str, stored: list[Stored]) -> None:
        self._walk: list[Step] = list(steps(match_id, stored, registry.version))
        match = self._walk[-1].after
        given = [entropy or b"" for entropy in match.entropies]
        self.for_nobody = {
            "the seed": match.secrets.seed,
            "the bot seed": match.secrets.bot_seed,
            "the draw key": draw_key(match.secrets.seed, given),
            "a digest": digest(match.state),
            **_blocks(self._walk),
            **_decision_seeds(self._walk),
        }
        for number, message in enumerate(stored):
            self.for_nobody[f"the hash of record {number + 1}"] = hashlib.sha256(
                message.data
            ).digest()
        self.of_seats = {
            seat: {"an entropy": entropy} for seat, entropy in enumerate(given) if entropy
        }
        self._records = [record_pb2.Record.FromString(m.data) for m in stored]
        for record in self._records:
            if record.state_sha256:
                self.for_nobody[f"the digest of {record.version}"] = record.state_sha256

    def bytes_against(self, seat: int | None) -> dict[str, bytes]:
        """What must not be in the seat's bytes."""
        others = [found for other, found in self.of_seats.items() if other != seat]
        return self.for_nobody | {f"{k} {n}": v for n, f in enumerate(others) for k, v in f.items()}

    def runs_against(self, seat: int | None) -> set[tuple[Any, ...]]:
        """Runs of cards in the records of which the seat was told neither the run nor all cards."""
        whole: set[tuple[Any, ...]] = set()
        told: set[tuple[Any, ...]] = set()
        known: set[Any] = set()
        for record, step in zip(self._records, self._walk, strict=True):
            update, match = match_pb2.MatchUpdate(), step.after
            fill_update(match.game, match.opened.options, step.record, seat, update)
            told |= runs_of(lists_in(update, _FOR_NOBODY), _RUN)
            known |= set(items_in(update, _FOR_NOBODY))
            for event in record.events:
                if event.HasField("game"):
                    whole |= runs_of(lists_in(event), _RUN)
        return {run for run in whole - told if not known.issuperset(run)}


def secrets_in(one: Eyes, secrets: Secrets, seat: int | None) -> list[str]:
    """The names of secret bytes in what was received, in whatever notation."""
    received = b"\n".join(one.raw)
    return [
        name
        for name, secret in secrets.bytes_against(seat).items()
        if any(text in received for text in texts_of(secret))
    ]


def cards_in(one: Eyes, secrets: Secrets, seat: int | None) -> list[str]:
    """Runs of hidden cards in what was received."""
    hidden = secrets.runs_against(seat)
    found = ((type(answer).__name__, runs_of(lists_in(answer), _RUN)) for answer in one.seen)
    return [f"cards in a {kind}: {runs & hidden}" for kind, runs in found if runs & hidden]


def _blocks(walk: Sequence[Step]) -> dict[str, bytes]:
    """The first 32 bytes of every draw of the match: its first eight random words."""
    match = walk[-1].after
    key = draw_key(match.secrets.seed, [entropy or b"" for entropy in match.entropies])
    texts = {label: f"spielwerk|1|{match.match_id}|{label}|0" for label in _labels(walk)}
    return {f"the draw {n}": hmac.digest(key, t.encode(), "sha256") for n, t in texts.items()}


def _labels(walk: Sequence[Step]) -> list[str]:
    """The labels of all draws, found by deciding everything once more."""
    labels: list[str] = []

    def chance(match_id: str, seed: bytes, entropies: tuple[bytes | None, ...]) -> Chance:
        key = draw_key(seed, [entropy or b"" for entropy in entropies])
        return OtherChance(HmacChance(key, match_id), "", random.Random(), labels.append)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(decide, "_chance", chance)
        for step in walk:
            again(step.before, step.record, step.after.game)
    return labels


def _decision_seeds(walk: Sequence[Step]) -> dict[str, bytes]:
    """The key of every choice that a bot had."""
    return {
        f"the decision seed of {turn.seat} for {turn.key}": decision_seed(
            step.after.secrets.bot_seed, turn.seat, turn.key
        )
        for step in walk
        for turn in step.record.turns
        if step.after.is_bot(turn.seat)
    }
