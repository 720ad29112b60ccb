"""One match as a file: JSON Lines with the stored bytes, readable in any language.

The first line is a header, one line a message follows, and the last line counts them and carries
the SHA-256 of everything before it. Foreign messages are kept: they show what the log holds.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from spielwerk.errors import SpielwerkError
from spielwerk.log.headers import shown_headers
from spielwerk.log.port import Stored
from spielwerk.log.subjects import check_match_id

FORMAT: Final = "spielwerk-match"
VERSION: Final = 1

_LONGEST_LINE: Final = 4 * 1024 * 1024
_compact: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


class BadExport(Exception):
    """A file is not, or not any more, what was exported; `line` counts from 1."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


def write_export(out: BinaryIO, match_id: str, messages: Iterable[Stored]) -> int:
    """Write the messages of a match; returns their number."""
    sha256, count = hashlib.sha256(), 0

    def put(content: dict[str, Any]) -> None:
        line = f"{_compact(content)}\n".encode()
        sha256.update(line)
        out.write(line)

    put({"format": FORMAT, "version": VERSION, "match_id": match_id})
    for message in messages:
        put(_content(replace(message, headers=shown_headers(message.headers))))
        count += 1
    put({"messages": count, "sha256": sha256.hexdigest()})
    return count


class Export:
    """An exported file, read line by line; open it with `with`.

    Iterate over `messages` once; BadExport where it is not as it was written.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._sha256 = hashlib.sha256()
        self._line = 0
        self.match_id = ""

    @property
    def position(self) -> int:
        """Bytes read so far."""
        return self._file.tell()

    def __enter__(self) -> Export:
        try:
            self.match_id = _match_id(self._next() or {})
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def messages(self) -> Iterator[Stored]:
        """The stored messages in order."""
        count = 0
        while True:
            before = self._sha256.hexdigest()
            content = self._next()
            if content is None:
                raise BadExport(self._line + 1, "the last line is missing: the file was cut")
            if "messages" in content:
                break
            yield self._stored(content)
            count += 1
        if content != {"messages": count, "sha256": before}:
            raise BadExport(self._line, "the lines before it were changed after the export")
        if self._file.read(1):
            raise BadExport(self._line + 1, "something stands behind the last line")

    def _next(self) -> dict[str, Any] | None:
        """The next line; None at the end of the file."""
        line = self._file.readline(_LONGEST_LINE)
        if not line:
            return None
        self._line += 1
        self._sha256.update(line)
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadExport(self._line, "no JSON") from error
        if not isinstance(content, dict) or f"{_compact(content)}\n".encode() != line:
            raise BadExport(self._line, "not as it was written")
        return content

    def _stored(self, content: dict[str, Any]) -> Stored:
        try:
            data = base64.b64decode(content["data"], validate=True)
            headers = {str(name): str(value) for name, value in content["headers"].items()}
            stored = Stored(content["sequence"], content["subject"], headers, data)
        except (KeyError, ValueError, TypeError, AttributeError, binascii.Error) as error:
            raise BadExport(self._line, "no stored message") from error
        if _content(stored) != content or type(stored.sequence) is not int:
            raise BadExport(self._line, "no stored message")
        return stored


def _content(message: Stored) -> dict[str, Any]:
    return {
        "sequence": message.sequence,
        "subject": message.subject,
        "headers": dict(message.headers),
        "data": base64.b64encode(message.data).decode(),
    }


def _match_id(header: dict[str, Any]) -> str:
    """The match of a header line; BadExport for any other line."""
    match_id = header.get("match_id")
    if header != {"format": FORMAT, "version": VERSION, "match_id": match_id}:
        raise BadExport(1, f"no {FORMAT} file of version {VERSION}")
    try:
        return check_match_id(str(match_id))
    except SpielwerkError as error:
        raise BadExport(1, "no match id") from error
