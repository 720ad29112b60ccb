"""NATS headers as they are on the wire and in the store: `Name: value` lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BROKERS: Final = "Nats-"
_CRLF: Final = "\r\n"
_VERSION: Final = "NATS/1.0\r\n"


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


def header_block(headers: Mapping[str, str]) -> bytes:
    """The headers of a publish; ValueError for a name or value that would begin another line."""
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    text = "".join(lines)
    if text.count("\n") != len(lines) or text.count("\r") != len(lines):
        raise ValueError("a header must not contain line ends")
    return f"{_VERSION}{text}\r\n".encode()
