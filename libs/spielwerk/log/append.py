"""Conditional appends: publish, wait for the acknowledgement, say exactly what is known."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from typing import Any, Final

from spielwerk.errors import ResourceExhausted
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.port import Conflict, Kind, OutcomeUnknown
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import every_kind, subject
from spielwerk.log.wire_headers import header_block
from spielwerk.telemetry.logs import get_logger

_EXPECTED: Final = "Nats-Expected-Last-Subject-Sequence"
_EXPECTED_OF: Final = "Nats-Expected-Last-Subject-Sequence-Subject"
# Kept with the record: a consumer may send it to any subject, where no other stream takes it.
_STREAM: Final = "Nats-Expected-Stream"

# Numbers of the server's errors.json.
_WRONG_LAST_SEQUENCE: Final = 10071
# Replicated streams: another append to the match is on its way through the replicas, or its last
# one was acknowledged a moment ago. The answer names no sequence and so decides nothing.
_UNDER_WAY: Final = frozenset({10163, 10164})
_STORE_FAILED: Final = 10077  # a limit of the stream, or a failing disk: the text tells
_LIMIT_TEXT: Final = "maximum "
_FULL: Final = frozenset({10002, 10023, 10028, 10047, 10122})
_DISK_FULL_TEXT: Final = "no space left"

_FULL_RETRY_S: Final = 30.0
_FIRST_PAUSE_S: Final = 0.002
_LONGEST_PAUSE_S: Final = 0.1

_GIVEN_UP_AFTER: Final = 3
_TRY_AGAIN_S: Final = 30.0
_TRY_ABSENT_AGAIN_S: Final = 5.0  # it costs no time to hear that nobody is there

_log = get_logger(__name__)


def stored_headers(match_id: str, headers: Mapping[str, str], expected: int, stream: str) -> bytes:
    """The headers of an append as they are sent and stored, with its conditions."""
    condition = {
        _EXPECTED: str(expected),
        _EXPECTED_OF: every_kind(match_id),
        _STREAM: stream,
    }
    return header_block({**headers, **condition})


class Appender:
    """Publishes records; any number of appends may be under way."""

    def __init__(self, connection: Connection, settings: LogSettings) -> None:
        self._inbox = connection.inbox
        self._stream = settings.stream
        self._timeout = settings.append_timeout_s
        self._unstored = 0
        self._trusted_again_at = 0.0

    @property
    def storing(self) -> bool:
        """Whether appends are stored, as far as known; see JetStreamLog.writable."""
        if self._unstored < _GIVEN_UP_AFTER:
            return True
        return asyncio.get_running_loop().time() > self._trusted_again_at

    async def append(
        self, match_id: str, kind: Kind, data: bytes, headers: Mapping[str, str], *, expected: int
    ) -> int:
        """See MatchLog.append."""
        block = stored_headers(match_id, headers, expected, self._stream)
        to = subject(match_id, kind)
        loop = asyncio.get_running_loop()
        until = loop.time() + self._timeout
        pause = _FIRST_PAUSE_S
        while True:
            answer = await self._publish(to, data, block, until)
            error = answer.get("error")
            if error is None:
                self._unstored = 0
                return int(answer["seq"])
            if error["err_code"] not in _UNDER_WAY:
                raise self._refusal(error["err_code"], error["description"])
            if pause == _FIRST_PAUSE_S:
                _log.info("append answered unclearly", code=error["err_code"], subject=to)
            if loop.time() + pause > until:
                raise OutcomeUnknown
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _publish(self, to: str, data: bytes, headers: bytes, until: float) -> dict[str, Any]:
        """The broker's answer; OutcomeUnknown if the message has left and none came."""
        message = await self._inbox.request(to, data, headers=headers, until=until)
        if message is None:
            self._not_stored()
            raise OutcomeUnknown
        if not message.data:  # status 503: nobody stores this subject, or nobody leads its stream
            self._not_stored(_TRY_ABSENT_AGAIN_S)
            raise unavailable("no stream takes records")
        answer: dict[str, Any] = json.loads(message.data)
        return answer

    def _refusal(self, code: int, description: str) -> Exception:
        """The error of a refused append; all but a failed disk are definite."""
        if code == _WRONG_LAST_SEQUENCE:
            self._unstored = 0
            return Conflict(description)
        limit = code == _STORE_FAILED and description.startswith(_LIMIT_TEXT)
        if limit or code in _FULL or _DISK_FULL_TEXT in description:
            self._unstored = 0
            _log.error("log full", code=code, description=description)
            return ResourceExhausted("log_full", "the event log is full", retry_after=_FULL_RETRY_S)
        self._not_stored()
        _log.error("append refused", code=code, description=description)
        return OutcomeUnknown() if code == _STORE_FAILED else unavailable(description)

    def _not_stored(self, again_s: float = _TRY_AGAIN_S) -> None:
        self._unstored += 1
        self._trusted_again_at = asyncio.get_running_loop().time() + again_s
