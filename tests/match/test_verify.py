"""A match is recomputed from its records; every change is found at its place."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

import pytest

from match.playing import Log, a_played_match
from spielwerk.api.log.v1 import record_pb2
from spielwerk.codec.match import read_record
from spielwerk.errors import MatchDamaged
from spielwerk.games import registry
from spielwerk.match.verify import Mismatch, Verifier


def verify(stored: Sequence[bytes]) -> None:
    verifier, game = Verifier(registry.version), None
    for place, data in enumerate(stored, start=1):
        try:
            record, game = read_record(data, game, registry.version)
        except MatchDamaged as damaged:
            raise Mismatch(place, damaged.why) from damaged
        verifier.feed(record, hashlib.sha256(data).digest())
    verifier.close()


@pytest.fixture(scope="module")
def log() -> Log:
    return a_played_match(seed=3)


def test_an_undamaged_match_passes(log: Log) -> None:
    verify(log.stored)


def test_a_dropped_record_is_named(log: Log) -> None:
    with pytest.raises(Mismatch, match="record 9: missing"):
        verify(log.stored[:8] + log.stored[9:])


def test_a_doubled_record_is_named(log: Log) -> None:
    with pytest.raises(Mismatch, match="record 10: missing; record 9"):
        verify([*log.stored[:9], log.stored[8], *log.stored[9:]])


def test_a_missing_end_is_named(log: Log) -> None:
    with pytest.raises(Mismatch, match="has not ended"):
        verify(log.stored[:-1])


def test_an_empty_log_is_no_match() -> None:
    with pytest.raises(Mismatch, match="there are no records"):
        verify([])


def test_another_seed_is_found_even_with_its_commitment(log: Log) -> None:
    message = record_pb2.Record.FromString(log.stored[0])
    message.secrets.seed = b"x" * 32
    message.events[0].opened.commitment = hashlib.sha256(b"x" * 32).digest()
    stored = rechained([message.SerializeToString(), *log.stored[1:]])
    with pytest.raises(Mismatch, match="record 3: the rules lead to other events"):
        verify(stored)


def test_a_swapped_card_is_found_even_in_a_consistent_chain(log: Log) -> None:
    messages = [record_pb2.Record.FromString(data) for data in log.stored]
    dealt = next(
        e.game.cribbage for e in messages[2].events if e.game.cribbage.HasField("cards_dealt")
    )
    cards = dealt.cards_dealt.cards
    cards[0].rank, cards[1].rank = cards[1].rank, cards[0].rank
    with pytest.raises(Mismatch, match="record 3"):
        verify(rechained([m.SerializeToString() for m in messages]))


def test_one_flipped_byte_anywhere_is_found(log: Log) -> None:
    rng = random.Random(5)
    for _ in range(150):
        place = rng.randrange(len(log.stored))
        data = bytearray(log.stored[place])
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        with pytest.raises(Mismatch) as found:
            verify([*log.stored[:place], bytes(data), *log.stored[place + 1 :]])
        assert found.value.version in (place + 1, place + 2)


def rechained(stored: Sequence[bytes]) -> list[bytes]:
    """The records with their chain of hashes made anew, as a careful forger would."""
    chained: list[bytes] = []
    for data in stored:
        message = record_pb2.Record.FromString(data)
        message.previous_sha256 = hashlib.sha256(chained[-1]).digest() if chained else b""
        chained.append(message.SerializeToString())
    return chained
