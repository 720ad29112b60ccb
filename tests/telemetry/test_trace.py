"""One trace id links a call with all that follows from it, in every service, and with no player."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any

import grpc
import pytest

from client.conftest import installed
from client.house import House
from spielwerk.api.v1 import audit_pb2, match_pb2
from spielwerk.api.v1.audit_pb2_grpc import AuditServiceStub
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.audit.export import write_export
from spielwerk.errors import PermissionDenied
from spielwerk.log.connect import connect
from spielwerk.log.headers import read_headers
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.rpc.channel import open_channel
from spielwerk.rpc.errors import error_of
from spielwerk.telemetry import tracing
from spielwerk.telemetry.tracing import TRACE_ID, TRACEPARENT
from telemetry.conftest import Lines

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
SECRET = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.02)


@asynccontextmanager
async def stub_of(house: House, player: str) -> AsyncIterator[Any]:
    async with open_channel(house.address, lambda: house.token(player)) as channel:
        yield MatchServiceStub(channel)


async def records_of(house: House, match_id: str) -> list[Any]:
    async with connect(house.common["nats"]) as connection:
        return list(await JetStreamLog(connection, house.common["log"]).read(match_id))


async def paired(house: House, *players: str) -> str:
    """A match of cribbage that matchmaking has made; all have joined."""

    async def enter(player: str) -> str:
        async with house.client(player) as client:
            ticket = await client.matchmaking.enqueue("cribbage", players=len(players))
            found = await client.matchmaking.wait_ticket(ticket.ticket_id)
            assert found.match_id is not None
            await client.match(found.match_id).join()
            return found.match_id

    ids = await asyncio.gather(*map(enter, players))
    assert len(set(ids)) == 1
    return ids[0]


def told(metadata: Any) -> list[str]:
    return [value for key, value in metadata or () if key == TRACE_ID]


async def test_one_id_leads_from_a_call_to_the_ranking_of_a_paired_match(
    installed: House, lines: Lines
) -> None:
    match_id = await paired(installed, "ada", "bob")
    async with stub_of(installed, "ada") as ada:
        request = match_pb2.ResignRequest(match_id=match_id, command_id="r1")
        call = ada.Resign(request, metadata=((TRACEPARENT, PARENT),))
        await call
        assert told(await call.trailing_metadata()) == [TRACE]

    def events() -> set[tuple[str, str]]:
        found = [line for line in lines() if line.get("trace_id") == TRACE]
        return {(line["logger"].split(".")[0], line["event"]) for line in found}

    wanted = {
        ("spielwerk_rules", "match ended"),
        ("spielwerk_scoring", "result applied"),
        ("spielwerk_matchmaking", "record read"),
    }
    await until(lambda: wanted <= events())
    last = (await records_of(installed, match_id))[-1]
    headers = read_headers(last.headers)
    assert headers is not None
    assert headers.trace == TRACE
    assert TRACE.encode() not in last.data


async def test_a_bot_answers_in_the_trace_of_the_move_it_answers(installed: House) -> None:
    async with installed.client("ada") as client:
        wishes = {"action_timeout_s": 0}
        match_id = (await client.matchmaking.practice("cribbage", wishes)).match_id
        await client.match(match_id).join()
    async with stub_of(installed, "ada") as ada, asyncio.timeout(60):
        before = len(await traced_moves(installed, ada, match_id)) - 1
    found = await headers_of(installed, match_id, before + 2)
    assert found[before].trace == found[before + 1].trace == TRACE
    assert found[before].turns[0].bot
    # Not so what came before any move of hers.
    assert found[1].trace not in ("", TRACE)


async def traced_moves(house: House, ada: Any, match_id: str) -> list[Any]:
    """Ada moves while nobody else can, until her move opens a turn of the bot; all headers."""
    number = 0
    while True:
        turns = (await headers_of(house, match_id, 2))[-1].turns
        if [turn.bot for turn in turns] != [False]:
            await asyncio.sleep(0.02)
            continue
        number += 1
        legal = await ada.ListLegal(match_pb2.ListLegalRequest(match_id=match_id))
        request = match_pb2.SubmitRequest(
            match_id=match_id,
            command_id=f"c{number}",
            command=legal.commands[0],
            turn_key=legal.turn_key,
        )
        accepted = await ada.Submit(request, metadata=((TRACEPARENT, PARENT),))
        found = await headers_of(house, match_id, accepted.update.version)
        found = found[: accepted.update.version]
        if found[-1].turns and found[-1].turns[0].bot:
            return found


async def headers_of(house: House, match_id: str, count: int) -> list[Any]:
    """The headers of the match's records, once there are so many."""
    async with asyncio.timeout(30):
        while len(stored := await records_of(house, match_id)) < count:
            await asyncio.sleep(0.05)
    return [read_headers(message.headers) for message in stored]


