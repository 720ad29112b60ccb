"""Where the processor time of a move goes: the pieces timed one by one over real moves."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from spielwerk.api.log.v1 import record_pb2
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.codec import game_codec
from spielwerk.codec.match import fill_update, read_record, record_message
from spielwerk.games import registry
from spielwerk.log.port import Stored
from spielwerk.log.routing import headers_of
from spielwerk.match.again import again
from spielwerk.match.decide import Decided
from spielwerk.match.fold import finish, fold
from spielwerk.match.model import Match, Record

_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class _Step:
    """A move that was played: the match before it, its request and what became of it."""

    before: Match
    request: bytes
    record: Record
    decided: Decided
    stored: Stored
    message: record_pb2.Record


def split(histories: Sequence[Sequence[Stored]]) -> dict[str, float]:
    """Microseconds of processor time a move, by piece; the quickest of some rounds."""
    steps = [step for stored in histories for step in _steps(stored)]
    pieces: dict[str, Callable[[_Step], Any]] = {
        "decode the request": _decode,
        "decide": _decide,
        "encode the record": _encode,
        "finish and answer": _answer,
        "fold a stored record (replay only)": _fold,
    }
    return {name: _micros(piece, steps) for name, piece in pieces.items()}


def _steps(stored: Sequence[Stored]) -> list[_Step]:
    match: Match | None = None
    steps = []
    for message in stored:
        record, _ = read_record(message.data, match.game if match else None, registry.version)
        if match is not None and record.cause.command is not None:
            decided = again(match, record, match.game)
            assert decided is not None, "a stored move can be decided again"
            request, own = _request(match, record), record_message(match.game, decided.record)
            steps.append(_Step(match, request, record, decided, message, own))
        match = fold(match, record, _sha256(message.data), message.sequence, registry.version)
    return steps


def _request(match: Match, record: Record) -> bytes:
    cause = record.cause
    request = pb.SubmitRequest(match_id=match.match_id, command_id=cause.command_id)
    request.turn_key = match.turns[cause.seat or 0].key
    game_codec(match.game).fill_command(cause.command, request.command)
    return request.SerializeToString()


def _decode(step: _Step) -> None:
    command = pb.SubmitRequest.FromString(step.request).command
    game_codec(step.before.game).read_command(command)


def _decide(step: _Step) -> None:
    again(step.before, step.record, step.before.game)


def _encode(step: _Step) -> None:
    record, after = step.decided.record, step.decided.after
    data = record_message(after.game, record).SerializeToString(deterministic=True)
    headers_of(after, record, data).write()


def _answer(step: _Step) -> None:
    record, after = step.decided.record, step.decided.after
    finish(after, record, _sha256(step.stored.data), step.stored.sequence)
    response = pb.SubmitResponse()
    options, seat = after.opened.options, record.cause.seat
    fill_update(after.game, options, record, seat, response.update, stored=step.message)
    response.SerializeToString()


def _fold(step: _Step) -> None:
    data = step.stored.data
    record, _ = read_record(data, step.before.game, registry.version)
    fold(step.before, record, _sha256(data), step.stored.sequence, registry.version)


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _micros(piece: Callable[[_Step], Any], steps: Sequence[_Step]) -> float:
    spent = []
    for _ in range(_ROUNDS):
        begin = time.process_time()
        for step in steps:
            piece(step)
        spent.append(time.process_time() - begin)
    return min(spent) / len(steps) * 1e6
