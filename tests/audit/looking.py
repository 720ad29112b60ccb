"""Everything that clients can see of a match over the real API, as the bytes they receive."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator, AsyncIterator, Container, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from spielwerk.api.v1 import audit_pb2, match_pb2
from spielwerk.rpc.channel import open_channel
from spielwerk_accounts.keys import SigningKeys

SPECTATOR = "spectator"
_MATCH, _AUDIT = "/spielwerk.api.v1.MatchService/", "/spielwerk.api.v1.AuditService/"
_ANSWERS: dict[str, Any] = {
    f"{_MATCH}GetView": match_pb2.GetViewResponse,
    f"{_MATCH}GetHistory": match_pb2.GetHistoryResponse,
    f"{_MATCH}ListLegal": match_pb2.ListLegalResponse,
    f"{_MATCH}Join": match_pb2.JoinResponse,
    f"{_MATCH}Submit": match_pb2.SubmitResponse,
    f"{_MATCH}Watch": match_pb2.WatchResponse,
    f"{_MATCH}Play": match_pb2.PlayResponse,
    f"{_MATCH}GetBotTurn": match_pb2.GetBotTurnResponse,
    f"{_AUDIT}Replay": audit_pb2.ReplayResponse,
    f"{_AUDIT}Verify": audit_pb2.VerifyResponse,
    f"{_AUDIT}ListMatches": audit_pb2.ListMatchesResponse,
    f"{_AUDIT}GetRecords": audit_pb2.GetRecordsResponse,
}
# Answers name the trace of their call; calls that bring the same one are answered alike.
_TRACE: Final = (("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"),)


@dataclass
class Eyes:
    """One caller's channel; keeps every byte of every answer and refusal."""

    channel: grpc.aio.Channel
    raw: list[bytes] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)

    async def call(self, method: str, request: Message) -> Any:
        """A unary call; its refusal is kept and given back."""
        path = method if method.startswith("/") else _MATCH + method
        call = self.channel.unary_unary(
            path, type(request).SerializeToString, lambda data: self._keep(path, data)
        )
        try:
            return await call(request, metadata=_TRACE)
        except grpc.aio.AioRpcError as refused:
            self._refusal(refused)
            return refused

    async def stream(self, method: str, request: Message) -> AsyncGenerator[Any, None]:
        """All answers of a streaming call, and its refusal."""
        path = method if method.startswith("/") else _MATCH + method
        call = self.channel.unary_stream(
            path, type(request).SerializeToString, lambda data: self._keep(path, data)
        )
        try:
            async for answer in call(request, metadata=_TRACE):
                yield answer
        except grpc.aio.AioRpcError as refused:
            self._refusal(refused)

    async def play(self, requests: Sequence[match_pb2.PlayRequest]) -> AsyncGenerator[Any, None]:
        """Answers of a Play stream that stays open."""
        path = f"{_MATCH}Play"
        call: Any = self.channel.stream_stream(
            path,
            match_pb2.PlayRequest.SerializeToString,
            lambda data: self._keep(path, data),
        )(metadata=_TRACE)
        for request in requests:
            await call.write(request)
        try:
            async for answer in call:
                yield answer
        finally:
            call.cancel()

    def _keep(self, path: str, data: bytes) -> Any:
        answer = _ANSWERS[path].FromString(data)
        self.raw.append(data)
        self.seen.append(answer)
        return answer

    def _refusal(self, refused: grpc.aio.AioRpcError) -> None:
        self.raw.append((refused.details() or "").encode())
        for _, value in refused.trailing_metadata() or ():
            self.raw.append(value if isinstance(value, bytes) else value.encode())


@asynccontextmanager
async def eyes(address: str, keys: SigningKeys, *subjects: str) -> AsyncIterator[dict[str, Eyes]]:
    """Channels of these players, and one of a stranger who may watch: `spectator`."""
    found: dict[str, Eyes] = {}
    for subject in (*subjects, SPECTATOR):
        token = keys.issue(subject, "player", 3600)
        found[subject] = Eyes(open_channel(address, partial(str, token)))
    try:
        yield found
    finally:
        await asyncio.gather(*[one.channel.close() for one in found.values()])


