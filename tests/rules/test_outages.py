"""TM-02: nobody loses on time because the rules service or its broker was away.

Here an outage is a second without a sign of life, so that the tests are short.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest

from faults.servers import NatsServer, nats_server
from rules.conftest import ALICE, BOB, Rules
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.codec.match import read_record
from spielwerk.errors import SpielwerkError
from spielwerk.games import registry
from spielwerk.log.connect import connect
from spielwerk.log.health_stream import HealthStream
from spielwerk.log.jetstream import JetStreamLog
from spielwerk.match.model import (
    GRACE_MS,
    JOIN,
    CauseKind,
    ClockShifted,
    Ended,
    Match,
    OpenTurn,
    Outage,
    Record,
)
from spielwerk.match.outages import RETURN_MS
from spielwerk.match.verify import Verifier
from spielwerk.rpc.errors import error_of
from spielwerk.settings import LogSettings, NatsSettings
from spielwerk_accounts import keys as signing

SHORT = {"beat_s": 0.2, "outage_s": 1.0}
SEATING_MS = 1_500


@dataclass
class Told:
    """A match as the log has it: recomputed by the verifier up to its last record."""

    match: Match
    records: list[Record]

    @property
    def shifts(self) -> list[ClockShifted]:
        events = [event for record in self.records for event in record.events]
        return [event for event in events if isinstance(event, ClockShifted)]

    @property
    def expired(self) -> list[Record]:
        return [record for record in self.records if record.cause.kind is CauseKind.TIMER]


@dataclass
class Table:
    """A broker and rules processes that come and go; each start is a new one."""

    server: NatsServer
    stack: AsyncExitStack
    keys: signing.SigningKeys = field(default_factory=signing.generate)
    running: list[Rules] = field(default_factory=list)

    async def start(self, **settings: Any) -> Rules:
        """One more rules process."""
        stack = await self.stack.enter_async_context(AsyncExitStack())
        rules = Rules(self.server.url, self.keys, stack)
        await rules.start(**(SHORT | settings))
        self.running.append(rules)
        return rules

    async def stop(self) -> None:
        """All rules processes."""
        while self.running:
            await self.running.pop().stack.aclose()

    async def told(self, match_id: str) -> Told:
        async with connect(NatsSettings(url=self.server.url)) as broker:
            stored = await JetStreamLog(broker, LogSettings()).read(match_id)
        verifier, records, game = Verifier(registry.version), [], None
        for message in stored:
            record, game = read_record(message.data, game, registry.version)
            verifier.feed(record, hashlib.sha256(message.data).digest())
            records.append(record)
        assert verifier.match is not None
        return Told(verifier.match, records)

    async def beats(self) -> list[int]:
        """When the signs of life were stored, by the broker's clock."""
        async with connect(NatsSettings(url=self.server.url)) as broker:
            signs = await HealthStream(broker, 1).read(0)
        return [sign.beat_ms for sign in signs if sign.beat_ms is not None]

    async def until_alive_at(self, ms: int) -> None:
        """Until a sign of life from then or later is stored."""
        async with asyncio.timeout(30):
            while max(await self.beats(), default=0) < ms:
                await asyncio.sleep(0.05)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with nats_server(tmp_path) as server, AsyncExitStack() as stack:
        yield Table(server, stack)


async def expired(rules: Rules, match_id: str, seat: int = 0, key: str = JOIN) -> str:
    """What the timer is told in the end: `expired`, or why not."""
    timer = await rules.stub("timer", "service:timer")
    request = pb.ExpireDeadlineRequest(match_id=match_id, seat=seat, turn_key=key)
    async with asyncio.timeout(60):
        while True:
            try:
                await timer.ExpireDeadline(request, timeout=10)
            except grpc.aio.AioRpcError as failed:
                error: SpielwerkError = error_of(failed)
                if failed.code() is grpc.StatusCode.FAILED_PRECONDITION:
                    return error.reason
                await asyncio.sleep(0.05)
            else:
                return "expired"