async def test_no_player_sees_the_trace_of_another_ones_call(installed: House) -> None:
    match_id = await installed.open_match("ada", "bob")
    async with (
        stub_of(installed, "ada") as ada,
        stub_of(installed, "bob") as bob,
        open_channel(installed.address, lambda: installed.token("bob")) as channel,
    ):
        watch = bob.Watch(match_pb2.WatchRequest(match_id=match_id, after_version=0))
        await ada.Join(match_pb2.JoinRequest(match_id=match_id), metadata=((TRACEPARENT, PARENT),))
        await bob.Join(match_pb2.JoinRequest(match_id=match_id))
        resign = match_pb2.ResignRequest(match_id=match_id, command_id="r1")
        await ada.Resign(resign, metadata=((TRACEPARENT, PARENT),))
        seen = [response.SerializeToString() async for response in watch]
        heard = [*(await watch.initial_metadata()), *(await watch.trailing_metadata())]
        view = await bob.GetView(match_pb2.GetViewRequest(match_id=match_id))
        history = await bob.GetHistory(match_pb2.GetHistoryRequest(match_id=match_id))
        asked = AuditServiceStub(channel).GetRecords(audit_pb2.GetRecordsRequest(match_id=match_id))
        records = [message async for response in asked for message in response.messages]
    assert TRACE in [read_headers(r.headers).trace for r in await records_of(installed, match_id)]  # type: ignore[union-attr]
    assert len(seen) > 3
    assert len(records) == 4
    assert not any(b"Sw-Trace" in record.SerializeToString() for record in records)
    answers = [*seen, *(record.SerializeToString() for record in records)]
    answers += [view.SerializeToString(), history.SerializeToString()]
    assert not any(TRACE.encode() in answer for answer in answers)
    exported = BytesIO()
    write_export(exported, match_id, await records_of(installed, match_id))
    assert TRACE.encode() not in exported.getvalue()
    assert TRACE not in str(heard)
    assert len(told(heard)) == 1


async def test_a_malformed_one_is_neither_logged_nor_kept_and_a_failure_tells_the_new_one(
    installed: House, lines: Lines
) -> None:
    match_id = await installed.open_match("ada", "bob")
    async with stub_of(installed, "ada") as ada, stub_of(installed, "eve") as eve:
        join = match_pb2.JoinRequest(match_id=match_id)
        await ada.Join(join, metadata=((TRACEPARENT, SECRET),))
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await eve.Join(join, metadata=((TRACEPARENT, SECRET),))
    error = error_of(failed.value)
    assert isinstance(error, PermissionDenied)
    assert error.reason == "no_such_match"
    assert error.trace_id in [line.get("trace_id") for line in lines()]
    assert SECRET not in str(lines())
    assert SECRET not in str([message.headers for message in await records_of(installed, match_id)])


async def test_the_client_continues_the_trace_of_its_caller(installed: House) -> None:
    match_id = await installed.open_match("ada", "bob")
    async with installed.client("ada") as client:
        with tracing.continued(TRACE):
            await client.match(match_id).join()
    (_, joined) = await records_of(installed, match_id)
    headers = read_headers(joined.headers)
    assert headers is not None
    assert headers.trace == TRACE


__all__ = ["installed"]
