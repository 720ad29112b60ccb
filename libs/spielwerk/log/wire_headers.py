"""NATS headers as they are on the wire and in the store: `Name: value` lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BROKERS: Final = "Nats-"
_CRLF: Final = "\r\n"


def parse_lines(block: bytes) -> dict[str, str]:
    """Names and values; of equal names the last counts. What is no header is left out."""
    headers = {}
    for line in block.decode("utf-8", "replace").split(_CRLF):
        name, colon, value = line.partition(":")
        if colon:
            headers[name] = value.strip()
    return headers


def written_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The headers that the writer gave, without those of the broker."""
    if not headers:
        return {}
    return {key: value for key, value in headers.items() if not key.startswith(_BROKERS)}
