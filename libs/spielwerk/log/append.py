"""Conditional appends: publish, wait for the acknowledgement, say exactly what is known."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from typing import Any, Final, NoReturn

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

# Numbers of the server's errors.json.
_WRONG_LAST_SEQUENCE: Final = 10071
_NOT_READY: Final = 10164  # replicated streams, spuriously after an acknowledged append
_STORE_FAILED: Final = 10077  # a limit of the stream, or a failing disk: the text tells
_LIMIT_TEXT: Final = "maximum "
_FULL: Final = frozenset({10002, 10023, 10028, 10047, 10122})
_DISK_FULL_TEXT: Final = "no space left"

_FULL_RETRY_S: Final = 30.0
_FIRST_PAUSE_S: Final = 0.002
_LONGEST_PAUSE_S: Final = 0.1

_SILENCES: Final = 3
_TRY_AGAIN_S: Final = 30.0

_log = get_logger(__name__)


class Appender:
    """Publishes records; any number of appends may be under way."""

    def __init__(self, connection: Connection, settings: LogSettings) -> None:
        self._inbox = connection.inbox
        self._timeout = settings.append_timeout_s
        self._silences = 0
        self._silent_at = 0.0

    @property
    def answered(self) -> bool:
        """Whether appends get answers, as far as known; see JetStreamLog.writable."""
        if self._silences < _SILENCES:
            return True
        return asyncio.get_running_loop().time() - self._silent_at > _TRY_AGAIN_S

    async def append(
        self, match_id: str, kind: Kind, data: bytes, headers: Mapping[str, str], *, expected: int
    ) -> int:
        """See MatchLog.append."""
        block = header_block(
            {
                **headers,
                _EXPECTED: str(expected),
                _EXPECTED_OF: every_kind(match_id),
            }
        )
        to = subject(match_id, kind)
        loop = asyncio.get_running_loop()
        until = loop.time() + self._timeout
        pause = _FIRST_PAUSE_S
        while True:
            answer = await self._publish(to, data, block, until)
            error = answer.get("error")
            if error is None:
                return int(answer["seq"])
            if error["err_code"] != _NOT_READY or loop.time() + pause > until:
                _raise(error["err_code"], error["description"])
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _publish(self, to: str, data: bytes, headers: bytes, until: float) -> dict[str, Any]:
        """The broker's answer; OutcomeUnknown if the message has left and none came."""
        message = await self._inbox.request(to, data, headers=headers, until=until)
        if message is None:
            self._silences += 1
            self._silent_at = asyncio.get_running_loop().time()
            raise OutcomeUnknown
        self._silences = 0
        if not message.data:  # status 503: nobody stores this subject now
            raise unavailable("no stream takes records")
        answer: dict[str, Any] = json.loads(message.data)
        return answer


def _raise(code: int, description: str) -> NoReturn:
    """The error of a refused append; all but a failed disk are definite."""
    if code == _WRONG_LAST_SEQUENCE:
        raise Conflict(description)
    limit = code == _STORE_FAILED and description.startswith(_LIMIT_TEXT)
    if limit or code in _FULL or _DISK_FULL_TEXT in description:
        _log.error("log full", code=code, description=description)
        raise ResourceExhausted("log_full", "the event log is full", retry_after=_FULL_RETRY_S)
    _log.error("append refused", code=code, description=description)
    if code == _STORE_FAILED:
        raise OutcomeUnknown
    raise unavailable(description)