async def look_at_everything(one: Eyes, match_id: str, seats: int, version: int) -> None:
    """Every way there is to ask about a match, in which it stands at a version."""
    await look_at_copies(one, match_id, version)
    await _look_through_play(one, match_id, version)
    viewers: list[dict[str, Any]] = [{"seat": seat} for seat in range(seats)]
    viewers += [{"spectator": audit_pb2.Spectator()}, {"everything": audit_pb2.Everything()}]
    for viewer in viewers:
        replay = audit_pb2.ReplayRequest(match_id=match_id, **viewer)
        await one.call(f"{_AUDIT}Replay", replay)
    for seat in range(seats):
        await one.call("GetBotTurn", match_pb2.GetBotTurnRequest(match_id=match_id, seat=seat))
    await one.call(f"{_AUDIT}Verify", audit_pb2.VerifyRequest(match_id=match_id))
    await one.call(f"{_AUDIT}ListMatches", audit_pb2.ListMatchesRequest())
    async for _ in one.stream(
        f"{_AUDIT}GetRecords", audit_pb2.GetRecordsRequest(match_id=match_id)
    ):
        pass


async def look_at_copies(one: Eyes, match_id: str, version: int) -> None:
    """The ways to see a match that stands at a version, whole and from its beginning."""
    await one.call("GetView", match_pb2.GetViewRequest(match_id=match_id))
    await one.call("ListLegal", match_pb2.ListLegalRequest(match_id=match_id))
    await one.call("GetHistory", match_pb2.GetHistoryRequest(match_id=match_id, page_size=500))
    for start in (None, 0):
        watch = one.stream("Watch", match_pb2.WatchRequest(match_id=match_id, after_version=start))
        async for answer in watch:
            if max(answer.snapshot.version, answer.update.version) >= version:
                break
        await watch.aclose()


async def _look_through_play(one: Eyes, match_id: str, version: int) -> None:
    """The same history on a Play stream, and a command there that must be refused."""
    watch = match_pb2.WatchRequest(match_id=match_id, after_version=0)
    empty = match_pb2.SubmitRequest(match_id=match_id, command_id="nothing")
    requests = [match_pb2.PlayRequest(commands=[empty]), match_pb2.PlayRequest(watches=[watch])]
    answers = one.play(requests)
    async for answer in answers:
        if any(update.update.version >= version for update in answer.updates):
            break
    await answers.aclose()


def lists_in(message: Message, skip: Container[str] = ()) -> Iterator[tuple[Any, ...]]:
    """All lists in a message at any depth: texts, numbers, or the bytes of messages; fields of the
    names in `skip` are left out."""
    for descriptor, value in message.ListFields():
        if descriptor.name in skip:
            continue
        if descriptor.message_type and descriptor.message_type.GetOptions().map_entry:
            continue
        nested = descriptor.type == FieldDescriptor.TYPE_MESSAGE
        if descriptor.is_repeated:
            yield tuple(_content(item) if nested else item for item in value)
        if nested:
            for item in value if descriptor.is_repeated else [value]:
                yield from lists_in(item, skip)


def items_in(message: Message, skip: Container[str] = ()) -> Iterator[Any]:
    """All texts and messages in a message at any depth, each by itself."""
    for descriptor, value in message.ListFields():
        if descriptor.name in skip:
            continue
        for item in value if descriptor.is_repeated else [value]:
            if isinstance(item, Message):
                yield _content(item)
                yield from items_in(item, skip)
            elif isinstance(item, str):
                yield item


def _content(message: Any) -> bytes:
    """The bytes of a message; a card of a pack with jokers is the same as any other card."""
    plain = message.DESCRIPTOR.name == "AnyCard" and message.HasField("card")
    return bytes((message.card if plain else message).SerializeToString())


def texts_of(secret: bytes) -> list[bytes]:
    """How bytes could show up: as they are, in hexadecimal, in both alphabets of base 64."""
    codes = {base64.b64encode(secret), base64.urlsafe_b64encode(secret)}
    codes = {code.rstrip(b"=") for code in codes}
    return [secret, secret.hex().encode(), repr(secret).encode()[2:-1], *codes]


def runs_of(lists: Iterator[tuple[Any, ...]], length: int) -> set[tuple[Any, ...]]:
    """All runs of so many different neighbours in lists of texts or messages (cards)."""
    return {
        part
        for items in lists
        if not any(isinstance(item, int) for item in items)
        for at in range(len(items) - length + 1)
        if len(set(part := items[at : at + length])) == length
    }
