"""Players who move as fast as they are answered: unary calls, and Play streams."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import grpc

from bench.house import PLAYERS, House, RulesProcess
from bench.tables import Move, Table
from spielwerk.api.v1 import match_pb2 as pb

_SERVICE = "/spielwerk.api.v1.MatchService"
_UNAVAILABLE = grpc.StatusCode.UNAVAILABLE.value[0]
_CALLS_OF_A_CONNECTION = 64
_JOINED = 256
"""Commands in one message of a Play stream at the most; a request may have 64 KiB."""


@dataclass(slots=True)
class Run:
    """What one run has measured; times in seconds, latencies of accepted commands."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Accepted commands a second."""
        return len(self.latencies) / self.seconds if self.seconds else 0.0

    def percentile(self, share: float) -> float:
        """A latency in seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class NotAccepted(Exception):
    """A prepared move was refused: the run measured nothing."""


async def unary(
    house: House, rules: Sequence[RulesProcess], tables: Sequence[Table], seconds: float
) -> Run:
    """Each match calls Submit, one call after another; matches are dealt to the processes."""
    run = Run()
    async with AsyncExitStack() as stack:

        async def callers(process: RulesProcess) -> list[Any]:
            return [
                (await stack.enter_async_context(house.channel(process, player))).unary_unary(
                    f"{_SERVICE}/Submit", response_deserializer=pb.SubmitResponse.FromString
                )
                for player in PLAYERS
            ]

        submits = [
            await callers(rules[n % len(rules)]) for n in range(len(rules) * _shares(tables))
        ]
        begin = time.perf_counter()
        until = begin + seconds

        async def play(table: Table, submit: list[Any]) -> None:
            while table.ready and time.perf_counter() < until:
                move = table.ready.popleft()
                sent = time.perf_counter()
                await _accepted(submit[move.seat], move)
                run.latencies.append(time.perf_counter() - sent)

        await asyncio.gather(
            *[play(table, submits[n % len(submits)]) for n, table in enumerate(tables)]
        )
        run.seconds = time.perf_counter() - begin
    return run


async def _accepted(submit: Any, move: Move) -> None:
    """Repeat what the service has answered with UNAVAILABLE, as clients should."""
    while True:
        try:
            await submit(move.request)
            return
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise


def _shares(tables: Sequence[Table]) -> int:
    """Connections a player: each carries fewer calls at a time than the server allows it."""
    return -(-len(tables) // _CALLS_OF_A_CONNECTION)


async def play(
    house: House,
    rules: Sequence[RulesProcess],
    tables: Sequence[Table],
    seconds: float,
    *,
    joined: bool,
) -> Run:
    """Each player has one Play stream a process for all its matches.

    `joined`: what is ready goes into one message; otherwise each command is a message.
    """
    parts = [_Streams(tables[n :: len(rules)], joined=joined) for n in range(len(rules))]
    await asyncio.gather(
        *[part.run(house, process, seconds) for part, process in zip(parts, rules, strict=True)]
    )
    elapsed = time.perf_counter() - min(part.begun for part in parts)
    return Run(elapsed, [latency for part in parts for latency in part.latencies])


class _Streams:
    """One stream a player on one rules process."""

    def __init__(self, tables: Sequence[Table], *, joined: bool) -> None:
        self._tables = {table.match_id: table for table in tables}
        self._joined = _JOINED if joined else 1
        self._waiting: list[deque[bytes]] = [deque() for _ in PLAYERS]
        self._news = [asyncio.Event() for _ in PLAYERS]
        self._under_way = 0
        self._until = 0.0
        self.begun = 0.0
        self.latencies: list[float] = []

    async def run(self, house: House, rules: RulesProcess, seconds: float) -> None:
        """For so long from when the streams are open: the first commands are always sent."""
        async with AsyncExitStack() as stack:
            calls = [
                (await stack.enter_async_context(house.channel(rules, player))).stream_stream(
                    f"{_SERVICE}/Play", response_deserializer=pb.PlayResponse.FromString
                )()
                for player in PLAYERS
            ]
            self.begun = time.perf_counter()
            self._until = self.begun + seconds
            for table in self._tables.values():
                self._send_next(table)
            await asyncio.gather(
                *[self._write(seat, call) for seat, call in enumerate(calls)],
                *[self._read(call) for call in calls],
            )

    def _send_next(self, table: Table) -> None:
        if not table.ready or time.perf_counter() >= self._until:
            if not self._under_way:
                for news in self._news:
                    news.set()
            return
        table.sent = table.ready.popleft()
        table.sent_at = time.perf_counter()
        self._under_way += 1
        self._send(table.sent)

    def _repeat(self, table: Table, outcome: pb.CommandOutcome) -> None:
        if outcome.refused.code != _UNAVAILABLE or table.sent is None:
            raise NotAccepted(str(outcome))
        self._send(table.sent)

    def _send(self, move: Move) -> None:
        self._waiting[move.seat].append(move.part)
        self._news[move.seat].set()

    async def _write(self, seat: int, call: Any) -> None:
        waiting, news = self._waiting[seat], self._news[seat]
        while True:
            await news.wait()
            news.clear()
            while waiting:
                # Messages of one type may be joined as bytes: their repeated fields add up.
                number = min(len(waiting), self._joined)
                await call.write(b"".join([waiting.popleft() for _ in range(number)]))
            if not self._under_way:
                await call.done_writing()
                return

    async def _read(self, call: Any) -> None:
        async for response in call:
            now = time.perf_counter()
            for outcome in response.outcomes:
                table = self._tables[outcome.match_id]
                if not outcome.HasField("accepted"):
                    self._repeat(table, outcome)
                    continue
                self.latencies.append(now - table.sent_at)
                self._under_way -= 1
                self._send_next(table)
