"""Reads of one match: its history by batched direct gets, its last message from the leader."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import nats.errors
from nats.aio.msg import Msg

from spielwerk.log.api import NO_MESSAGE, ApiError, ask
from spielwerk.log.connect import Connection
from spielwerk.log.inbox import unavailable
from spielwerk.log.port import Stored
from spielwerk.log.settings import LogSettings
from spielwerk.log.subjects import every_kind
from spielwerk.log.wire_headers import parse_lines, written_headers

_BATCH: Final = 1000
_AGAIN_S: Final = 0.5
_SEQUENCE: Final = "Nats-Sequence"
_SUBJECT: Final = "Nats-Subject"
_PREVIOUS: Final = "Nats-Last-Sequence"
_PENDING: Final = "Nats-Num-Pending"
_END_OF_BATCH: Final = "204"
_NOTHING: Final = "404"


class Reader:
    """Asks for stored messages of one match."""

    def __init__(self, connection: Connection, settings: LogSettings) -> None:
        self._connection = connection
        self._settings = settings

    async def read(self, match_id: str, *, after: int) -> Sequence[Stored]:
        """See MatchLog.read."""
        found: list[Stored] = []
        more = True
        while more:
            part = await self._batch(every_kind(match_id), after + 1)
            found += part.messages
            after = found[-1].sequence if found else after
            more = part.incomplete
            if more and not part.messages:
                raise unavailable("a batch without its first message")
        if self._settings.replicas > 1:
            # Any replica may have answered, also one that lags behind the acknowledgements.
            found += await self._rest_from_leader(match_id, after)
        return found

    async def last(self, match_id: str) -> Stored | None:
        """See MatchLog.last."""
        return await self._from_leader({"last_by_subj": every_kind(match_id)})

    async def _rest_from_leader(self, match_id: str, after: int) -> list[Stored]:
        last = await self.last(match_id)
        rest: list[Stored] = []
        while last is not None and after < last.sequence:
            question = {"seq": after + 1, "next_by_subj": every_kind(match_id)}
            message = await self._from_leader(question)
            if message is None:
                break
            rest.append(message)
            after = message.sequence
        return rest

    async def _from_leader(self, question: Mapping[str, Any]) -> Stored | None:
        verb = f"STREAM.MSG.GET.{self._settings.stream}"
        timeout = self._settings.read_timeout_s
        try:
            answer = await ask(self._connection, verb, question, timeout=timeout, again_s=_AGAIN_S)
        except ApiError as error:
            if error.code == NO_MESSAGE:
                return None
            raise unavailable(error) from error
        message = answer["message"]
        headers = written_headers(parse_lines(base64.b64decode(message.get("hdrs", ""))))
        data = base64.b64decode(message.get("data", ""))
        return Stored(message["seq"], message["subject"], headers, data)

    async def _batch(self, subjects: str, first: int) -> _Batch:
        batch = _Batch(asyncio.get_running_loop().create_future())
        stream, timeout_s = self._settings.stream, self._settings.read_timeout_s
        await direct_get(self._connection, stream, subjects, first, batch, timeout_s)
        if batch.failure:
            raise unavailable(batch.failure)
        return batch


class Taker(Protocol):
    """Takes the messages of one answer (None: the connection was lost) until its `end` is set."""

    end: asyncio.Future[None]

    def take(self, message: Msg | None) -> None:
        """The next one."""
        ...


async def direct_get(
    connection: Connection, stream: str, subjects: str, first: int, batch: Taker, timeout_s: float
) -> None:
    """Fill the batch with up to a thousand messages of the subjects from sequence `first` on, as
    any replica has them; Unavailable if it does not come to an end in time."""
    inbox = connection.inbox
    await inbox.open()
    reply = inbox.expect(batch.take)
    question = {"batch": _BATCH, "next_by_subj": subjects, "seq": first}
    try:
        async with asyncio.timeout(timeout_s):
            to = f"$JS.API.DIRECT.GET.{stream}"
            await connection.nc.publish(to, json.dumps(question).encode(), reply=reply)
            await batch.end
    except (TimeoutError, nats.errors.Error) as error:
        raise unavailable(error) from error
    finally:
        inbox.forget(reply)


@dataclass(slots=True)
class _Batch:
    """One answer: messages, then a status. `incomplete`: ask again behind the last message."""

    end: asyncio.Future[None]
    messages: list[Stored] = field(default_factory=list)
    incomplete: bool = False
    failure: str = ""

    def take(self, message: Msg | None) -> None:
        if self.end.done():
            return
        if message is None:
            self._finish(failure="connection lost")
            return
        headers = message.headers or {}
        # A record cannot pose as a status: the broker adds the sequence, last, to every record.
        if _SEQUENCE in headers:
            self._record(message, headers)
        elif headers.get("Status") == _END_OF_BATCH:
            self._finish(incomplete=headers.get(_PENDING, "0") != "0")
        elif headers.get("Status") == _NOTHING:
            self._finish()
        else:
            self._finish(failure=f"status {headers.get('Status')}")

    def _record(self, message: Msg, headers: Mapping[str, str]) -> None:
        previous = self.messages[-1].sequence if self.messages else 0
        if headers.get(_PREVIOUS) != str(previous):
            self._finish(incomplete=True)
            return
        sequence, subject = int(headers[_SEQUENCE]), headers[_SUBJECT]
        self.messages.append(Stored(sequence, subject, written_headers(headers), message.data))

    def _finish(self, *, incomplete: bool = False, failure: str = "") -> None:
        self.incomplete, self.failure = incomplete, failure
        self.end.set_result(None)
