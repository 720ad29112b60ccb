"""TM-03: an instance that was stopped at the moment of expiry shoots late, and hits nobody."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from itertools import pairwise

import pytest

from spielwerk.api.log.v1.record_pb2 import Record
from spielwerk.api.v1 import match_pb2 as pb
from spielwerk.api.v1.match_pb2_grpc import MatchServiceStub
from spielwerk.codec import game_codec
from spielwerk.games import registry
from spielwerk.log.subjects import new_match_id
from spielwerk.match.model import GRACE_MS
from spielwerk.rpc.channel import open_channel

from .conftest import WAIT_S, Table

PLAYERS = ("ada", "bo")
TURN_S = 10
ROW = 2
"""So many timeouts of a seat in a row lose the match."""


@pytest.mark.parametrize("number", [30, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.timeout(240)
async def test_tm_03_each_turn_times_out_once_and_the_next_one_is_not_skipped(
    table: Table, number: int
) -> None:
    async with AsyncExitStack() as stack:
        timers = [await stack.enter_async_context(table.process()) for _ in range(3)]
        matches = [await started(table) for _ in range(number)]
        # Each instance is stopped around the expiry of one turn, and goes on in the middle of the
        # next player's: what it still has in hand is a late second shot.
        for timer in timers:
            await until_due(table, matches)
            timer.send_signal(signal.SIGSTOP)
            await until_timeout(table, matches)
            timer.send_signal(signal.SIGCONT)
        for match_id in matches:
            await until_ended(table, match_id)
    timeouts = 0
    for match_id in matches:
        timeouts += check_timeouts(await table.records(match_id))
    print(f"{timeouts} timeouts of {number} matches")
    assert timeouts >= 2 * ROW * number - number


async def started(table: Table) -> str:
    """A match whose players have sat down, and never play."""
    match_id = new_match_id(time.time_ns() // 1_000_000, os.urandom(10))
    game = registry.newest("cribbage")
    request = pb.CreateMatchRequest(
        match_id=match_id,
        game="cribbage",
        occupants=[pb.Occupant(human=pb.Human(player_id=name)) for name in PLAYERS],
        watch=pb.WATCH_POLICY_PARTICIPANTS,
    )
    options = game.options(action_timeout_s=TURN_S, max_timeouts_in_row=ROW)
    game_codec(game).fill_options(options, request.options)
    maker = table.keys.issue("matchmaking", "service:matchmaking", 600)
    async with open_channel(table.address, lambda: maker) as channel:
        await MatchServiceStub(channel).CreateMatch(request)
    for player in PLAYERS:
        token = partial(table.keys.issue, player, "player", 600)
        async with open_channel(table.address, token) as channel:
            await MatchServiceStub(channel).Join(pb.JoinRequest(match_id=match_id))
    return match_id


async def until_due(table: Table, matches: Sequence[str]) -> None:
    """Until just before the next deadline of the first match."""
    last = (await table.records(matches[0]))[-1]
    due = [turn.deadline_ms for turn in last.turns if turn.deadline_ms]
    if due:
        await table.until_log_time(min(due) + GRACE_MS - 100)


async def until_timeout(table: Table, matches: Sequence[str]) -> None:
    """Until the other instances have ended the turn."""
    before = len(await table.records(matches[0]))
    async with asyncio.timeout(WAIT_S):
        while len(records := await table.records(matches[0])) == before and records[-1].turns:
            await asyncio.sleep(0.02)


async def until_ended(table: Table, match_id: str) -> None:
    async with asyncio.timeout(WAIT_S * 4):
        while (await table.records(match_id))[-1].turns:
            await asyncio.sleep(0.1)


def check_timeouts(records: Sequence[Record]) -> int:
    """Every timeout hit a turn that was open and overdue, and no turn twice; returns how many.

    The match was lost by who had really timed out so many times in a row.
    """
    hit: Counter[tuple[int, str]] = Counter()
    by_seat: Counter[int] = Counter()
    for before, record in pairwise(records):
        if record.cause.kind != pb.CAUSE_KIND_TIMER:
            continue
        (turn,) = (t for t in before.turns if t.seat == record.cause.seat)
        assert turn.deadline_ms + GRACE_MS <= record.recorded_at_ms
        assert (turn.seat, turn.key) not in {(t.seat, t.key) for t in record.turns}
        hit[turn.seat, turn.key] += 1
        by_seat[turn.seat] += 1
    assert set(hit.values()) == {1}
    ended = records[-1].events[-1].ended
    assert ended.result.reason == "forfeited"
    (loser,) = (s.seat for s in ended.result.standings if s.place == 2)
    assert by_seat[loser] == ROW
    return sum(hit.values())
