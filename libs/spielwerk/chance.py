"""Draws that can be proved: every outcome follows from a committed seed, the players' entropy and a
label."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from itertools import count
from struct import Struct
from typing import Final, Protocol, TypeVar

T = TypeVar("T")

SEED_BYTES: Final = 32
_MISSING: Final = bytes(SEED_BYTES)
_WORD: Final = 1 << 32
_BLOCK: Final = Struct(">8I")


class Chance(Protocol):
    """The only source of randomness of a game; the label names the place of the draw."""

    def shuffle(self, label: str, order: Sequence[T]) -> tuple[T, ...]:
        """The items of the canonical `order` in a random order."""
        ...

    def die(self, label: str) -> int:
        """One throw of a six-sided die: 1 to 6."""
        ...

    def choose(self, label: str, options: Sequence[T]) -> T:
        """One of the options, each equally likely."""
        ...


def commitment(seed: bytes) -> bytes:
    """What is published before the first draw: SHA-256 of the seed."""
    return hashlib.sha256(seed).digest()


def draw_key(seed: bytes, entropies: Sequence[bytes]) -> bytes:
    """The key of all draws of a match: seed, then each seat's entropy (missing: 32 zero bytes)."""
    parts = b"".join(entropy or _MISSING for entropy in entropies)
    return hashlib.sha256(b"spielwerk|1|key" + seed + parts).digest()


def decision_seed(bot_seed: bytes, seat: int, turn_key: str) -> bytes:
    """The key of one bot decision; belongs to the seat and the turn."""
    return hmac.digest(bot_seed, f"{seat}|{turn_key}".encode(), "sha256")


class HmacChance:
    """HMAC-SHA256(key, "spielwerk|1|<match_id>|<label>|<counter>") as 32-bit big-endian words.

    A word in the incomplete last interval is thrown away, so no outcome is favoured.
    A label always gives the same outcome: a retry draws nothing new.
    """

    def __init__(self, key: bytes, match_id: str) -> None:
        self._key = key
        self._match_id = match_id

    def shuffle(self, label: str, order: Sequence[T]) -> tuple[T, ...]:
        """Fisher-Yates from the last index down."""
        words = _Words(self._key, self._match_id, label)
        items = list(order)
        for last in range(len(items) - 1, 0, -1):
            other = words.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return tuple(items)

    def die(self, label: str) -> int:
        """1 to 6."""
        return 1 + _Words(self._key, self._match_id, label).below(6)

    def choose(self, label: str, options: Sequence[T]) -> T:
        """One of the options; IndexError if there are none."""
        if not options:
            raise IndexError("nothing to choose from")
        return options[_Words(self._key, self._match_id, label).below(len(options))]


class _Words:
    """The stream of 32-bit words of one label."""

    def __init__(self, key: bytes, match_id: str, label: str) -> None:
        self._words = _words(key, f"spielwerk|1|{match_id}|{label}|")

    def below(self, bound: int) -> int:
        word = next(self._words)
        # The exact limit is above the first one, which rules out nearly every word more cheaply.
        while word >= _WORD - bound and word >= _WORD - _WORD % bound:
            word = next(self._words)
        return word % bound


def _words(key: bytes, prefix: str) -> Iterator[int]:
    for counter in count():
        yield from _BLOCK.unpack(hmac.digest(key, f"{prefix}{counter}".encode(), "sha256"))
