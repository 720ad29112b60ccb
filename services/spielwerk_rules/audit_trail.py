"""Who looked at more of a running match than its public may see: a stream of its own."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass
from typing import Any, Final

from spielwerk.clock import Clock
from spielwerk.errors import Unavailable
from spielwerk.log.connect import Connection
from spielwerk.log.side_streams import open_side_stream

STREAM: Final = "AUDIT"
SUBJECT: Final = "audit.look"

_TIMEOUT_S: Final = 2.0
_CONFIGURATION: Final[dict[str, Any]] = {
    "name": STREAM,
    "subjects": [SUBJECT],
    "storage": "file",
    "retention": "limits",
    "discard": "new",
    "deny_delete": True,
    "deny_purge": True,
}


@dataclass(frozen=True, slots=True)
class Look:
    """What somebody saw; `viewer` is `seat <n>`, `everything` or `records`."""

    caller: str
    role: str
    method: str
    match_id: str
    version: int
    viewer: str


class AuditTrail:
    """Writes looks down before they are answered."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock

    async def write(self, look: Look) -> None:
        """Returns when the look is stored; Unavailable (audit_unavailable) if that is not known."""
        entry = json.dumps({"at_ms": self._clock.now_ms(), **asdict(look)}).encode()
        until = asyncio.get_running_loop().time() + _TIMEOUT_S
        answer = await self._connection.inbox.request(SUBJECT, entry, until=until)
        if answer is None or not answer.data or "error" in json.loads(answer.data):
            raise Unavailable("audit_unavailable", "the look could not be written down")


async def open_trail(connection: Connection, replicas: int) -> None:
    """Make the stream if there is none; Unavailable without a broker."""
    await open_side_stream(connection, _CONFIGURATION, replicas)
