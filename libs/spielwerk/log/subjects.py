"""Match ids and the subjects of their records: match.<period>.<shard>.<match_id>.<kind>."""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from spielwerk.errors import PermissionDenied
from spielwerk.log.port import Kind

SHARDS: Final = 64
ID_LENGTH: Final = 26
_TIME_LENGTH: Final = 10
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
_RANDOM_BITS: Final = 80
_WELL_FORMED: Final = re.compile(rf"[0-7][{_ALPHABET}]{{{ID_LENGTH - 1}}}")


def _digits(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


# The alphabet ascends, so texts of one length compare as their numbers do.
_LAST_TIME: Final = _digits(253402300799999, _TIME_LENGTH)  # 9999-12-31


def new_match_id(now_ms: int, random: bytes) -> str:
    """A ULID-like id: 48 bits of time (ms), 80 random bits (10 bytes)."""
    return _digits((now_ms << _RANDOM_BITS) | int.from_bytes(random[:10], "big"), ID_LENGTH)


def check_match_id(text: str) -> str:
    """Return the id; PermissionDenied (no_such_match) for anything that cannot be one.

    A malformed id is answered like an unknown one, and never becomes a token of a subject.
    """
    if not _WELL_FORMED.fullmatch(text) or text[:_TIME_LENGTH] > _LAST_TIME:
        raise PermissionDenied("no_such_match")
    return text


def shard_of(match_id: str) -> int:
    """CRC-32 of the id, modulo 64: never changes, whatever streams there are."""
    return zlib.crc32(match_id.encode()) % SHARDS


@lru_cache(maxsize=65536)
def prefix(match_id: str) -> str:
    """`match.2026-11.17.<match_id>`; the id must be well formed."""
    month = datetime.fromtimestamp(made_at_ms(match_id) / 1000, UTC).strftime("%Y-%m")
    return f"match.{month}.{shard_of(match_id)}.{match_id}"


def subject(match_id: str, kind: Kind) -> str:
    """Where a record of this kind is stored."""
    return f"{prefix(match_id)}.{kind.value}"


def every_kind(match_id: str) -> str:
    """The filter for all records of one match."""
    return f"{prefix(match_id)}.*"


def match_id_of(subject_text: str) -> str:
    """The match id in a stored subject."""
    return subject_text.split(".")[3]


def kind_of(subject_text: str) -> Kind:
    """The kind in a stored subject."""
    return Kind(subject_text.rsplit(".", 1)[1])


def made_at_ms(match_id: str) -> int:
    """When the id was made, in ms since 1970; the id must be well formed."""
    number = 0
    for char in match_id[:_TIME_LENGTH]:
        number = number * 32 + _ALPHABET.index(char)
    return number