async def seated(table: Table, rules: Rules, **more: Any) -> tuple[str, OpenTurn]:
    """A match that waits for its players, and the turn of the first one."""
    match_id = await rules.create(**({"seating_ms": SEATING_MS} | more))
    turn = (await table.told(match_id)).match.turns[0]
    return match_id, turn


def due_ms(turn: OpenTurn) -> int:
    assert turn.deadline_ms is not None
    return turn.deadline_ms + GRACE_MS


async def pause(seconds: float) -> None:
    """The outage itself."""
    await asyncio.sleep(seconds)


async def check_given_back(table: Table, match_id: str, before: OpenTurn) -> Outage:
    """One outage is accounted for, by its length and five seconds, and nobody has lost."""
    told = await table.told(match_id)
    (shift,) = told.shifts
    assert shift.ms == shift.until_ms - shift.from_ms + RETURN_MS
    assert not told.expired
    after = told.match.turns[before.seat]
    assert due_ms(after) == due_ms(before) + shift.ms
    return Outage(shift.from_ms, shift.until_ms)


async def test_tm_02_nobody_loses_while_all_rules_processes_are_away(table: Table) -> None:
    rules = await table.start()
    match_id, turn = await seated(table, rules)
    await table.stop()
    await pause(2.5)  # the deadline passes
    rules = await table.start()
    assert await expired(rules, match_id) == "not_overdue"
    outage = await check_given_back(table, match_id, turn)
    assert outage.from_ms < due_ms(turn) < outage.until_ms
    assert rules.hosts[0].metrics.value("spielwerk_clock_shifts_total") == 1
    assert rules.hosts[0].metrics.value("spielwerk_outages_total") == 1
    await (await rules.stub(ALICE)).Join(pb.JoinRequest(match_id=match_id))


async def test_tm_02_nobody_loses_while_the_broker_is_frozen(table: Table) -> None:
    rules = await table.start()
    match_id, turn = await seated(table, rules)
    asking = asyncio.create_task(expired(rules, match_id))
    table.server.freeze()
    await pause(3)
    table.server.thaw()
    assert await asking == "not_overdue"
    assert await expired(rules, match_id) == "not_overdue"
    await check_given_back(table, match_id, turn)


async def test_tm_02_nobody_loses_while_the_broker_is_dead(table: Table) -> None:
    rules = await table.start()
    match_id, turn = await seated(table, rules)
    table.server.kill()
    asking = asyncio.create_task(expired(rules, match_id))
    await pause(2.5)
    await table.server.start()
    assert await asking == "not_overdue"
    await check_given_back(table, match_id, turn)


async def test_an_expiry_waits_for_a_sign_of_life_from_after_the_turn_was_due(
    table: Table,
) -> None:
    rules = await table.start(beat_s=60, outage_s=120)
    match_id, turn = await seated(table, rules)
    assert max(await table.beats()) < due_ms(turn)
    while await expired(rules, match_id) != "expired":
        await asyncio.sleep(0.05)
    assert max(await table.beats()) >= due_ms(turn)
    assert not (await table.told(match_id)).shifts


async def test_the_timer_may_ask_before_any_sign_of_life_shows_the_outage(table: Table) -> None:
    rules = await table.start(beat_s=60)  # no regular sign comes: what is shown was asked for
    match_id, turn = await seated(table, rules)
    async with asyncio.timeout(30):
        while not (await table.told(match_id)).shifts:
            assert await expired(rules, match_id) == "not_overdue"
            await asyncio.sleep(0.05)
    await check_given_back(table, match_id, turn)


async def test_a_short_stop_gives_nothing(table: Table) -> None:
    rules = await table.start(outage_s=20)
    match_id, turn = await seated(table, rules)
    table.server.freeze()
    await pause(1)
    table.server.thaw()
    await table.until_alive_at(due_ms(turn))
    while await expired(rules, match_id) == "not_overdue":
        await asyncio.sleep(0.05)
    told = await table.told(match_id)
    assert not told.shifts
    (record,) = told.expired
    assert isinstance(record.events[-1], Ended)


async def test_a_seat_that_was_overdue_before_the_outage_still_loses(table: Table) -> None:
    rules = await table.start()
    match_id, turn = await seated(table, rules, seating_ms=200)
    await table.until_alive_at(due_ms(turn))
    await table.stop()
    await pause(1.5)
    rules = await table.start()
    assert await expired(rules, match_id) == "expired"
    told = await table.told(match_id)
    assert not told.shifts
    assert told.match.ended is not None
    assert told.match.ended.reason == "no_show"


async def test_two_processes_account_for_an_outage_once(table: Table) -> None:
    rules = await table.start()
    matches = [await seated(table, rules) for _ in range(10)]
    await table.stop()
    await pause(2.5)
    both = [await table.start(), await table.start()]
    answers = await asyncio.gather(
        *(expired(one, match_id) for match_id, _ in matches for one in both * 2)
    )
    assert set(answers) == {"not_overdue"}
    outages = [await check_given_back(table, match_id, turn) for match_id, turn in matches]
    assert len(set(outages)) == 1


async def test_each_of_two_outages_is_given_back(table: Table) -> None:
    rules = await table.start()
    match_id, turn = await seated(table, rules, seating_ms=11_000)
    for old_ms in (4_000, 8_000):
        await table.until_alive_at(turn.since_ms + old_ms)
        await table.stop()
        await pause(1.5)
        rules = await table.start()
    await (await rules.stub(BOB)).Join(pb.JoinRequest(match_id=match_id))
    first, second = (await table.told(match_id)).shifts
    assert first.until_ms <= second.from_ms
    after = (await table.told(match_id)).match.turns[0]
    assert due_ms(after) == due_ms(turn) + first.ms + second.ms


async def test_an_outage_does_not_eat_a_budget(table: Table) -> None:
    rules = await table.start()
    match_id = await rules.create(game="yatzee", options=budget(600))
    for player in (ALICE, BOB):
        await (await rules.stub(player)).Join(pb.JoinRequest(match_id=match_id))
    await table.stop()
    await pause(3)
    rules = await table.start()
    await roll(rules, match_id)  # before anybody else has asked
    told = await table.told(match_id)
    assert [record.version for record in told.records[-2:]] == [4, 5]
    (shift,) = told.shifts
    assert told.records[3].events == (shift,)
    started, rolled = told.records[2].recorded_at_ms, told.records[4].recorded_at_ms
    assert rolled - started > 3_000
    assert told.match.turns[0].deadline_ms == rolled + 600_000


async def test_watchers_and_history_show_the_outage(table: Table) -> None:
    rules = await table.start()
    match_id, _ = await seated(table, rules)
    await table.stop()
    await pause(2)
    rules = await table.start()
    bob = await rules.stub(BOB)
    watch = bob.Watch(pb.WatchRequest(match_id=match_id, after_version=1))
    asking = asyncio.create_task(expired(rules, match_id))
    update = (await watch.read()).update
    watch.cancel()
    assert await asking == "not_overdue"
    shift = update.events[0].clock_shifted
    assert (update.version, update.cause) == (2, pb.CAUSE_KIND_SYSTEM)
    assert shift.ms == shift.until_ms - shift.from_ms + RETURN_MS
    history = await bob.GetHistory(pb.GetHistoryRequest(match_id=match_id))
    assert history.updates[1] == update


def budget(seconds: int) -> Any:
    from spielwerk.api.v1 import games_pb2  # noqa: PLC0415 - only here

    options = games_pb2.GameOptions()
    options.yatzee.time_budget_s = seconds
    return options


async def roll(rules: Rules, match_id: str) -> None:
    alice = await rules.stub(ALICE)
    legal = await alice.ListLegal(pb.ListLegalRequest(match_id=match_id))
    await alice.Submit(
        pb.SubmitRequest(
            match_id=match_id,
            command_id="roll",
            command=legal.commands[0],
            turn_key=legal.turn_key,
        )
    )
